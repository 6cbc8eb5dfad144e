// How good an online policy can be at best: the expected value of the optimal one.
#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/format.h"
#include "foresight/base/parallel.h"
#include "foresight/cli/command.h"
#include "foresight/rules/optimal_online.h"
#include "foresight/solve/solver.h"

namespace foresight {
namespace {

struct CeilingArguments {
  std::string source;
  std::string output;
  int markets = 100;
  std::uint64_t instances = 1000;
  std::uint64_t seed = 1;
  int threads = 0;

  void read(OptionReader& o) {
    o.integer("markets", markets, 1, 1'000'000,
              "markets to average over, if each instance has its own fixed nodes");
    o.count("instances", instances, 1, 1'000'000'000, "instances to solve in hindsight");
    o.seed(seed);
    o.threads(threads);
  }
};

std::vector<std::int32_t> fixed_set(const Instance& instance) {
  std::vector<std::int32_t> ids(instance.market().ids.begin(), instance.market().ids.end());
  std::ranges::sort(ids);
  return ids;
}

/// The markets to average over: one if all instances share their fixed nodes.
std::vector<Instance> draw_markets(const BoundSource& source, const CeilingArguments& arguments,
                                   const Progress& progress) {
  std::vector<Instance> instances;
  instances.push_back(source.draw(arguments.seed, 0));
  const auto most = source.size().value_or(static_cast<std::uint64_t>(arguments.markets));
  for (int i = 1; i < arguments.markets && static_cast<std::uint64_t>(i) < most; ++i) {
    check_cancelled(progress);
    instances.push_back(source.draw(arguments.seed, static_cast<std::uint64_t>(i)));
    if (fixed_set(instances.back()) == fixed_set(instances.front())) {
      instances.pop_back();
      break;
    }
  }
  return instances;
}

/// The hindsight optima of instances, whose mean is a bound that holds for every source.
struct Hindsight {
  double mean = 0;
  std::vector<int> lengths;  // arrivals per instance

  int shortest() const { return *std::ranges::min_element(lengths); }
  int longest() const { return *std::ranges::max_element(lengths); }
};

Hindsight solve_in_hindsight(const BoundSource& source, const CeilingArguments& arguments,
                             Progress& progress) {
  progress.begin("drawing", static_cast<std::int64_t>(arguments.instances), "instances");
  const BoundDataset drawn =
      generate(source, arguments.seed, arguments.instances, arguments.threads, progress);
  progress.end();
  const BoundDataset data = solve(drawn, {.threads = arguments.threads}, progress);
  double total = 0;
  for (std::size_t i = 0; i < data.size(); ++i) total += data.label(i).bound;
  return {total / static_cast<double>(data.size()), data.lengths()};
}

/// The expected value of a policy that is told the number of arrivals, if it is one of these.
double mean_value(const OnlineTable& table, const std::vector<int>& lengths) {
  double total = 0;
  const auto all_slots = static_cast<std::int64_t>(table.num_states()) - 1;
  for (const int length : lengths) total += static_cast<double>(table.value(length, all_slots));
  return total / static_cast<double>(lengths.size());
}

/// One line: a name, its value, and a remark.
void print_value(const char* name, double value, const std::string& remark) {
  fmt::print("  {:<15} {:.6f}  {}\n", name, value, remark);
}

/// The expected value of the optimal policy and the fluid bound, as shares of `hindsight`.
void print_online(const BoundSource& source, const std::vector<Instance>& instances,
                  const ArrivalLaw& law, const Hindsight& hindsight,
                  const CeilingArguments& arguments, Progress& progress) {
  const auto count = static_cast<double>(instances.size());
  const auto market_of = [&](const Instance& instance, const Horizon& horizon) {
    Market market = instance.market();
    market.horizon = horizon;
    return market;
  };
  // One table has a row for every number of arrivals up to its own.
  const int length = hindsight.longest();
  const Horizon longest = Horizon::known(length);
  const OnlineStates states =
      online_states(source.problem(), market_of(instances.front(), longest), law);
  if (states.bytes(length) <= kMaxOnlineBytes || !arguments.output.empty()) {
    const auto start = std::chrono::steady_clock::now();
    double total = 0;
    progress.begin("computing tables", std::ssize(instances), "markets");
    for (const Instance& instance : instances) {
      const OnlineSolution solution =
          solve_online(source, market_of(instance, longest), arguments.threads, progress);
      total += mean_value(solution.table, hindsight.lengths);
      if (!arguments.output.empty()) save(solution, arguments.output);
      progress.advance(1);
    }
    progress.end();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    print_value("optimal online", total / count,
                fmt::format("expected value, which no online policy exceeds, even if it is told "
                            "the number of arrivals; {:.4f} of hindsight",
                            total / count / hindsight.mean));
    fmt::print("  table           {} states, {}, in {}\n",
               human_count(static_cast<std::int64_t>(states.count)),
               human_bytes(static_cast<std::uint64_t>(states.bytes(length))),
               human_duration(elapsed.count() / count));
  } else {
    fmt::print("  optimal online  not computable: {:.4g} states need more than {}\n", states.count,
               human_bytes(static_cast<std::uint64_t>(kMaxOnlineBytes)));
  }
  if (std::holds_alternative<ArrivalTypes>(law)) {
    double total = 0;
    for (const Instance& instance : instances) {
      check_cancelled(progress);
      // The bound is concave in the number of arrivals, so that of the mean number holds for all.
      const Market market = market_of(instance, Horizon::from_past(hindsight.lengths));
      const ArrivalLaw of_market = known_law(source, market);
      total += fluid_bound(source.problem(), market, std::get<ArrivalTypes>(of_market));
    }
    print_value("fluid bound", total / count,
                "no expected value exceeds it, not even in hindsight");
  }
}

void run(CeilingArguments arguments) {
  if (!arguments.output.empty()) check_output(arguments.output);
  TerminalProgress progress;
  const BoundSource source = bind_source(arguments.source);
  check_overwriting({arguments.output});
  arguments.instances = std::min(arguments.instances, source.size().value_or(arguments.instances));
  const std::vector<Instance> instances = draw_markets(source, arguments, progress);
  if (!arguments.output.empty() && instances.size() > 1) {
    fail(ErrorCode::kUsage,
         "{}: every instance has its own fixed nodes, so one table is not enough for -o; evaluate "
         "the policy optimal-online(source=...) instead",
         arguments.source);
  }
  const Market& first = instances.front().market();
  const Hindsight hindsight = solve_in_hindsight(source, arguments, progress);
  const std::string lengths =
      hindsight.shortest() == hindsight.longest()
          ? fmt::to_string(hindsight.longest())
          : fmt::format("{} to {}", hindsight.shortest(), hindsight.longest());
  fmt::print("{} ({}): {} fixed nodes, {} arrivals{}\n", source.spec(), source.problem().name(),
             first.num_fixed, lengths,
             instances.size() == 1 ? "" : fmt::format(", mean of {} markets", instances.size()));
  print_value("hindsight", hindsight.mean,
              fmt::format("mean optimum of {} instances if the future is known",
                          human_count(static_cast<std::int64_t>(arguments.instances))));
  try {
    const ArrivalLaw law = known_law(source, first);
    print_online(source, instances, law, hindsight, arguments, progress);
  } catch (const Error& error) {
    // For such sources and problems nothing more is known. But with -o the table must be written.
    if (!arguments.output.empty() || error.code() == ErrorCode::kCancelled) throw;
    fmt::print("  optimal online  not computable: {}\n", error.what());
  }
  if (!arguments.output.empty()) {
    fmt::print("wrote {}; play it with: foresight evaluate DATA --policy {}\n", arguments.output,
               arguments.output);
  }
}

}  // namespace

void add_ceiling_command(CommandParser& parser) {
  auto arguments = std::make_shared<CeilingArguments>();
  Command command = parser.add_command(
      "ceiling", "Compute how good an online policy can be at best for a source");
  command
      .option("source", arguments->source, "The source of the arrivals, e.g. \"crowd(u=10,v=30)\"")
      .required();
  command.option("-o,--output", arguments->output,
                 "Write the optimal online policy to this file, as a checkpoint");
  command.options(*arguments);
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace foresight
