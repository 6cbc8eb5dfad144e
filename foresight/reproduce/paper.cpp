#include <fmt/format.h>

#include "foresight/base/files.h"
#include "foresight/reproduce/target.h"

namespace foresight {
namespace {

using Words = std::vector<std::string>;

const Words kModels = {"ff", "ff-hist", "inv-ff", "inv-ff-hist", "ff-supervised", "gnn-hist"};

// As in the paper: greedy-t tries 0.01..1.00, and greedy-rt has the largest weight of the gMission
// base graph, which brings weights in 0..1 to its scale.
const std::string kGreedyT = "greedy-t(candidates=hundredths)";
const Words kBaselines = {"greedy", "greedy-rt(scale=18.8736,w_max=18.8736)", kGreedyT};

struct Size {
  int u, v;
  std::string text() const { return fmt::format("{}x{}", u, v); }
};

std::vector<Training> trained(const Words& models, const DataSpec& data) {
  std::vector<Training> all;
  for (const std::string& model : models) all.push_back({model, data});
  return all;
}

/// Models tested on the data they were trained on.
Contest own_test(const DataSpec& data, const Words& baselines, const Words& models) {
  return {data.name, data, baselines, trained(models, data)};
}

DataSpec er(Size size, const char* p) {
  return {fmt::format("er-{}-p{}", size.text(), p),
          fmt::format("er(u={},v={},p={})", size.u, size.v, p)};
}

DataSpec ba(Size size, int degree) {
  return {fmt::format("ba-{}-p{}", size.text(), degree),
          fmt::format("ba(u={},v={},degree={})", size.u, size.v, degree)};
}

DataSpec hard(const char* name, Size size) {
  return {fmt::format("{}-{}", name, size.text()),
          fmt::format("{}(u={},v={})", name, size.u, size.v)};
}

/// One of the real base graphs, whose files may be missing.
class BaseGraph {
 public:
  BaseGraph(const std::filesystem::path& data, std::string name, std::string fixed)
      : path_(data / name), name_(std::move(name)), fixed_(std::move(fixed)) {}

  bool available() const { return is_folder(path_); }

  /// `how`: fixed, vary or permute.
  DataSpec operator()(Size size, const std::string& how) const {
    const std::string suffix = how == "fixed" ? "" : how == "vary" ? "-var" : "-perm";
    return {fmt::format("{}{}-{}", name_, suffix, size.text()),
            fmt::format("{}(path=\"{}\",u={},v={}{})", name_, path_.string(), size.u, size.v,
                        how == "fixed" ? "" : fmt::format(",{}={}", fixed_, how))};
  }

  /// The target, without its tests if the files are missing.
  Target needed_by(Target target) const {
    if (!available()) target.tests.clear();
    return target;
  }

 private:
  std::filesystem::path path_;
  std::string name_, fixed_;
};

Target er_target(const std::vector<Size>& sizes, const std::vector<const char*>& densities) {
  Target target{"er", "Erdos-Renyi graphs: distributions of optimality ratios", {}};
  for (const Size size : sizes) {
    for (const char* p : densities) {
      target.tests.push_back(own_test(er(size, p), kBaselines, kModels));
    }
  }
  target.claims = {
      {"dense graphs, |U| < |V|: learned models skip well and beat greedy", "er-10x60-p0.2",
       "ff-hist", "greedy"},
      {"they beat the tuned threshold, too", "er-10x60-p0.2", "ff-hist", "greedy-t"},
      {"history helps non-invariant models", "er-10x60-p0.2", "ff-hist", "ff"},
      {"history helps invariant models", "er-10x60-p0.2", "inv-ff-hist", "inv-ff"},
      {"ff-hist is the best model on ER graphs", "er-10x60-p0.2", "ff-hist", "inv-ff-hist"},
      {"at 100x100 models perform like greedy", "er-100x100-p0.05", "inv-ff-hist", "greedy", true}};
  return target;
}

Target ba_target(bool small) {
  Target target{"ba", "Barabasi-Albert graphs: distributions of optimality ratios", {}};
  target.tests.push_back(own_test(ba({10, 30}, 5), kBaselines, kModels));
  if (!small) {
    target.tests.push_back(own_test(ba({10, 60}, 5), kBaselines, kModels));
    target.tests.push_back(own_test(ba({100, 100}, 5), kBaselines, kModels));
    target.tests.push_back(own_test(ba({100, 100}, 15), kBaselines, kModels));
  }
  target.claims = {
      {"inv-ff-hist is the best model on BA graphs", "ba-10x30-p5", "inv-ff-hist", "ff-hist"},
      {"also at 10x60", "ba-10x60-p5", "inv-ff-hist", "ff-hist"},
      {"also at 100x100", "ba-100x100-p5", "inv-ff-hist", "ff-hist"},
      {"inv-ff is better than the non-invariant ff", "ba-100x100-p5", "inv-ff", "ff"},
      {"greedy-t is outperformed by the learned models", "ba-100x100-p5", "inv-ff-hist",
       "greedy-t"}};
  return target;
}

std::vector<Target> gmission_targets(const BaseGraph& graph, const std::vector<Size>& sizes) {
  Target fixed{"gmission", "gMission: distributions of optimality ratios", {}};
  Target vary{"gmission-var", "gMission-var: other workers in every instance", {}};
  Target permuted{"gmission-perm", "gMission-perm: workers in another order at test time", {}};
  for (const Size size : sizes) {
    fixed.tests.push_back(own_test(graph(size, "fixed"), kBaselines, kModels));
    vary.tests.push_back(own_test(graph(size, "vary"), kBaselines, kModels));
    if (size.u > 10) continue;
    const DataSpec data = graph(size, "permute");
    permuted.tests.push_back({data.name, data, kBaselines, trained(kModels, graph(size, "fixed")),
                              false, graph(size, "fixed")});
    permuted.tests.push_back(fixed.tests.back());
  }
  fixed.claims = {
      {"ff-hist is the best model where the workers are always the same", "gmission-10x30",
       "ff-hist", "inv-ff-hist"},
      {"history helps non-invariant models", "gmission-10x30", "ff-hist", "ff"},
      {"history helps invariant models", "gmission-10x30", "inv-ff-hist", "inv-ff"},
      {"reinforcement learning beats imitation", "gmission-10x30", "ff-hist", "ff-supervised"},
      {"learned models beat the tuned threshold", "gmission-10x30", "ff-hist", "greedy-t"},
      {"also at 100x100", "gmission-100x100", "ff-hist", "greedy-t"},
      {"inv-ff is exactly greedy at 100x100", "gmission-100x100", "inv-ff", "greedy", true}};
  vary.claims = {{"history helps invariant models", "gmission-var-10x60", "inv-ff-hist", "inv-ff"},
                 {"invariant models are better where workers vary, at 100x100",
                  "gmission-var-100x100", "inv-ff-hist", "ff-hist"}};
  permuted.claims = {
      {"the order does not matter to inv-ff-hist", "gmission-perm-10x30", "inv-ff-hist",
       "inv-ff-hist", true, "gmission-10x30"},
      {"nor to gnn-hist", "gmission-perm-10x30", "gnn-hist", "gnn-hist", true, "gmission-10x30"},
      {"ff-hist degrades", "gmission-10x30", "ff-hist", "ff-hist", false, "gmission-perm-10x30"},
      {"ff degrades", "gmission-10x30", "ff", "ff", false, "gmission-perm-10x30"},
      {"so inv-ff-hist beats ff-hist", "gmission-perm-10x30", "inv-ff-hist", "ff-hist"}};
  return {graph.needed_by(fixed), graph.needed_by(vary), graph.needed_by(permuted)};
}

Target transfer_target(const BaseGraph& graph, bool small) {
  Target target{"transfer", "Transfer: trained on small graphs, tested on large ones", {}};
  const DataSpec first = graph({10, 30}, "vary"), second = graph({10, 60}, "vary");
  std::vector<Training> learned = trained({"inv-ff", "inv-ff-hist", "gnn-hist"}, first);
  const auto more = trained({"inv-ff", "inv-ff-hist", "gnn-hist"}, second);
  learned.insert(learned.end(), more.begin(), more.end());
  const std::vector<Size> sizes =
      small ? std::vector<Size>{{10, 30}, {20, 60}}
            : std::vector<Size>{{10, 30}, {10, 60}, {20, 60}, {50, 100}, {100, 100}, {100, 200}};
  for (const Size size : sizes) {
    target.tests.push_back({"transfer-" + size.text(),
                            graph(size, "vary"),
                            {"greedy", kGreedyT},
                            learned,
                            false,
                            first});
  }
  target.claims = {
      {"inv-ff-hist transfers to graphs of similar |U|-to-|V| ratio", "transfer-20x60",
       "gmission-var-10x30/inv-ff-hist", "greedy-t"},
      {"and to 100x200", "transfer-100x200", "gmission-var-10x30/inv-ff-hist", "greedy-t"},
      {"gnn-hist does, too", "transfer-100x200", "gmission-var-10x30/gnn-hist", "greedy-t"},
      {"models without context transfer badly to 100x100", "transfer-100x100",
       "gmission-var-10x30/inv-ff-hist", "gmission-var-10x30/inv-ff"}};
  return graph.needed_by(target);
}

std::vector<Target> movielens_targets(const BaseGraph& graph, bool small) {
  Target fixed{"movielens", "MovieLens: distributions of optimality ratios", {}};
  Target vary{"movielens-var", "MovieLens-var: other movies in every instance", {}};
  for (const Size size :
       small ? std::vector<Size>{{10, 30}} : std::vector<Size>{{10, 30}, {10, 60}, {94, 100}}) {
    fixed.tests.push_back(own_test(graph(size, "fixed"), {"greedy"}, kModels));
    vary.tests.push_back(own_test(graph(size, "vary"), {"greedy"}, kModels));
  }
  fixed.claims = {
      {"models discover policies better than greedy", "movielens-10x30", "inv-ff-hist", "greedy"},
      {"ff-hist, too", "movielens-10x30", "ff-hist", "greedy"},
      {"history helps non-invariant models", "movielens-10x30", "ff-hist", "ff"},
      {"history helps invariant models", "movielens-10x30", "inv-ff-hist", "inv-ff"},
      {"reinforcement learning beats imitation", "movielens-10x30", "ff-hist", "ff-supervised"},
      {"gnn-hist, which knows the users, is best", "movielens-10x30", "gnn-hist", "inv-ff-hist"},
      {"also at 94x100", "movielens-94x100", "gnn-hist", "inv-ff-hist"},
      {"non-invariant models degrade at 94x100", "movielens-94x100", "inv-ff-hist", "ff-hist"}};
  vary.claims = {{"invariant models are slightly better where movies vary", "movielens-var-10x30",
                  "inv-ff-hist", "ff-hist"},
                 {"also at 10x60", "movielens-var-10x60", "inv-ff-hist", "ff-hist"}};
  return {graph.needed_by(fixed), graph.needed_by(vary)};
}

Target adwords_target(bool small) {
  Target target{"adwords", "Adwords: mean optimality ratios on two hard families", {}};
  const Words models = {"ff", "ff-hist", "inv-ff", "inv-ff-hist"};
  for (const char* family : {"thick-z", "triangular"}) {
    for (const Size size : {Size{10, 60}, Size{10, 100}}) {
      if (small && size.v > 60) continue;
      target.tests.push_back(own_test(hard(family, size), {"greedy", "msvv"}, models));
    }
  }
  // The columns of the paper's table, in its order.
  const Words columns = {"thick-z-10x60", "thick-z-10x100", "triangular-10x60",
                         "triangular-10x100"};
  const std::vector<std::pair<std::string, std::vector<double>>> rows = {
      {"greedy", {0.59, 0.58, 0.66, 0.66}}, {"msvv", {0.70, 0.70, 0.66, 0.66}},
      {"ff", {0.70, 0.70, 0.65, 0.65}},     {"ff-hist", {0.77, 0.71, 0.65, 0.65}},
      {"inv-ff", {0.70, 0.70, 0.66, 0.66}}, {"inv-ff-hist", {0.91, 0.91, 0.66, 0.66}}};
  for (const auto& [policy, means] : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      target.published.push_back({columns[i], policy, means[i]});
    }
  }
  target.claims = {
      {"inv-ff-hist discovers which node is which on thick-z", "thick-z-10x60", "inv-ff-hist",
       "msvv"},
      {"ff-hist beats the baselines on thick-z", "thick-z-10x60", "ff-hist", "msvv"},
      {"inv-ff converges to an existing policy", "thick-z-10x60", "inv-ff", "msvv", true},
      {"on triangular graphs nothing beats the baselines", "triangular-10x60", "inv-ff-hist",
       "msvv", true}};
  return target;
}

/// Figures made from results that other targets also have.
std::vector<Target> shared_targets(const BaseGraph& graph, const std::vector<Size>& sizes) {
  Target agreement{"agreement", "Agreement with the optimum and with greedy per time step", {}};
  for (const char* p : {"0.05", "0.2"}) {
    agreement.tests.push_back(own_test(er({10, 30}, p), kBaselines, kModels));
  }
  if (graph.available()) {
    for (const Size size : sizes) {
      agreement.tests.push_back(own_test(graph(size, "fixed"), kBaselines, kModels));
    }
  }
  Target curves{"curves", "Training curves on gMission 10x30", {}};
  curves.tests.push_back(own_test(graph({10, 30}, "fixed"), kBaselines, kModels));
  curves.curves = true;
  return {agreement, graph.needed_by(curves)};
}

}  // namespace

std::vector<Target> paper_targets(const std::filesystem::path& data, const std::string& scale) {
  const bool small = scale == "smoke";
  const std::vector<Size> sizes =
      small ? std::vector<Size>{{10, 30}} : std::vector<Size>{{10, 30}, {10, 60}, {100, 100}};
  const std::vector<const char*> densities =
      scale == "full" ? std::vector<const char*>{"0.05", "0.1", "0.15", "0.2"}
                      : std::vector<const char*>{"0.05", "0.2"};
  const BaseGraph gmission(data, "gmission", "workers"), movielens(data, "movielens", "movies");
  std::vector<Target> targets = {er_target(sizes, densities), ba_target(small)};
  const auto append = [&](std::vector<Target> more) {
    for (Target& target : more) targets.push_back(std::move(target));
  };
  append(gmission_targets(gmission, sizes));
  append({transfer_target(gmission, small)});
  append(movielens_targets(movielens, small));
  append({adwords_target(small)});
  append(shared_targets(gmission, sizes));
  return targets;
}

}  // namespace foresight
