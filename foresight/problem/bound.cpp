#include "foresight/problem/bound.h"

#include <algorithm>
#include <cmath>

#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/parallel.h"
#include "foresight/problem/state.h"

namespace foresight {
namespace {

/// Sums of gains in another order differ by rounding.
constexpr double kRounding = 1e-5;

void check_columns(const Schema& schema, const Instance& instance) {
  const auto check = [](std::size_t found, std::size_t named, std::size_t rows, const char* what) {
    if (found == named || rows == 0) return;
    fail(ErrorCode::kData, "its {} have {} columns, but the schema names {}", what, found, named);
  };
  const InstanceView& view = instance.view();
  const auto fixed = static_cast<std::size_t>(view.market.num_fixed);
  const auto arrivals = static_cast<std::size_t>(instance.num_arrivals());
  check(view.market.attributes.width, schema.fixed_attributes.size(), fixed, "fixed attributes");
  check(view.attributes.width, schema.arrival_attributes.size(), arrivals, "arrival attributes");
  if (view.preferences.width > 0) {
    check(view.preferences.width, schema.topics.size(), arrivals, "preferences");
  }
}

void check_instance(const BoundDataset& data, std::size_t i) {
  const Instance instance = data.instance(i);
  data.problem().check(instance);
  if (data.labelled()) {
    try {
      check_label(data.problem(), instance, data.label(i));
    } catch (const Error& error) {
      fail(ErrorCode::kData, "{}; `foresight solve FILE --again` replaces all labels",
           error.what());
    }
  }
}

std::string normal(const std::string& spec) {
  return Spec::parse(spec).to_string();
}

}  // namespace

void check_label(const Problem& problem, const Instance& instance, const Label& label) {
  if (std::ssize(label.matching) != instance.num_arrivals()) {
    fail(ErrorCode::kData, "its label decides {} times, but {} nodes arrive", label.matching.size(),
         instance.num_arrivals());
  }
  State state(problem, instance.market());
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    state.arrive(instance.arrival(t));
    const NodeId node = label.matching[static_cast<std::size_t>(t)];
    try {
      state.decide(node);
    } catch (const Error&) {
      if (std::ranges::find(state.edges(), node, &Offer::node) == state.edges().end()) {
        fail(ErrorCode::kData, "its label matches arrival {} to node {}, which is no neighbour", t,
             node);
      }
      fail(ErrorCode::kData,
           "its label matches arrival {} to node {}, of which too little is left: {} remain", t,
           node, state.remaining(node));
    }
  }
  if (!(std::abs(state.value() - label.value) <= kRounding * (1 + state.value()))) {
    fail(ErrorCode::kData, "its label says {}, but its matching is worth {}", label.value,
         state.value());
  }
  if (!(label.bound >= label.value)) {
    fail(ErrorCode::kData, "its label's bound {} is below its value {}", label.bound, label.value);
  }
}

BoundDataset bind_data(Dataset data) {
  auto problem = problems().make(data.schema().problem);
  BoundDataset bound(std::move(data), std::move(problem));
  constexpr std::size_t kChunk = 64;
  parallel_for((bound.size() + kChunk - 1) / kChunk, 0, [&](std::size_t chunk) {
    for (std::size_t i = chunk * kChunk; i < std::min(bound.size(), (chunk + 1) * kChunk); ++i) {
      try {
        check_instance(bound, i);
      } catch (const Error& error) {
        fail(ErrorCode::kData, "{}instance {}: {}", bound.origin(), i, error.what());
      }
    }
  });
  return bound;
}

BoundDataset with_labels(const BoundDataset& data, std::span<const Label> labels) {
  return {data.with_labels(labels), data.problem_};
}

Instance BoundSource::draw(std::uint64_t seed, std::uint64_t index) const {
  Instance instance = source_->draw(seed, index);
  try {
    problem_->check(instance);
    check_columns(schema_, instance);
  } catch (const Error& error) {
    fail(ErrorCode::kData, "{}: instance {}: {}", spec_, index, error.what());
  }
  return instance;
}

BoundSource bind_source(const std::string& spec, const std::string& problem) {
  BoundSource bound;
  bound.spec_ = normal(spec);
  bound.source_ = sources().make(spec);
  bound.schema_ = bound.source_->schema();
  if (!problem.empty()) bound.schema_.problem = normal(problem);
  bound.problem_ = problems().make(bound.schema_.problem);
  return bound;
}

BoundDataset generate(const BoundSource& source, std::uint64_t seed, std::uint64_t count,
                      int threads, Progress& progress) {
  return bind_data(generate(source, Provenance{source.spec(), seed}, count, threads, progress));
}

BoundInstances bind_instances(const Problem& problem, std::span<const Instance> instances) {
  for (std::size_t i = 0; i < instances.size(); ++i) {
    try {
      problem.check(instances[i]);
    } catch (const Error& error) {
      fail(ErrorCode::kData, "instance {}: {}", i, error.what());
    }
  }
  return {problem, instances};
}

bool same_problem(const Schema& a, const Schema& b) {
  return problems().canonical(a.problem) == problems().canonical(b.problem);
}

std::variant<BoundSource, BoundDataset> open_data(const std::string& text) {
  if (sources().knows(text)) return bind_source(text);
  if (path_exists(text)) return bind_data(Dataset::load(text));
  // Nothing is there: say it in the words of whichever was meant.
  if (text.find_first_of("(/.") == std::string::npos || text.find('(') != std::string::npos) {
    sources().make(text);
  }
  fail(ErrorCode::kIo, "{}: there is no such dataset file, and no source of that name", text);
}

}  // namespace foresight
