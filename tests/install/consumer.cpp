// A project of its own: draws one instance, solves it in hindsight and plays greedy on it.
#include <cstdio>

#include "foresight/base/version.h"
#include "foresight/data/source.h"
#include "foresight/policy/play.h"
#include "foresight/solve/solver.h"

int main() {
  using namespace foresight;
  const auto problem = problems().make("e-obm");
  const Instance instance = sources().make("crowd(u=10,v=30)")->draw(1, 0);
  const double optimum = make_solver(*problem, {})->solve(instance).value;
  const auto greedy = policies().make("greedy");
  const double value = play(bind_instances(*problem, {&instance, 1}), *greedy, {})[0].value;
  std::printf("foresight %s: greedy reaches %.3f of the optimum\n", kVersion, value / optimum);
  return value > 0 && value <= optimum ? 0 : 1;
}
