#include "python_policy.h"

#include <mutex>

#include <nanobind/stl/string.h>

#include "foresight/base/error.h"
#include "foresight/model/checkpoint.h"

namespace foresight::python {

struct PythonPolicy::Shared {
  nb::object policy;
  bool budgets;
  // Taken before the interpreter's lock: that one changes hands in the middle of Python code, and a
  // policy that keeps something in `self` must not notice.
  std::mutex mutex;
};

namespace {

class PythonBatch : public Batch {
 public:
  PythonBatch(nb::object policy, std::mutex& mutex, bool budgets, std::span<const Opening> openings)
      : policy_(std::move(policy)), mutex_(mutex) {
    for (const Opening& opening : openings) {
      auto* view = new StateView;
      views_.push_back(nb::cast(view, nb::rv_policy::take_ownership));
      pointers_.push_back(view);
      view->budgets = budgets;
      view->market = nb::cast(MarketCopy(opening.market));
      view->memory = policy_.attr("begin")(view->market);
    }
  }
  ~PythonBatch() override {
    const nb::gil_scoped_acquire acquired;
    views_.clear();
    policy_.reset();
  }

  void score(std::span<const Turn> turns, Scores& scores) override {
    const std::lock_guard lock(mutex_);
    const nb::gil_scoped_acquire acquired;
    nb::list states;
    for (const Turn& turn : turns) {
      pointers_[turn.episode]->state = turn.state;
      states.append(views_[turn.episode]);
    }
    const Closing closing{*this, turns};
    const nb::object rows = policy_.attr("score_batch")(states);
    if (nb::len(rows) != turns.size()) {
      fail(ErrorCode::kUsage, "score_batch gave scores for {} states instead of {}", nb::len(rows),
           turns.size());
    }
    for (std::size_t k = 0; k < turns.size(); ++k) copy_row(rows[k], turns[k], scores.row(k));
  }

 private:
  /// What Python kept of the states is of no use afterwards.
  struct Closing {
    PythonBatch& batch;
    std::span<const Turn> turns;
    ~Closing() {
      for (const Turn& turn : turns) batch.pointers_[turn.episode]->state = nullptr;
    }
  };

  static void copy_row(const nb::object& given, const Turn& turn, std::span<float> row) {
    const std::size_t size = nb::len(given);
    if (size != row.size()) {
      fail(
          ErrorCode::kUsage,
          "a Python policy gave {} scores at arrival {}; expected {}: of skipping, then of each of "
          "{} offers",
          size, turn.state->history().arrivals, row.size(), row.size() - 1);
    }
    nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu> values;
    if (nb::try_cast(given, values, false)) {
      std::copy_n(values.data(), size, row.begin());
      return;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const nb::object score = given[i];
      row[i] = static_cast<float>(PyFloat_AsDouble(score.ptr()));
      if (PyErr_Occurred()) throw nb::python_error();
    }
  }

  nb::object policy_;
  std::mutex& mutex_;
  std::vector<nb::object> views_;
  std::vector<StateView*> pointers_;
};

}  // namespace

PythonPolicy::PythonPolicy(nb::object policy, const Schema& schema)
    : shared_(std::make_shared<Shared>()) {
  shared_->policy = std::move(policy);
  shared_->budgets = schema.problem == "adwords";
}

PythonPolicy::~PythonPolicy() {
  const nb::gil_scoped_acquire acquired;
  shared_->policy.reset();
}

std::unique_ptr<Batch> PythonPolicy::open(std::span<const Opening> openings) const {
  const std::lock_guard lock(shared_->mutex);
  const nb::gil_scoped_acquire acquired;
  return std::make_unique<PythonBatch>(shared_->policy, shared_->mutex, shared_->budgets, openings);
}

Contestant contestant(nb::handle policy, const Schema& schema) {
  if (nb::isinstance<nb::str>(policy) || nb::hasattr(policy, "__fspath__")) {
    return make_contestant(nb::cast<std::string>(nb::str(policy)), schema);
  }
  if (nb::isinstance<TrainedModel>(policy)) {
    const auto& trained = nb::cast<const TrainedModel&>(policy);
    const auto source = trained.info.provenance.find("source");
    return {trained.info.spec, trained.model, trained.info.spec,
            source == trained.info.provenance.end() ? "" : source->second};
  }
  if (!nb::hasattr(policy, "score_batch") || !nb::hasattr(policy, "begin")) {
    throw nb::type_error("a policy is a spec, a path, a model, or derives from foresight.Policy");
  }
  return {nb::cast<std::string>(nb::str(policy.attr("name"))),
          std::make_shared<PythonPolicy>(nb::borrow(policy), schema)};
}

}  // namespace foresight::python
