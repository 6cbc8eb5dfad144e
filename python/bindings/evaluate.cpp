// Judging policies, ours and those written in Python side by side.
#include "bindings.h"
#include "long_call.h"
#include "options.h"
#include "python_dataset.h"
#include "python_policy.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "foresight/solve/solver.h"

namespace foresight::python {
namespace {

Evaluation evaluate_policies(const PythonDataset& data, nb::list policies, const nb::dict& given,
                             nb::object show) {
  const auto options = read_options<EvaluateOptions>("evaluate", given);
  std::vector<GivenPolicy> judged;
  for (const nb::handle policy : policies) judged.emplace_back(policy);
  LongCall call(std::move(show));
  return call.run([&] {
    std::vector<Contestant> contestants;
    for (const GivenPolicy& policy : judged) {
      contestants.push_back(policy.contestant(data.bound(), call));
    }
    const BoundDataset labelled =
        data.labelled() ? data.bound() : solve(data.bound(), {.threads = options.threads}, call);
    return evaluate(labelled, contestants, options, call);
  });
}

void define_results(nb::module_& module) {
  nb::class_<Summary>(module, "Summary")
      .def_ro("count", &Summary::count)
      .def_ro("mean", &Summary::mean)
      .def_ro("standard_deviation", &Summary::standard_deviation, DOC(Summary_standard_deviation))
      .def_ro("minimum", &Summary::minimum)
      .def_ro("maximum", &Summary::maximum)
      .def_ro("ci95", &Summary::ci95, DOC(Summary_ci95));
  nb::class_<PairedComparison>(module, "PairedComparison")
      .def_ro("mean_difference", &PairedComparison::mean_difference,
              DOC(PairedComparison_mean_difference))
      .def_ro("ci95_low", &PairedComparison::ci95_low)
      .def_ro("ci95_high", &PairedComparison::ci95_high)
      .def_ro("wilcoxon_p", &PairedComparison::wilcoxon_p, DOC(PairedComparison_wilcoxon_p));
  nb::class_<PolicyResult>(module, "PolicyResult", "How one policy did.")
      .def_ro("name", &PolicyResult::name)
      .def_ro("resolved", &PolicyResult::resolved, DOC(PolicyResult_resolved))
      .def_ro("model", &PolicyResult::model, DOC(Contestant_model))
      .def_ro("trained_on", &PolicyResult::trained_on, DOC(Contestant_trained_on))
      .def_prop_ro(
          "ratios",
          [](nb::handle self) {
            return view(std::span(nb::cast<const PolicyResult&>(self).ratios), self);
          },
          DOC(PolicyResult_ratios))
      .def_ro("ratio", &PolicyResult::ratio, "The optimality ratios, summed up.")
      .def_ro("mean_value", &PolicyResult::mean_value)
      .def_ro("matched", &PolicyResult::matched, DOC(PolicyResult_matched))
      .def_prop_ro(
          "agreement_optimum",
          [](nb::handle self) {
            return view(std::span(nb::cast<const PolicyResult&>(self).agreement_optimum), self);
          },
          "Per time step, the share of instances in which the decision is the optimum's.")
      .def_prop_ro(
          "agreement_greedy",
          [](nb::handle self) {
            return view(std::span(nb::cast<const PolicyResult&>(self).agreement_greedy), self);
          },
          "Per time step, the share of instances in which the decision is greedy's.")
      .def_ro("decisions_per_second", &PolicyResult::decisions_per_second,
              DOC(PolicyResult_decisions_per_second))
      .def_ro("p50_microseconds", &PolicyResult::p50_microseconds,
              DOC(PolicyResult_p50_microseconds))
      .def_ro("p99_microseconds", &PolicyResult::p99_microseconds)
      .def_ro("against_first", &PolicyResult::against_first, DOC(PolicyResult_against_first))
      .def_ro("gap_closed", &PolicyResult::gap_closed, DOC(PolicyResult_gap_closed));
}

}  // namespace

void define_evaluate(nb::module_& module) {
  define_results(module);
  nb::class_<Evaluation>(module, "Evaluation")
      .def_ro("problem", &Evaluation::problem)
      .def_prop_ro("source", [](const Evaluation& e) { return e.provenance.source; })
      .def_ro("num_instances", &Evaluation::num_instances)
      .def_prop_ro(
          "horizon", [](const Evaluation& e) { return e.horizon.to_string(); },
          "What policies were told of the number of arrivals.")
      .def_ro("num_unproven", &Evaluation::num_unproven, DOC(Evaluation_num_unproven))
      .def_ro("policies", &Evaluation::policies, nb::rv_policy::reference_internal)
      .def_prop_ro(
          "gap_reference",
          [](const Evaluation& e) {
            return e.gap_reference ? std::optional(e.policies[*e.gap_reference].name)
                                   : std::nullopt;
          },
          "The name of the policy at which the gap to optimal-online begins, if there is a gap.")
      .def(
          "to_json", [](const Evaluation& e) { return to_json(e); }, DOC(to_json));
  module.def("evaluation_from_json", &evaluation_from_json, nb::arg("text"), nb::arg("name"),
             DOC(evaluation_from_json));
  module.def("evaluate", &evaluate_policies, nb::arg("data"), nb::arg("policies"),
             nb::arg("options"), nb::arg("show").none(), DOC(evaluate));
}

}  // namespace foresight::python
