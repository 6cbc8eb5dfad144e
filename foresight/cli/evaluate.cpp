#include "foresight/eval/evaluate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "foresight/base/atomic_file.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/cli/command.h"
#include "foresight/cli/table.h"
#include "foresight/eval/matchings.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

struct EvaluateArguments {
  std::string input;
  std::vector<std::string> policies;
  std::string json;
  std::string matching;
  EvaluateOptions options{.episodes = 3};
};

/// A single instance has no spread.
std::string ratio(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

/// The header of the column already says "per second".
std::string rate(double per_second) {
  const std::string text = human_rate(per_second, "");
  return text.substr(0, text.find(' '));
}

std::string significance(double p) {
  return p < 1e-4 ? "<1e-4" : fmt::format("{:.4f}", p);
}

/// How far the value of any label stays below its bound.
double largest_gap(const BoundDataset& data) {
  double largest = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Label label = data.label(i);
    if (label.bound > 0) largest = std::max(largest, 1 - label.value / label.bound);
  }
  return largest;
}

void print(const Evaluation& evaluation, const BoundDataset& data) {
  Table table({{"policy"},
               {"mean ratio", Align::kRight},
               {"+-95%", Align::kRight},
               {"std", Align::kRight},
               {"min", Align::kRight},
               {"mean value", Align::kRight},
               {"matched", Align::kRight},
               {"vs first", Align::kRight},
               {"p", Align::kRight},
               {"gap closed", Align::kRight},
               {"decisions/s", Align::kRight},
               {"p50", Align::kRight},
               {"p99", Align::kRight}});
  for (const PolicyResult& result : evaluation.policies) {
    const bool first = &result == &evaluation.policies.front();
    table.add_row({result.resolved.empty() ? result.name : result.resolved,
                   ratio(result.ratio.mean), ratio(result.ratio.ci95),
                   ratio(result.ratio.standard_deviation), ratio(result.ratio.minimum),
                   fmt::format("{:.6g}", result.mean_value), fmt::format("{:.1f}", result.matched),
                   first ? "" : fmt::format("{:+.4f}", result.against_first.mean_difference),
                   first ? "" : significance(result.against_first.wilcoxon_p), gap_closed(result),
                   rate(result.decisions_per_second),
                   human_duration(1e-6 * result.p50_microseconds),
                   human_duration(1e-6 * result.p99_microseconds)});
  }
  fmt::print("{} instances of {} ({}); number of arrivals: {}\n\n{}",
             human_count(static_cast<std::int64_t>(evaluation.num_instances)),
             evaluation.provenance.source, evaluation.problem, evaluation.horizon.describe(),
             table.render());
  if (evaluation.gap_reference) fmt::print("\n{}\n", describe_gap(evaluation));
  if (evaluation.num_unproven > 0) {
    fmt::print(
        "\n{} optima are not proven, but within {:.2g} % of an upper bound, which the ratios are "
        "taken against.\n",
        evaluation.num_unproven, 100 * largest_gap(data));
  }
}

void run(const EvaluateArguments& arguments) {
  for (const std::string& file : {arguments.json, arguments.matching}) {
    if (!file.empty()) check_output(file);
  }
  TerminalProgress progress;
  BoundDataset data = bind_data(Dataset::load(arguments.input));
  std::vector<Contestant> contestants;
  for (const std::string& name : arguments.policies) {
    contestants.push_back(make_contestant(name, data, progress));
  }
  check_overwriting({arguments.json, arguments.matching});
  if (!data.labelled()) data = solve(data, {.threads = arguments.options.threads}, progress);
  EvaluateOptions options = arguments.options;
  options.matchings = !arguments.matching.empty();
  Evaluation evaluation = evaluate(data, contestants, options, progress);
  evaluation.command = command_line();
  print(evaluation, data);
  if (!arguments.json.empty()) write_file_atomically(arguments.json, to_json(evaluation));
  if (options.matchings) write_matchings(data, evaluation, arguments.matching);
}

}  // namespace

void add_evaluate_command(CommandParser& parser) {
  auto arguments = std::make_shared<EvaluateArguments>();
  Command command = parser.add_command("evaluate", "Compare policies by their optimality ratios");
  command.option("file", arguments->input, "The dataset; it is solved first if it has no optima")
      .required();
  command
      .option(
          "--policy", arguments->policies,
          "A policy, e.g. greedy or \"greedy-t(train=FILE)\", or a run folder or a checkpoint; can "
          "be given several times")
      .required()
      .one_value_each();
  add_json_option(command, arguments->json);
  command.option("--matching", arguments->matching,
                 "A CSV file to write every decision to, by name where there are names: which node "
                 "each policy and the hindsight optimum gave each arrival");
  command.options(arguments->options);
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
