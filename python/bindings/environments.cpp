#include "environments.h"

#include <algorithm>

#include "arguments.h"
#include "bindings.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "foresight/base/error.h"

namespace foresight::python {

Environments::Environments(const std::string& source, const std::string& problem, std::size_t count,
                           bool history)
    : source_(bind_source(source, problem)) {
  const NodeId num_fixed = source_.draw(0, 0).market().num_fixed;
  num_actions_ = static_cast<std::size_t>(num_fixed) + 1;
  features_.emplace(
      feature_options(source_.problem().traits(), source_.schema().capacities, history), num_fixed);
  episodes_.resize(count);
}

void Environments::reset(std::size_t i, std::optional<std::uint64_t> seed) {
  Episode& episode = episodes_[i];
  if (seed) {
    episode.seed = *seed;
    episode.next = 0;
  }
  const auto size = source_.size();
  const std::uint64_t index = size ? episode.next % *size : episode.next;
  ++episode.next;
  episode.state.reset();
  episode.instance = source_.draw(episode.seed, index);
  const Market& market = episode.instance.market();
  if (static_cast<std::size_t>(market.num_fixed) + 1 != num_actions_) {
    fail(ErrorCode::kUsage, "instance {} of {} has {} fixed nodes; an environment needs {} in all",
         index, source_.spec(), market.num_fixed, num_actions_ - 1);
  }
  if (episode.instance.num_arrivals() == 0) {
    fail(ErrorCode::kUsage, "instance {} of {} has no arrivals: there is nothing to decide", index,
         source_.spec());
  }
  episode.time = 0;
  episode.value = 0;
  episode.state.emplace(source_.problem(), market);
  episode.state->arrive(episode.instance.arrival(0));
}

Environments::Step Environments::step(std::size_t i, std::int64_t action) {
  Episode& episode = episodes_[i];
  if (!episode.state) fail(ErrorCode::kUsage, "the episode is over; call reset");
  State& state = *episode.state;
  const auto node = static_cast<NodeId>(action - 1);
  const bool possible =
      action > 0 && action < static_cast<std::int64_t>(num_actions_) &&
      std::ranges::any_of(state.offers(), [&](const Offer& offer) { return offer.node == node; });
  Step step;
  step.illegal = action != 0 && !possible;
  step.reward = static_cast<double>(state.decide(possible ? node : kSkip));
  episode.value = state.value();
  ++episode.time;
  step.terminated = episode.time == episode.instance.num_arrivals();
  if (step.terminated) {
    episode.state.reset();
  } else {
    state.arrive(episode.instance.arrival(episode.time));
  }
  return step;
}

void Environments::observe(std::size_t i, std::span<float> row) const {
  if (const auto& state = episodes_[i].state) {
    features_->fill(*state, row);
  } else {
    std::ranges::fill(row, 0.0F);
  }
}

void Environments::mask(std::size_t i, std::span<bool> row) const {
  std::ranges::fill(row, false);
  row[0] = true;
  if (!episodes_[i].state) return;
  for (const Offer& offer : episodes_[i].state->offers()) {
    row[static_cast<std::size_t>(offer.node) + 1] = true;
  }
}

namespace {

/// std::vector<bool> is not an array, so this is.
template <typename T>
auto array_of(std::unique_ptr<T[]> values, std::initializer_list<std::size_t> shape) {
  T* const data = values.release();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return make_array(data, shape, owner);
}

auto observations(const Environments& envs) {
  const std::size_t width = envs.width();
  auto values = std::make_unique<float[]>(envs.count() * width);
  for (std::size_t i = 0; i < envs.count(); ++i) envs.observe(i, {values.get() + i * width, width});
  return array_of(std::move(values), {envs.count(), width});
}

auto masks(const Environments& envs) {
  const std::size_t width = envs.num_actions();
  auto values = std::make_unique<bool[]>(envs.count() * width);
  for (std::size_t i = 0; i < envs.count(); ++i) envs.mask(i, {values.get() + i * width, width});
  return array_of(std::move(values), {envs.count(), width});
}

void make_environments(Environments* self, nb::handle source, nb::handle problem, nb::handle count,
                       nb::handle history) {
  new (self) Environments(text_argument("an environment's source", source),
                          text_argument("an environment's problem", problem),
                          whole_argument("num_envs", count, 1),
                          flag_argument("an environment's history", history));
}

/// Steps every environment; one whose episode was over begins the next one instead, if `restart`.
nb::tuple step_all(Environments& envs, const Values<std::int64_t>& actions, bool restart) {
  if (actions.size() != envs.count()) {
    fail(ErrorCode::kUsage, "{} actions are given for {} environments", actions.size(),
         envs.count());
  }
  auto rewards = std::make_unique<double[]>(envs.count());
  auto terminated = std::make_unique<bool[]>(envs.count());
  auto illegal = std::make_unique<bool[]>(envs.count());
  for (std::size_t i = 0; i < envs.count(); ++i) {
    Environments::Step step;
    if (restart && envs.over(i)) {
      envs.reset(i, std::nullopt);
    } else {
      step = envs.step(i, actions.data()[i]);
    }
    rewards[i] = step.reward;
    terminated[i] = step.terminated;
    illegal[i] = step.illegal;
  }
  return nb::make_tuple(array_of(std::move(rewards), {envs.count()}),
                        array_of(std::move(terminated), {envs.count()}),
                        array_of(std::move(illegal), {envs.count()}));
}

}  // namespace

void define_environments(nb::module_& module) {
  nb::class_<Environments>(module, "Environments")
      .def("__init__", &make_environments, nb::arg("source").none(), nb::arg("problem").none(),
           nb::arg("num_envs").none(), nb::arg("history").none())
      .def_prop_ro("num_actions", &Environments::num_actions)
      .def_prop_ro("width", &Environments::width)
      .def_prop_ro("feature_names", &Environments::feature_names)
      .def(
          "reset",
          [](Environments& envs, std::size_t i, nb::handle seed) {
            using Seed = std::optional<std::uint64_t>;
            envs.reset(i, seed.is_none() ? Seed() : Seed(whole_argument("reset: seed", seed)));
          },
          nb::arg("i"), nb::arg("seed").none(),
          nb::sig("def reset(self, i: int, seed: int | None) -> None"))
      .def("step", &step_all,
           nb::sig("def step(self, actions: numpy.typing.NDArray[numpy.int64], restart: bool) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.bool_], "
                   "numpy.typing.NDArray[numpy.bool_]]"),
           nb::arg("actions"), nb::arg("restart"))
      .def("value", &Environments::value, nb::arg("i"))
      .def("index", &Environments::index, nb::arg("i"))
      .def("observations", &observations)
      .def("masks", &masks);
}

}  // namespace foresight::python
