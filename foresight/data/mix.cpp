// Instances of several sources in turn, to train one model for all of them, for example for small
// and large instances. The sources must agree on the problem, on attributes and on topics.
#include <algorithm>

#include "foresight/base/digest.h"
#include "foresight/base/error.h"
#include "foresight/data/source.h"

namespace foresight {
namespace {

struct MixOptions {
  std::string parts[4];

  void read(OptionReader& o) {
    o.text("first", parts[0], "spec of a source, e.g. crowd(u=10,v=30)");
    o.text("second", parts[1], "spec of another source");
    o.text("third", parts[2], "spec of one more source, optional");
    o.text("fourth", parts[3], "spec of one more source, optional");
  }
};

class Mix : public Source {
 public:
  explicit Mix(const MixOptions& options) {
    bool lengths_differ = false;
    for (const std::string& part : options.parts) {
      if (part.empty()) continue;
      sources_.push_back(sources().make(part));
      Schema schema = sources_.back()->schema();
      lengths_differ |= schema.horizon != sources_.front()->schema().horizon;
      schema.horizon = {};
      if (sources_.size() == 1) schema_ = schema;
      if (schema != schema_) {
        fail(ErrorCode::kUsage,
             "source \"mix\": {} and {} differ in problem, attributes, topics, capacities or costs "
             "and cannot be mixed",
             options.parts[0], part);
      }
    }
    if (sources_.empty()) {
      fail(ErrorCode::kUsage,
           "source \"mix\" needs at least two sources: mix(first=SPEC,second=SPEC)");
    }
    schema_.horizon = lengths_differ ? expected() : sources_.front()->schema().horizon;
  }

  const Schema& schema() const override { return schema_; }
  Instance draw(std::uint64_t seed, std::uint64_t index) const override {
    return sources_[index % sources_.size()]->draw(seed, index / sources_.size());
  }
  std::string digest() const override {
    Digest digest;
    for (const auto& source : sources_) digest.add(source->digest());
    return digest.hex();
  }

 private:
  /// What to expect of sources that say different things about the number of arrivals.
  Horizon expected() const {
    constexpr std::uint64_t kLooked = 100;
    std::vector<int> lengths;
    for (const auto& source : sources_) {
      for (std::uint64_t i = 0; i < std::min(kLooked, source->size().value_or(kLooked)); ++i) {
        lengths.push_back(source->draw(0, i).num_arrivals());
      }
    }
    return Horizon::from_past(lengths);
  }

  std::vector<std::shared_ptr<Source>> sources_;
  Schema schema_;
};

}  // namespace

Entry<Source> mix_source() {
  return make_entry<Source, Mix, MixOptions>(
      "mix", "several sources in turn, to train one model for all of them");
}

}  // namespace foresight
