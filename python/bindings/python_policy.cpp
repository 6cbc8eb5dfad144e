#include "python_policy.h"

#include <algorithm>
#include <limits>

#include "arguments.h"
#include "options.h"
#include <nanobind/stl/string.h>

#include "foresight/base/error.h"
#include "foresight/model/checkpoint.h"

namespace foresight::python {
namespace {

/// How errors begin.
std::string called(nb::handle policy) {
  return fmt::format("policy {}: ", shown(nb::getattr(policy, "name", policy)));
}

/// Only differences between scores count. Double can tell scores apart that float cannot, so the best
/// becomes 0 before they are rounded. NaN stays NaN.
void move_below_zero(std::span<const double> scores, std::span<float> row) {
  constexpr double kLowest = std::numeric_limits<float>::lowest();
  double best = -std::numeric_limits<double>::infinity();
  for (const double score : scores) best = std::max(best, score);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double below = scores[i] == best ? 0 : scores[i] - best;  // both may be infinite
    row[i] = static_cast<float>(below < kLowest ? kLowest : below);
  }
}

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
    const auto count = length_of(rows);
    if (!count) {
      reject_argument(called(policy) + "what score_batch returns", "a list of rows", rows);
    }
    if (*count != turns.size()) {
      fail(ErrorCode::kUsage, "{}score_batch gave scores for {} states instead of {}",
           called(policy), *count, turns.size());
    }
    for (std::size_t k = 0; k < turns.size(); ++k) {
      copy_row(policy, rows[k], turns[k], scores.row(k));
    }
  }

  void copy_row(nb::handle policy, const nb::object& given, const Turn& turn,
                std::span<float> row) {
    const auto length = length_of(given);
    if (!length) reject_argument(called(policy) + "scores", "a list or an array", given);
    if (*length != row.size()) {
      fail(ErrorCode::kUsage,
           "{}it gave {} scores at arrival {}; expected {}: of skipping, then of each of {} offers",
           called(policy), *length, turn.state->history().arrivals, row.size(), row.size() - 1);
    }
    given_.resize(row.size());
    copy_numbers(given, given_);
    move_below_zero(given_, row);
  }

  const PythonObject& object_;  // of the policy, which a batch keeps alive
  std::vector<nb::object> views_;
  std::vector<StateView*> pointers_;
  std::vector<double> given_;  // scores of one state
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
    const std::string text = text_argument("a policy", policy);
    given_ = Named{text, text};
  } else if (nb::hasattr(policy, "__fspath__")) {
    const std::string path = path_argument("a policy", policy).string();
    given_ = Named{path_text(path, policies()), path};
  } else if (nb::isinstance<TrainedModel>(policy)) {
    given_ = contestant_for(nb::cast<const TrainedModel&>(policy));
  } else if (is_policy(policy)) {
    given_ = Contestant{.name = text_argument("the name of a policy", policy.attr("name")),
                        .policy = std::make_shared<PythonPolicy>(nb::borrow(policy))};
  } else {
    reject_argument("a policy", "a spec, a path, a model, or derive from foresight.Policy", policy);
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
