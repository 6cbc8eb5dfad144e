// gnn-hist with several message-passing layers. The graph is embedded again at every arrival, and
// once more for the gradient. That is cheaper than keeping all embeddings of a rollout.
#include <algorithm>
#include <array>

#include "foresight/features/features.h"
#include "foresight/model/gnn/embedding.h"
#include "foresight/model/largest_input_internal.h"

namespace foresight {
namespace {

// The number of decisions whose graphs are embedded together: enough for whole tiles of the
// kernels, few enough for the cache. Where graphs are large, fewer are, so that memory grows only
// with the largest graph.
constexpr std::size_t kGroup = 8;
constexpr std::size_t kNodesOfGroup = 16'384;

class DeepGnn : public GnnModel {
 public:
  explicit DeepGnn(GnnShape model_shape) : GnnModel(std::move(model_shape)), network_(shape()) {}
  const DeepNetwork& deep() const { return network_; }

 private:
  void load(const Parameters& parameters) override { network_.load(parameters); }
  std::unique_ptr<GnnBatch> make_batch(MlpTape::Record record) const override;

  DeepNetwork network_;
};

class DeepBatch : public GnnBatch {
 public:
  DeepBatch(const DeepGnn& model, MlpTape::Record record)
      : GnnBatch(model.deep().decoder(), record),
        model_(model),
        network_(model.deep()),
        inputs_(model.shape().inputs),
        scalars_(model.shape().scalars()),
        embedding_(network_) {}

 private:
  void open(std::span<const Opening> openings) override {
    logs_.clear();
    for (const Opening& opening : openings) logs_.emplace_back(inputs_, opening.market);
  }

  // The logs stay: they hold every graph from the first arrival on.
  void forget() override {
    views_.clear();
    rows_.clear();
    candidates_.clear();
  }

  std::size_t bytes_of(std::size_t rows, std::size_t decisions) const override {
    return tape().bytes_of(rows, 0, PackedMlp::InputGradient::kYes) +
           rows * sizeof(candidates_[0]) + decisions * (sizeof(GraphView) + sizeof(Rows));
  }

  std::optional<Input> largest_input() const override {
    if (tape().rows() == 0) return std::nullopt;
    // The columns of features(): scalars, then the inputs of nodes without the constants 1. The
    // other columns on the tape are embeddings, which are outputs of a network.
    LargestInput largest;
    for (std::size_t row = 0; row < tape().rows(); ++row) {
      largest.add(tape().input(row).first(scalars_));
    }
    const std::size_t fixed = inputs_.fixed() - 1;
    for (const EpisodeLog& log : logs_) {
      for (std::size_t node = 0; node < log.fixed_nodes() + log.arrivals(); ++node) {
        const auto input = log.input(node);
        largest.add(input.first(fixed), scalars_);
        if (inputs_.one_embedding()) continue;
        largest.add(input.subspan(fixed + 1, inputs_.arrival() - 1), scalars_ + fixed);
      }
    }
    return Input{model_.features()[largest.column], largest.value};
  }

  void observe(const Turn& turn) override { logs_[turn.episode].observe(*turn.state); }

  void fill(std::span<const Turn> turns, std::span<const Rows> rows) override {
    const std::size_t begin = views_.size();
    candidates_.resize(tape().rows());
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (rows[i].count == 0) continue;
      const EpisodeLog& log = logs_[turns[i].episode];
      views_.push_back({&log, log.arrivals()});
      rows_.push_back(rows[i]);
      fill_scalars(*turns[i].state, rows[i].first);
    }
    for_each_group(begin, [&](std::size_t view, std::size_t row) {
      embedding_.fill(view, candidates_[row], tape().input(row).subspan(scalars_));
    });
  }

  void fill_scalars(const State& state, std::size_t first) {
    const EpisodeFeatures episode = inputs_.episode(state);
    const auto fill_row = [&](std::size_t row, const Offer& offer) {
      const float is_skip = offer.node == kSkip ? 1 : 0;
      candidates_[row] = static_cast<std::size_t>(offer.node + 1);
      // The mask is 0, because only candidates that can be chosen are scored.
      const auto scalars = tape().input(row);
      std::ranges::copy(std::array{offer.gain, episode.time, episode.value, is_skip, 0.0F},
                        scalars.begin());
      if (inputs_.costs) scalars[5] = offer.cost;
    };
    fill_row(first, {kSkip, 0, 0});
    for (const Offer& offer : state.offers()) fill_row(++first, inputs_.measured(offer));
  }

  void backward(Parameters& gradient) override {
    Parameters packed = network_.gradient();
    network_.decoder().backward(tape(), packed, PackedMlp::InputGradient::kYes);
    for_each_group(
        0,
        [&](std::size_t view, std::size_t row) {
          embedding_.take_gradient(view, candidates_[row],
                                   tape().input_gradient(row).subspan(scalars_));
        },
        [&] { embedding_.backward(packed); });
    network_.add_gradient(packed, gradient);
  }

  /// Embeds the graphs of the decisions from `begin` on, in groups. Calls `visit(view, row)` for
  /// each candidate, and `finish` after each group.
  template <typename Visit, typename Finish = void (*)()>
  void for_each_group(
      std::size_t begin, Visit&& visit, Finish&& finish = [] {}) {
    for (std::size_t count = 0; begin < views_.size(); begin += count) {
      std::size_t nodes = views_[begin].nodes();
      for (count = 1; count < std::min(kGroup, views_.size() - begin); ++count) {
        nodes += views_[begin + count].nodes();
        if (nodes > kNodesOfGroup) break;
      }
      embedding_.forward(std::span(views_).subspan(begin, count));
      for (std::size_t view = 0; view < count; ++view) {
        const auto [first, rows] = rows_[begin + view];
        for (std::size_t k = 0; k < rows; ++k) visit(view, first + k);
      }
      finish();
    }
  }

  const DeepGnn& model_;
  const DeepNetwork& network_;
  const NodeInputs& inputs_;
  std::size_t scalars_;
  GraphEmbedding embedding_;
  std::vector<EpisodeLog> logs_;
  std::vector<GraphView> views_;         // of every decision with a choice on the tape
  std::vector<Rows> rows_;               // its candidates
  std::vector<std::size_t> candidates_;  // the node of every row of the tape
};

std::unique_ptr<GnnBatch> DeepGnn::make_batch(MlpTape::Record record) const {
  return std::make_unique<DeepBatch>(*this, record);
}

}  // namespace

std::unique_ptr<Model> deep_gnn(GnnShape shape) {
  return std::make_unique<DeepGnn>(std::move(shape));
}

}  // namespace foresight
