// The optimal online policy. It knows the law of the arrivals, and looks up in a table what each
// decision is worth (see solve/online.h). No policy has a higher expected value.
//
//   auto policy = policies().make("optimal-online(source=\"crowd(u=10,v=30)\")");
//
// This computes a table for every market in the data, so it also works for sources where each
// instance has its own fixed nodes. The table of a single market can be saved to a file, and the
// file is a policy, too:
//
//   const BoundSource source = bind_source("crowd(u=10,v=30)");
//   save(solve_online(source, source.draw(1, 0).market()), "best.safetensors");
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "foresight/base/safetensors.h"
#include "foresight/policy/policy.h"
#include "foresight/problem/bound.h"
#include "foresight/solve/online.h"

namespace foresight {

/// The optimal online policy of one market.
struct OnlineSolution {
  std::string source;             // the spec that the market comes from
  std::string problem;            // its spec
  std::vector<std::int32_t> ids;  // of the market's fixed nodes; empty if all are alike
  OnlineTable table;
};

/// The law that arrivals are drawn from. Throws Error(kUsage) if the source does not know it.
ArrivalLaw known_law(const BoundSource& source, const Market& market);

/// Throws what known_law, online_states and solve_online throw.
OnlineSolution solve_online(const BoundSource& source, const Market& market, int threads = 0,
                            const Progress& progress = no_progress());

/// Writes a safetensors file. Metadata: format "foresight-online", version, source, problem,
/// horizon. Arrays: ids (fixed nodes, or 0), slots, costs and strides (fixed nodes), values
/// (horizon + 1, states).
void save(const OnlineSolution& solution, const std::filesystem::path& path);

bool is_online_solution(const SafeTensors& file);

/// Throws Error(kData) if the file breaks a rule of the table.
OnlineSolution read_online_solution(const SafeTensors& file);

/// Decides only in that market, for as many arrivals or fewer. Fixed nodes may be reordered.
std::shared_ptr<const Policy> make_policy(OnlineSolution solution);

}  // namespace foresight
