// How good any online policy could be, told in advance: the expected value of the optimal one.
#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "foresight/base/error.h"
#include "foresight/base/format.h"
#include "foresight/base/parallel.h"
#include "foresight/cli/command.h"
#include "foresight/policy/optimal_online.h"

namespace foresight {
namespace {

struct CeilingArguments {
  std::string source;
  std::string output;
  int markets = 100;
  std::uint64_t seed = 1;
  int threads = 0;
};

std::vector<std::int32_t> fixed_set(const Instance& instance) {
  std::vector<std::int32_t> ids(instance.market().ids.begin(), instance.market().ids.end());
  std::ranges::sort(ids);
  return ids;
}

/// Those to average over: one where all instances share their fixed nodes.
std::vector<Instance> draw_markets(const Source& source, const CeilingArguments& arguments) {
  std::vector<Instance> instances;
  instances.push_back(source.draw(arguments.seed, 0));
  for (int i = 1; i < arguments.markets; ++i) {
    instances.push_back(source.draw(arguments.seed, static_cast<std::uint64_t>(i)));
    if (fixed_set(instances.back()) == fixed_set(instances.front())) {
      instances.pop_back();
      break;
    }
  }
  return instances;
}

void run(const CeilingArguments& arguments) {
  if (!arguments.output.empty()) check_output(arguments.output);
  const auto source = sources().make(arguments.source);
  const auto problem = problems().make(source->schema().problem);
  const std::vector<Instance> instances = draw_markets(*source, arguments);
  if (!arguments.output.empty() && instances.size() > 1) {
    fail(ErrorCode::kUsage,
         "{}: every instance has its own fixed nodes, so that no single table serves them all; "
         "evaluate the policy optimal-online(source=...) instead",
         arguments.source);
  }
  const Market& first = instances.front().market();
  const ArrivalLaw law = known_law(arguments.source, *source, first);
  const OnlineStates states = online_states(*problem, first, law);
  const bool computable = states.bytes(first.horizon) <= kMaxOnlineBytes;

  fmt::print("{} ({}): {} fixed nodes, {} arrivals{}\n", arguments.source, problem->name(),
             first.num_fixed, first.horizon,
             instances.size() == 1 ? "" : fmt::format(", mean of {} markets", instances.size()));
  if (computable || !arguments.output.empty()) {
    const auto start = std::chrono::steady_clock::now();
    double total = 0;
    for (const Instance& instance : instances) {
      const OnlineSolution solution =
          solve_online(arguments.source, *source, instance.market(), arguments.threads);
      total += solution.table.expected();
      if (!arguments.output.empty()) save(solution, arguments.output);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const auto count = static_cast<double>(instances.size());
    fmt::print("  optimal online  {:.6f}  expected value: no online policy has a higher one\n",
               total / count);
    fmt::print("  table           {} states, {}, in {}\n",
               human_count(static_cast<std::int64_t>(states.count)),
               human_bytes(static_cast<std::uint64_t>(states.bytes(first.horizon))),
               human_duration(elapsed.count() / count));
  } else {
    fmt::print("  optimal online  not computable: {:.4g} states take more than {}\n", states.count,
               human_bytes(static_cast<std::uint64_t>(kMaxOnlineBytes)));
  }
  if (std::holds_alternative<ArrivalTypes>(law)) {
    double total = 0;
    for (const Instance& instance : instances) {
      const ArrivalLaw of_market = known_law(arguments.source, *source, instance.market());
      total += fluid_bound(*problem, instance.market(), std::get<ArrivalTypes>(of_market));
    }
    fmt::print("  fluid bound     {:.6f}  no policy's expected value is above it\n",
               total / static_cast<double>(instances.size()));
  }
  if (!arguments.output.empty()) {
    fmt::print("wrote {}: `foresight evaluate DATA --policy {}` plays it\n", arguments.output,
               arguments.output);
  }
}

}  // namespace

void add_ceiling_command(CLI::App& app) {
  auto arguments = std::make_shared<CeilingArguments>();
  auto* command =
      app.add_subcommand("ceiling", "Tell how good any online policy could be for a source");
  command
      ->add_option("source", arguments->source,
                   "What arrivals are drawn from, e.g. \"crowd(u=10,v=30)\"")
      ->required();
  command->add_option("-o,--output", arguments->output,
                      "Write the optimal online policy to this file, as a checkpoint");
  command
      ->add_option("--markets", arguments->markets,
                   "Markets to average over, where each instance has its own fixed nodes")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_seed_option(*command, arguments->seed);
  add_threads_option(*command, arguments->threads);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace foresight
