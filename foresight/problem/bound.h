// Data together with its problem. Playing, solving, training and evaluating take data in this form.
//
// Data is checked once, when it is bound: every instance has what the problem needs, every table
// has the columns that the schema names, and every label's matching is worth what the label says.
//
//   const BoundDataset data = bind_data(Dataset::load("test.safetensors"));
//   const BoundSource source = bind_source("crowd(u=10,v=30)");
//   const BoundInstances batch = bind_instances(data.problem(), instances);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "foresight/data/dataset.h"
#include "foresight/data/source.h"
#include "foresight/problem/problem.h"

namespace foresight {

/// A dataset that fits the problem that its schema names.
class BoundDataset : public Dataset {
 public:
  const Problem& problem() const { return *problem_; }
  const std::shared_ptr<const Problem>& shared_problem() const { return problem_; }

 private:
  friend BoundDataset bind_data(Dataset data);
  friend BoundDataset with_labels(const BoundDataset& data, std::span<const Label> labels);
  friend BoundDataset told(const BoundDataset& data, const Horizon& horizon);
  BoundDataset(Dataset data, std::shared_ptr<const Problem> problem)
      : Dataset(std::move(data)), problem_(std::move(problem)) {}

  std::shared_ptr<const Problem> problem_;
};

/// Throws Error(kData) that names the instance and what it lacks, or what is wrong with its label.
BoundDataset bind_data(Dataset data);

/// Throws Error(kData) if the label's matching is not possible, or not worth what the label says.
void check_label(const Problem& problem, const Instance& instance, const Label& label);

/// The same data with labels that a solver found. They are not checked.
BoundDataset with_labels(const BoundDataset& data, std::span<const Label> labels);

/// The same data, of which policies are told this about the number of arrivals.
BoundDataset told(const BoundDataset& data, const Horizon& horizon);

/// A source whose instances are checked as they are drawn.
class BoundSource : public Source {
 public:
  const Problem& problem() const { return *problem_; }
  const std::string& spec() const { return spec_; }

  const Schema& schema() const override { return schema_; }
  Instance draw(std::uint64_t seed, std::uint64_t index) const override;
  std::optional<std::uint64_t> size() const override { return source_->size(); }
  std::optional<ArrivalLaw> arrival_law(const Market& market) const override {
    return source_->arrival_law(market);
  }
  std::string digest() const override { return source_->digest(); }

 private:
  friend BoundSource bind_source(const std::string& spec, const std::string& problem);
  friend BoundSource told(BoundSource source, const Horizon& horizon);
  BoundSource() = default;

  std::string spec_;
  std::shared_ptr<const Source> source_;
  Schema schema_;
  std::shared_ptr<const Problem> problem_;
};

/// Binds the source to the given problem, or else to the problem that it is made for.
BoundSource bind_source(const std::string& spec, const std::string& problem = "");

/// The same source, of which policies are told this about the number of arrivals.
BoundSource told(BoundSource source, const Horizon& horizon);

struct GenerateOptions {
  std::uint64_t count = 0;  // 0: 1,000, or all recorded ones
  std::uint64_t seed = 1;
  std::string problem = {};  // empty: the source's own
  int threads = 0;           // 0 = all cores

  void read(OptionReader& o);
};

/// Draws instances of the source that a spec names, and binds them. Throws Error(kUsage) if an
/// option is out of range.
BoundDataset generate(const std::string& source, const GenerateOptions& options,
                      Progress& progress);

/// Draws instances [0, count) of the sequence that `seed` names, on this many threads (0 = all
/// cores).
BoundDataset generate(const BoundSource& source, std::uint64_t seed, std::uint64_t count,
                      int threads, Progress& progress);

/// Some instances of one problem; a view of both.
class BoundInstances {
 public:
  const Problem& problem() const { return *problem_; }
  std::size_t size() const { return instances_.size(); }
  const Instance& operator[](std::size_t i) const { return instances_[i]; }
  auto begin() const { return instances_.begin(); }
  auto end() const { return instances_.end(); }
  BoundInstances subspan(std::size_t first, std::size_t count) const {
    return {*problem_, instances_.subspan(first, count)};
  }

 private:
  friend BoundInstances bind_instances(const Problem& problem, std::span<const Instance> instances);
  BoundInstances(const Problem& problem, std::span<const Instance> instances)
      : problem_(&problem), instances_(instances) {}

  const Problem* problem_;
  std::span<const Instance> instances_;
};

/// Throws Error(kData) that names the first instance that lacks what the problem needs. Takes O(1)
/// per instance.
BoundInstances bind_instances(const Problem& problem, std::span<const Instance> instances);

/// Are they made for the same problem, with the same options?
bool same_problem(const Schema& a, const Schema& b);

/// What a person wants policies to be told of the number of arrivals: "known", "expected" (mean and
/// deviation in this data, unless it names them itself), "unknown", a number to expect, or nothing:
/// what the data says itself. Throws Error(kUsage) for any other text.
Horizon choose_horizon(const std::string& text,
                       const std::variant<BoundSource, BoundDataset>& data);
inline constexpr const char* kHorizonMeaning =
    "what policies are told of the number of arrivals: known, expected, unknown, or a number to "
    "expect; without it, what the data says";

/// Opens what a person names as data: the spec of a source, or a dataset file. A spec comes first,
/// so a file with the name of a source must be given with its folder, as in ./crowd.
std::variant<BoundSource, BoundDataset> open_data(const std::string& text);

}  // namespace foresight
