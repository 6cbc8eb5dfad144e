#include "python_policy.h"

#include "options.h"
#include <nanobind/stl/string.h>

#include "foresight/base/error.h"
#include "foresight/model/checkpoint.h"

namespace foresight::python {
namespace {

class PythonBatch : public Batch {
 public:
  /// To be called with the interpreter's lock.
  PythonBatch(const PythonObject& object, nb::handle policy, std::span<const Opening> openings)
      : object_(object) {
    for (const Opening& opening : openings) {
      auto* view = new StateView;
      views_.push_back(nb::cast(view, nb::rv_policy::take_ownership));
      pointers_.push_back(view);
      view->market = nb::cast(MarketCopy(opening.market));
      view->memory = policy.attr("begin")(view->market);
    }
  }
  ~PythonBatch() override {
    const nb::gil_scoped_acquire acquired;
    views_.clear();
  }

  void score(std::span<const Turn> turns, Scores& scores) override {
    object_.use([&](nb::handle policy) { score(policy, turns, scores); });
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

  void score(nb::handle policy, std::span<const Turn> turns, Scores& scores) {
    nb::list states;
    for (const Turn& turn : turns) {
      pointers_[turn.episode]->state = turn.state;
      states.append(views_[turn.episode]);
    }
    const Closing closing{*this, turns};
    const nb::object rows = policy.attr("score_batch")(states);
    if (nb::len(rows) != turns.size()) {
      fail(ErrorCode::kUsage, "score_batch gave scores for {} states instead of {}", nb::len(rows),
           turns.size());
    }
    for (std::size_t k = 0; k < turns.size(); ++k) copy_row(rows[k], turns[k], scores.row(k));
  }

  static void copy_row(const nb::object& given, const Turn& turn, std::span<float> row) {
    if (nb::len(given) != row.size()) {
      fail(
          ErrorCode::kUsage,
          "a Python policy gave {} scores at arrival {}; expected {}: of skipping, then of each of "
          "{} offers",
          nb::len(given), turn.state->history().arrivals, row.size(), row.size() - 1);
    }
    copy_numbers(given, row);
  }

  const PythonObject& object_;  // of the policy, which a batch keeps alive
  std::vector<nb::object> views_;
  std::vector<StateView*> pointers_;
};

Contestant contestant_for(const TrainedModel& trained) {
  const auto source = trained.info.provenance.find("source");
  return {.name = trained.info.spec,
          .policy = trained.model,
          .model = trained.info.spec,
          .trained_on = source == trained.info.provenance.end() ? "" : source->second};
}

}  // namespace

std::unique_ptr<Batch> PythonPolicy::open(std::span<const Opening> openings) const {
  return object_.use(
      [&](nb::handle policy) { return std::make_unique<PythonBatch>(object_, policy, openings); });
}

bool is_policy(nb::handle object) {
  return nb::hasattr(object, "score_batch") && nb::hasattr(object, "begin");
}

GivenPolicy::GivenPolicy(nb::handle policy) {
  if (nb::isinstance<nb::str>(policy)) {
    const auto text = nb::cast<std::string>(policy);
    given_ = Named{text, text};
  } else if (nb::hasattr(policy, "__fspath__")) {
    const auto path = nb::cast<std::string>(nb::str(policy.attr("__fspath__")()));
    given_ = Named{path_text(path, policies()), path};
  } else if (nb::isinstance<TrainedModel>(policy)) {
    given_ = contestant_for(nb::cast<const TrainedModel&>(policy));
  } else if (is_policy(policy)) {
    given_ = Contestant{.name = nb::cast<std::string>(nb::str(policy.attr("name"))),
                        .policy = std::make_shared<PythonPolicy>(nb::borrow(policy))};
  } else {
    throw nb::type_error("a policy is a spec, a path, a model, or derives from foresight.Policy");
  }
}

Contestant GivenPolicy::contestant(const BoundDataset& data, Progress& progress) const {
  if (const auto* ready = std::get_if<Contestant>(&given_)) return *ready;
  const Named& named = std::get<Named>(given_);
  Contestant made = make_contestant(named.text, data, progress);
  made.name = named.name;
  return made;
}

}  // namespace foresight::python
