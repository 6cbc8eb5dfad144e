#include "foresight/eval/matchings.h"

#include <algorithm>

#include <fmt/format.h>

#include "foresight/base/atomic_file.h"
#include "foresight/base/csv.h"
#include "foresight/base/error.h"
#include "foresight/base/index.h"

namespace foresight {
namespace {

/// The lines of one matching. It is played again, because gains may depend on earlier matches.
std::string lines(const Problem& problem, const Instance& instance, const std::string& start,
                  std::span<const NodeId> matching) {
  const Market& market = instance.market();
  State state(problem, market);
  std::string text;
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const Arrival arrival = instance.arrival(t);
    const NodeId node = matching[index(t)];
    state.arrive(arrival);
    text += fmt::format("{}{},{},", start, t, csv_field(arrival.name));
    if (node == kSkip) {
      text += ",,,,0\n";
    } else {
      const auto edge = std::ranges::find(state.edges(), node, &Offer::node);
      const float weight = arrival.weights[index(edge - state.edges().begin())];
      text += fmt::format("{},{},{},{},{}\n", node, csv_field(market.names[index(node)]), weight,
                          edge->cost, edge->gain);
    }
    state.decide(node);
  }
  return text;
}

}  // namespace

void write_matchings(const BoundDataset& data, const Evaluation& evaluation,
                     const std::filesystem::path& file) {
  for (const PolicyResult& result : evaluation.policies) {
    if (result.matchings.size() == data.size()) continue;
    fail(ErrorCode::kUsage, "the matchings of {} were not kept; ask `evaluate` for them",
         result.name);
  }
  AtomicFile out(file);
  out.write("instance,policy,arrival,arrival_name,node,node_name,weight,cost,gain\n");
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Instance instance = data.instance(i);
    const auto write = [&](const std::string& policy, std::span<const NodeId> matching) {
      const std::string start = fmt::format("{},{},", i, csv_field(policy));
      out.write(lines(data.problem(), instance, start, matching));
    };
    write("optimum", data.label(i).matching);
    for (const PolicyResult& result : evaluation.policies) write(result.name, result.matchings[i]);
  }
  out.commit();
}

}  // namespace foresight
