// Parity with the reference: a model whose parameters are set by the formula of the golden files
// must give the scores that the reference computed along a recorded episode.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/golden_episode.h"
#include <gtest/gtest.h>

#include "foresight/model/model.h"
#include "foresight/policy/play.h"

namespace foresight {

/// Scores may differ by 1e-5 of their size and of `size`.
inline void expect_golden_outputs(const GoldenEpisode& episode, const std::string& name,
                                  Model& model, double size) {
  Parameters parameters = model.parameters();
  double k = 0;
  for (const auto& tensor : episode.json["parameters"][name]) {
    const auto of = tensor[0].get<std::string>();
    const auto found = std::ranges::find(parameters.tensors(), of, &Parameters::Tensor::name);
    ASSERT_NE(found, parameters.tensors().end()) << of;
    EXPECT_EQ(found->shape, tensor[1].get<std::vector<std::size_t>>()) << of;
    const auto values = parameters[of];
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(0.3 * std::sin(0.7 * static_cast<double>(i) + k));
    }
    ++k;
  }
  ASSERT_EQ(static_cast<std::size_t>(k), parameters.tensors().size());
  model.set_parameters(parameters);

  const auto batch =
      model.begin(open_episodes(bind_instances(*episode.problem, {&episode.instance, 1}), {}));
  Scores scores;
  episode.replay([&](const State& state, const nlohmann::json&, int t) {
    const Turn turn{&state, 0};
    scores.resize({&turn, 1});
    batch->score({&turn, 1}, scores);
    if (state.offers().empty()) return;
    const auto& expected = episode.json["outputs"][name][static_cast<std::size_t>(t)];
    const auto row = scores.row(0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto node = i == 0 ? 0 : static_cast<std::size_t>(state.offers()[i - 1].node) + 1;
      const double wanted = expected[node].get<double>();
      EXPECT_NEAR(row[i], wanted, 1e-5 * (size + std::abs(wanted)))
          << name << " step " << t << " node " << node;
    }
  });
}

}  // namespace foresight
