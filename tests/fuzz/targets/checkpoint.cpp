// Files of trained models and of optimal online policies, which then play an instance that fits.
#include "foresight/model/checkpoint.h"

#include "tests/fuzz/support.h"
#include "tests/fuzz/target.h"

#include "foresight/base/error.h"
#include "foresight/rules/optimal_online.h"

namespace foresight {
namespace {

void use_online(const SafeTensors& file) {
  const OnlineSolution solution = read_online_solution(file);
  const auto num_fixed = static_cast<NodeId>(solution.table.states.slots.size());
  const int horizon = std::min(solution.table.horizon, 6);
  if (num_fixed > kLargestPlayed) return;
  InstanceBuilder builder(num_fixed);
  builder.set_ids(solution.ids);
  std::vector<float> capacities;
  for (std::size_t u = 0; u < solution.table.states.slots.size(); ++u) {
    const auto slots = static_cast<float>(solution.table.states.slots[u]);
    capacities.push_back(slots * solution.table.states.costs[u]);
  }
  builder.set_capacities(capacities);
  for (int t = 0; t < horizon; ++t) {
    const NodeId node = num_fixed == 0 ? 0 : static_cast<NodeId>(t) % num_fixed;
    const std::vector<NodeId> nodes(num_fixed == 0 ? 0 : 1, node);
    builder.arrive(nodes, std::vector<float>(nodes.size(), 1));
  }
  play_once(solution.problem, std::move(builder).build(), *make_policy(solution));
}

}  // namespace

void fuzz_checkpoint(std::string_view content) {
  const TempFolder folder;
  const auto path = folder.write_file("best.safetensors", with_digest(content));
  const auto file = SafeTensors::open(path);
  if (is_online_solution(*file)) return use_online(*file);
  const TrainedModel trained = load_model(folder.path());
  const Schema& schema = trained.info.context.schema;
  const NodeId num_fixed = trained.info.context.num_fixed;
  if (num_fixed > kLargestPlayed) return;
  play_once(schema.problem, make_instance(schema, num_fixed, 4), *trained.model);
  try {
    Schema other = schema;
    for (auto* names : {&other.fixed_attributes, &other.arrival_attributes}) {
      names->insert(names->end(), 5, "more");
    }
    play_once(schema.problem, make_instance(other, num_fixed, 4), *trained.model);
  } catch (const Error&) {
    // It has other attributes than the model was made for.
  }
}

std::vector<std::string> checkpoint_seeds() {
  std::vector<std::string> seeds;
  for (const char* spec : {"er(u=3,v=4,p=0.5)", "crowd(u=2,v=3)"}) {
    const BoundSource source = bind_source(spec);
    const OnlineSolution solution = solve_online(source, source.draw(1, 0).market());
    seeds.push_back(bytes_of([&](const auto& path) { save(solution, path); }));
  }
  for (const Dataset& data : small_datasets()) {
    for (const auto& entry : models().entries()) {
      const ModelInfo info{
          entry.name + "(hidden=2,layers=1)", {data.schema(), 3}, {{"epoch", "1"}}};
      const auto model = models().make(info.spec)->build(info.context);
      Rng rng(1, Stream::kInitialise, 0);
      model->set_parameters(model->initial_parameters(rng));
      SafeTensorsWriter writer;
      write_model(writer, info, *model);
      seeds.push_back(bytes_of([&](const auto& path) { writer.write(path); }));
    }
  }
  return seeds;
}

}  // namespace foresight
