#include "python_problem.h"

#include <atomic>
#include <limits>

#include "arguments.h"
#include "python_policy.h"
#include <nanobind/stl/string.h>

#include "foresight/base/error.h"

namespace foresight::python {
namespace {

using Gain = Traits::Gain;
using Use = Traits::Use;

std::string word(nb::handle problem, const char* attribute, const std::string& name) {
  if (!nb::hasattr(problem, "price") || !nb::hasattr(problem, "capacity") ||
      !nb::hasattr(problem, attribute)) {
    throw nb::type_error(fmt::format("problem \"{}\": make must return a foresight.Problem, got {}",
                                     name, shown(problem))
                             .c_str());
  }
  return text_argument(fmt::format("problem \"{}\": {}", name, attribute), problem.attr(attribute));
}

/// How Python calls it.
const char* word_of(Use use) {
  switch (use) {
    case Use::kUnit:
      return "unit";
    case Use::kGain:
      return "gain";
    case Use::kCost:
      return "cost";
    case Use::kOther:
      return "other";
  }
  return "";
}

Traits traits_of(nb::handle problem, const std::string& name) {
  Traits traits;
  const std::string gain = word(problem, "gain", name);
  if (gain == "own") {
    traits.gain = Gain::kOwn;
  } else if (gain != "weight") {
    fail(ErrorCode::kUsage, "problem \"{}\": gain must be weight or own, got \"{}\"", name, gain);
  }
  const std::string use = word(problem, "use", name);
  for (const Use known : {Use::kUnit, Use::kGain, Use::kCost, Use::kOther}) {
    if (use == word_of(known)) {
      traits.use = known;
      return traits;
    }
  }
  const char* now = use == "once" ? "; it is now called unit" : "";
  if (use == "budget") now = "; it is now called gain";
  fail(ErrorCode::kUsage, "problem \"{}\": use must be unit, gain, cost or other, got \"{}\"{}",
       name, use, now);
}

/// One amount per entry, each finite and at least 0.
void copy_amounts(const std::string& name, const char* what, const nb::object& given,
                  std::span<float> to) {
  const auto length = length_of(given);
  if (!length) {
    reject_argument(fmt::format("problem \"{}\": {}", name, what), "a list or an array", given);
  }
  if (*length != to.size()) {
    fail(ErrorCode::kUsage, "problem \"{}\": there are {} {} instead of {}", name, *length, what,
         to.size());
  }
  std::vector<double> amounts(to.size());
  copy_numbers(given, amounts);
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!(amounts[i] >= 0 && amounts[i] <= std::numeric_limits<float>::max())) {
      fail(ErrorCode::kUsage, "problem \"{}\": {} must be finite and at least 0, got {}", name,
           what, amounts[i]);
    }
    to[i] = static_cast<float>(amounts[i]);
  }
}

}  // namespace

class PythonProblem::PythonLedger : public Ledger {
 public:
  PythonLedger(const PythonProblem& problem, const Market& market) : problem_(problem) {
    const nb::gil_scoped_acquire acquired;
    market_ = nb::cast(MarketCopy(market));
  }
  ~PythonLedger() override {
    const nb::gil_scoped_acquire acquired;
    market_.reset();
  }

  void price(const Arrival& arrival, std::span<Offer> offers) override {
    gains_.resize(offers.size());
    costs_.resize(offers.size());
    problem_.object_.use([&](nb::handle problem) { ask(problem, arrival); });
    for (std::size_t i = 0; i < offers.size(); ++i) {
      offers[i] = {arrival.nodes[i], gains_[i], costs_[i]};
      check(arrival, i, offers[i]);
    }
  }
  void commit(const Arrival&, NodeId) override {}

 private:
  void ask(nb::handle problem, const Arrival& arrival) {
    const nb::object priced = problem.attr("price")(market_, ArrivalCopy(arrival));
    if (!nb::isinstance<nb::tuple>(priced) || nb::len(priced) != 2) {
      throw nb::type_error(fmt::format("problem \"{}\": price must return (gains, costs), got {}",
                                       problem_.name_, shown(priced))
                               .c_str());
    }
    copy_amounts(problem_.name_, "gains", priced[0], gains_);
    const nb::object costs = priced[1];
    if (!costs.is_none()) {
      copy_amounts(problem_.name_, "costs", costs, costs_);
    } else if (problem_.traits_.use == Use::kOther) {
      fail(ErrorCode::kUsage,
           "problem \"{}\": costs may only be None where use is unit, gain or cost, not other",
           problem_.name_);
    } else {
      for (std::size_t i = 0; i < costs_.size(); ++i)
        costs_[i] = declared_cost(arrival, i, gains_[i]);
    }
  }

  /// What a match costs by what the problem declares, unless that is "other".
  float declared_cost(const Arrival& arrival, std::size_t i, float gain) const {
    if (problem_.traits_.use == Use::kCost) return arrival.costs[i];
    return problem_.traits_.use == Use::kGain ? gain : 1;
  }

  /// Solvers go by what the problem declares.
  void check(const Arrival& arrival, std::size_t i, const Offer& offer) const {
    const Traits& traits = problem_.traits_;
    if (traits.gain == Gain::kWeight && offer.gain != arrival.weights[i]) {
      reject(offer, "gain", "weight", "gain", offer.gain, arrival.weights[i]);
    }
    if (traits.use == Use::kOther) return;
    const float expected = declared_cost(arrival, i, offer.gain);
    if (offer.cost != expected) {
      reject(offer, "use", word_of(traits.use), "cost", offer.cost, expected);
    }
  }
  [[noreturn]] void reject(const Offer& offer, const char* trait, const char* declared,
                           const char* what, float found, float expected) const {
    fail(ErrorCode::kUsage,
         "problem \"{}\" declares {} = \"{}\", so the {} of node {} must be {}, got {}",
         problem_.name_, trait, declared, what, offer.node, expected, found);
  }

  const PythonProblem& problem_;
  nb::object market_;
  std::vector<float> gains_, costs_;
};

PythonProblem::PythonProblem(std::string name, nb::object problem)
    : name_(std::move(name)), traits_(traits_of(problem, name_)), object_(std::move(problem)) {
  static std::atomic<std::uint64_t> made{0};
  number_ = ++made;
}

float PythonProblem::capacity(const Market& market, NodeId u) const {
  if (traits_.use != Use::kOther) return Problem::capacity(market, u);
  return capacities(market)[static_cast<std::size_t>(u)];
}

/// Asked for node by node, but told by Python for a whole market at once.
std::span<const float> PythonProblem::capacities(const Market& market) const {
  struct Known {
    std::uint64_t problem = 0;
    std::optional<MarketCopy> market;
    std::vector<float> values;
  };
  thread_local Known known;
  if (known.problem == number_ && *known.market == market) return known.values;
  known.problem = 0;
  known.values.resize(static_cast<std::size_t>(market.num_fixed));
  known.market.emplace(market);
  object_.use([&](nb::handle problem) {
    copy_amounts(name_, "capacities", problem.attr("capacity")(MarketCopy(market)), known.values);
  });
  known.problem = number_;
  return known.values;
}

std::unique_ptr<Ledger> PythonProblem::open(const Market& market) const {
  return std::make_unique<PythonLedger>(*this, market);
}

}  // namespace foresight::python
