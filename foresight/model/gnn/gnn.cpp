#include "foresight/model/gnn/model.h"

namespace foresight {
namespace {

struct GnnOptions {
  int embed = 30;
  int hidden = 200;
  int layers = 2;
  int encoder = 1;

  void read(OptionReader& o) {
    o.integer("embed", embed, 1, 1'000, "length of an embedding");
    o.integer("hidden", hidden, 1, 10'000, "neurons per hidden layer of the decoder");
    o.integer("layers", layers, 1, 20, "hidden layers of the decoder");
    o.integer("encoder", encoder, 1, 10, "message-passing layers of the encoder");
  }
};

std::unique_ptr<Model> build(const GnnOptions& options, const ModelContext& context) {
  const double embed = options.embed, hidden = options.hidden;
  context.check_parameters(3 * options.encoder * embed * embed + 4 * embed * hidden +
                           (options.layers - 1) * hidden * hidden);  // and some more
  GnnShape shape{.inputs = NodeInputs(context),
                 .embed = static_cast<std::size_t>(options.embed),
                 .layers = static_cast<std::size_t>(options.encoder),
                 .hidden = std::vector(static_cast<std::size_t>(options.layers),
                                       static_cast<std::size_t>(options.hidden))};
  return shape.layers == 1 ? folded_gnn(std::move(shape)) : deep_gnn(std::move(shape));
}

}  // namespace

Entry<Architecture> gnn_hist_model() {
  return make_architecture<GnnOptions, build>(
      "gnn-hist", "one candidate at a time, with embeddings of the graph; any size and order",
      {"reinforce(lr=0.002,decay=0.99,beta=0.95,entropy=0.05)",
       // Several episodes per instance, as the other models have them, make it worse.
       TrainingPlan::Automatic{.variants = {"reinforce(schedule=cosine,entropy_end=0)"}}});
}

}  // namespace foresight
