// Labels a whole dataset on all cores. An interrupted run can continue where it stopped.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/parallel.h"
#include "foresight/base/safetensors.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

constexpr const char* kFormat = "foresight-partial-labels";
constexpr std::chrono::seconds kSaveInterval{5};
constexpr std::size_t kChunk = 16;

/// Labels as they are found. A label is written by one thread and then marked done.
class LabelBoard {
 public:
  LabelBoard(const BoundDataset& data, double gap, std::filesystem::path checkpoint)
      : data_(data),
        gap_(gap),
        digest_(data.content_digest(/*with_labels=*/false)),
        checkpoint_(std::move(checkpoint)),
        labels_(data.size()),
        known_(data.size()),
        done_(data.size()),
        last_save_(Clock::now()) {
    if (data.labelled()) {
      for (std::size_t i = 0; i < data.size(); ++i) take_over(i, data.label(i), false);
    }
    if (!checkpoint_.empty() && path_exists(checkpoint_)) restore();
  }

  /// A label that is known already keeps what is better about it.
  void finish(std::size_t i, Label label) { take_over(i, std::move(label), true); }

  std::vector<std::size_t> open() const {
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < done_.size(); ++i) {
      if (!done_[i]) rest.push_back(i);
    }
    return rest;
  }

  const std::vector<Label>& labels() const { return labels_; }

  void save_if_due() {
    if (checkpoint_.empty()) return;
    const std::unique_lock lock(save_mutex_, std::try_to_lock);
    if (lock && Clock::now() - last_save_ >= kSaveInterval) save();
  }

  void save() {
    if (checkpoint_.empty()) return;
    std::vector<std::uint8_t> done;
    std::vector<double> value, bound;
    std::vector<NodeId> matching;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      done.push_back(done_[i].load(std::memory_order_acquire));
      const Label label = done.back() ? labels_[i] : Label{};
      value.push_back(label.value);
      bound.push_back(label.bound);
      matching.insert(matching.end(), label.matching.begin(), label.matching.end());
    }
    SafeTensorsWriter writer;
    writer.set_meta("format", kFormat);
    writer.set_meta("data", digest_);
    writer.add<std::uint8_t>("done", {done.size()}, done);
    writer.add<double>("value", {value.size()}, value);
    writer.add<double>("bound", {bound.size()}, bound);
    writer.add<NodeId>("matching", {matching.size()}, matching);
    writer.add<double>("gap", {1}, std::span(&gap_, 1));
    writer.write(checkpoint_);
    last_save_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Takes over finished labels. A checkpoint of other data is refused, not overwritten.
  void restore() {
    const auto file = SafeTensors::open(checkpoint_);
    if (file->meta("format") != kFormat || file->meta("data") != digest_) {
      fail(ErrorCode::kData, "{}: this file holds labels of other data; remove it to start anew",
           checkpoint_.string());
    }
    const auto done = file->array<std::uint8_t>("done");
    const auto value = file->array<double>("value");
    const auto bound = file->array<double>("bound");
    const auto matching = file->array<NodeId>("matching");
    // Labels that were wanted less exactly are not done.
    const double gap = file->has("gap") ? read_gap(*file) : 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const bool fits = done.size() == labels_.size() && value.size() == done.size() &&
                        bound.size() == done.size();
      const auto arrivals = static_cast<std::size_t>(data_.instance(i).num_arrivals());
      if (!fits || (done[i] && next + arrivals > matching.size())) {
        fail(ErrorCode::kData, "{}: the labels do not fit the data; remove the file to start anew",
             checkpoint_.string());
      }
      if (!done[i]) continue;
      const auto begin = matching.begin() + static_cast<std::ptrdiff_t>(next);
      Label label{value[i], bound[i], {begin, begin + static_cast<std::ptrdiff_t>(arrivals)}};
      check(i, label);
      take_over(i, std::move(label), gap <= gap_);
      next += arrivals;
    }
  }

  double read_gap(const SafeTensors& file) const {
    const auto gap = file.array<double>("gap");
    return gap.size() == 1 ? gap.front() : std::numeric_limits<double>::infinity();
  }

  void take_over(std::size_t i, Label label, bool done) {
    Label& known = labels_[i];
    if (known_[i]) {
      const double bound = std::min(known.bound, label.bound);
      if (known.value >= label.value) label = std::move(known);
      label.bound = std::max(bound, label.value);
    }
    known = std::move(label);
    known_[i] = true;
    if (done || reaches(known, gap_)) done_[i].store(true, std::memory_order_release);
  }

  void check(std::size_t i, const Label& label) const {
    try {
      check_label(data_.problem(), data_.instance(i), label);
    } catch (const Error& error) {
      fail(ErrorCode::kData, "{}: instance {}: {}; remove the file to start anew",
           checkpoint_.string(), i, error.what());
    }
  }

  const BoundDataset& data_;
  double gap_;
  std::string digest_;
  std::filesystem::path checkpoint_;
  std::vector<Label> labels_;
  std::vector<char> known_;              // has a label, from before or by now
  std::vector<std::atomic<bool>> done_;  // has the label that is asked for
  std::mutex save_mutex_;
  Clock::time_point last_save_;
};

}  // namespace

void SolveOptions::read(OptionReader& o) {
  o.real("time_limit", time_limit_seconds, kAboveZero, std::numeric_limits<double>::infinity(),
         "time limit in seconds per instance, if branch and bound is needed");
  o.real("gap", gap, 0, 1,
         "how far a value may stay below its bound, as a part of the bound: branch and bound for "
         "budgets ends there; 0 = optimal");
  o.threads(threads);
}

BoundDataset solve(const BoundDataset& data, const SolveOptions& options, Progress& progress,
                   const std::filesystem::path& checkpoint) {
  check(options, "solve");
  LabelBoard board(data, options.gap, checkpoint);
  const std::vector<std::size_t> open = board.open();
  const auto workers = static_cast<std::size_t>(thread_count(options.threads));
  std::vector<std::unique_ptr<Solver>> solvers(workers);
  SolveOptions stopping = options;
  stopping.stop = [&] { return progress.cancelled(); };
  for (auto& solver : solvers) solver = make_solver(data.problem(), stopping);

  progress.begin("solving", std::ssize(open), "instances");
  const std::size_t chunks = (open.size() + kChunk - 1) / kChunk;
  parallel_for_workers(chunks, options.threads, [&](std::size_t chunk, std::size_t worker) {
    const std::size_t end = std::min(open.size(), (chunk + 1) * kChunk);
    for (std::size_t k = chunk * kChunk; k < end; ++k) {
      if (progress.cancelled()) return;
      const Instance instance = data.instance(open[k]);
      Label label = solvers[worker]->solve(instance);
      if (progress.cancelled()) return;  // the search may have ended too early
      board.finish(open[k], std::move(label));
      progress.advance(1);
    }
    board.save_if_due();
  });
  progress.end();
  if (progress.cancelled()) {
    board.save();
    fail(ErrorCode::kCancelled, "interrupted after {} of {} instances{}",
         data.size() - board.open().size(), data.size(),
         checkpoint.empty() ? "" : "; the same command continues from there");
  }
  return with_labels(data, board.labels());
}

}  // namespace foresight
