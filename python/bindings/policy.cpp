// Playing policies, and learned models with their parameters.
#include "arguments.h"
#include "bindings.h"
#include "long_call.h"
#include "options.h"
#include "python_dataset.h"
#include "python_policy.h"
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "foresight/model/checkpoint.h"
#include "foresight/policy/play.h"

namespace foresight::python {
namespace {

/// The parameters by name, in the shape they have in PyTorch.
nb::dict parameters_of(nb::handle self) {
  const Parameters& parameters = nb::cast<const TrainedModel&>(self).model->parameters();
  nb::dict result;
  for (const Parameters::Tensor& tensor : parameters.tensors()) {
    result[tensor.name.c_str()] = nb::ndarray<nb::numpy, const float>(
        parameters.values().data() + tensor.offset, tensor.shape.size(), tensor.shape.data(), self);
  }
  return result;
}

struct PlayArguments {
  std::uint64_t seed = 0;
  int threads = 0;

  void read(OptionReader& o) {
    o.seed(seed);
    o.threads(threads);
  }
};

nb::tuple play_dataset(const PythonDataset& data, nb::handle policy, nb::handle sampled,
                       const nb::dict& given, nb::object show) {
  const bool sample = flag_argument("play: sample", sampled);
  const auto options = read_options<PlayArguments>("play", given);
  const GivenPolicy player(policy);
  LongCall call(std::move(show));
  const std::vector<Rollout> rollouts = call.run([&] {
    const Contestant contestant = player.contestant(data.bound(), call);
    call.begin("playing", static_cast<std::int64_t>(data.size()), "episodes");
    auto played = play(data.bound(), *contestant.policy,
                       {.decode = sample ? Decode::kSample : Decode::kArgmax, .seed = options.seed},
                       options.threads, call);
    call.end();
    return played;
  });
  std::vector<double> values;
  std::vector<NodeId> matchings;
  for (const Rollout& rollout : rollouts) {
    values.push_back(rollout.value);
    matchings.insert(matchings.end(), rollout.matching.begin(), rollout.matching.end());
  }
  return nb::make_tuple(array(std::move(values)), array(std::move(matchings)));
}

}  // namespace

void define_policy(nb::module_& module) {
  define_state(module);
  nb::class_<TrainedModel>(module, "Model", "A trained model: a policy with parameters.")
      .def_prop_ro(
          "spec", [](const TrainedModel& m) { return m.info.spec; }, DOC(ModelInfo_spec))
      .def_prop_ro("problem", [](const TrainedModel& m) { return m.info.context.schema.problem; })
      .def_prop_ro(
          "provenance", [](const TrainedModel& m) { return m.info.provenance; },
          "How it was trained: data, trainer, seed, epoch, ...")
      .def_prop_ro(
          "features", [](const TrainedModel& m) { return m.model->features(); },
          DOC(Model_features))
      .def_prop_ro(
          "parameters", &parameters_of,
          nb::sig("def parameters(self) -> dict[str, numpy.typing.NDArray[numpy.float32]]"),
          "The parameters by name, as read-only views.");
  module.def(
      "load_model",
      [](nb::handle path) { return load_model(path_argument("load_model: path", path)); },
      nb::arg("path").none(), nb::sig("def load_model(path: str | os.PathLike) -> Model"),
      DOC(load_model));
  module.def("play", &play_dataset,
             nb::sig("def play(data: Dataset, policy: object, sample: bool, options: dict, show: "
                     "object) -> tuple[numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.int32]]"),
             nb::arg("data"), nb::arg("policy").none(), nb::arg("sample").none(),
             nb::arg("options"), nb::arg("show").none(), DOC(play_many));
}

}  // namespace foresight::python
