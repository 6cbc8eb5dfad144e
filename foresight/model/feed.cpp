#include "foresight/model/feed.h"

#include <numeric>

namespace foresight {
namespace {

class FunctionFeed : public Feed {
 public:
  explicit FunctionFeed(std::function<NetworkInputs(const State&)> next) : next_(std::move(next)) {}
  NetworkInputs next(const State& state) override { return next_(state); }

 private:
  std::function<NetworkInputs(const State&)> next_;
};

}  // namespace

NetworkInputs::Array::Array(std::vector<std::size_t> sizes) : shape(std::move(sizes)) {
  std::size_t size = 1;
  for (const std::size_t length : shape) size *= length;
  values.resize(size);
}

std::vector<std::size_t> entries_of_offers(const State& state) {
  std::vector<std::size_t> entries(state.offers().size() + 1);
  std::iota(entries.begin(), entries.end(), std::size_t{0});
  return entries;
}

std::vector<std::size_t> entries_of_nodes(const State& state) {
  std::vector<std::size_t> entries = {0};
  for (const Offer& offer : state.offers()) {
    entries.push_back(static_cast<std::size_t>(offer.node) + 1);
  }
  return entries;
}

std::unique_ptr<Feed> make_feed(std::function<NetworkInputs(const State&)> next) {
  return std::make_unique<FunctionFeed>(std::move(next));
}

}  // namespace foresight
