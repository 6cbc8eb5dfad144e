#include "foresight/auto/auto.h"

#include <chrono>

#include <nlohmann/json.hpp>

#include "foresight/auto/auto_json_internal.h"
#include "foresight/auto/candidates_internal.h"
#include "foresight/auto/ground_internal.h"
#include "foresight/auto/standing_internal.h"
#include "foresight/base/atomic_file.h"
#include "foresight/base/error.h"
#include "foresight/base/files.h"
#include "foresight/base/folder_lock.h"
#include "foresight/base/format.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/mapped_file.h"
#include "foresight/model/resolve.h"
#include "foresight/rules/optimal_online.h"
#include "foresight/rules/saved_rule.h"
#include "foresight/train/run_size.h"

namespace foresight {
namespace {

/// A search takes about so long on two cores, if nobody says how long.
constexpr double kUsualMinutes = 10;

/// How the minutes are shared among the rounds of training. What is left over is for the rules, for
/// the optima and for the table.
struct Round {
  double share;
  int epochs;
  std::size_t contenders;  // at most
  double catch_up;         // who was behind the best by more than this, beyond doubt, is out
};
constexpr Round kRounds[] = {
    {0.25, 8, 100, 1}, {0.2, 10, 3, 0.02}, {0.2, 12, 2, 0.003}, {0.2, 12, 2, 0.002}};

/// Every round sees other instances, in another order.
constexpr std::uint64_t kSeedsPerRound = 1'000'000;

/// A round in which nobody gains more than this does not pay, and is the last one.
constexpr double kWorthIt = 0.0005;

/// A candidate whose shortest run takes so many times its share is not tried, unless it is short.
constexpr double kMostOver = 1.5, kShortMinutes = 0.2;

/// A rule must be tuned and judged in this share of the minutes, but has at least so many seconds.
constexpr double kRuleShare = 0.05, kRuleSeconds = 20;

/// Who earns so much of the optimum cannot be bettered.
constexpr double kOptimal = 0.99995;

/// Ends what takes longer than so many seconds.
class Deadline : public Progress {
 public:
  Deadline(Progress& inner, double seconds)
      : inner_(inner), end_(Clock::now() + std::chrono::duration<double>(seconds)) {}

  void begin(std::string_view what, std::int64_t total, std::string_view unit) override {
    inner_.begin(what, total, unit);
  }
  void end() override { inner_.end(); }
  void advance(std::int64_t steps) override { inner_.advance(steps); }
  void note(std::string_view text) override { inner_.note(text); }
  bool cancelled() const override { return inner_.cancelled() || Clock::now() > end_; }

 private:
  using Clock = std::chrono::steady_clock;
  Progress& inner_;
  std::chrono::time_point<Clock, std::chrono::duration<double>> end_;
};

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// The files of a run that are copied to keep it.
constexpr const char* kPolicyFiles[] = {"config.json", "metrics.csv", "timing.csv",
                                        "best.safetensors", "last.safetensors"};

class Search {
 public:
  Search(const RunOptions& options, Progress& progress, const EpochObserver& observer)
      : options_(options),
        progress_(progress),
        observer_(observer),
        lock_(options.folder),
        asked_(settings()) {
    claim_folder();
    ground_.emplace(prepare_ground(options_, progress_));
    judge_.emplace(ground_->choose, options_.threads);
  }

  AutoResult run() {
    try_rules();
    train_models();
    return conclude();
  }

 private:
  // -------------------------------------------------------------- the folder

  static std::string digest_of(const std::string& text, const std::optional<Dataset>& own) {
    if (own) return own->content_digest(/*with_labels=*/false);
    if (text.empty()) return {};
    const auto data = open_data(text);
    if (const auto* source = std::get_if<BoundSource>(&data)) return source->digest();
    return std::get<BoundDataset>(data).content_digest(/*with_labels=*/false);
  }

  static std::string canonical(const std::string& text) {
    return sources().knows(text) ? sources().canonical(text) : std::string();
  }

  nlohmann::ordered_json settings() const {
    return {{"train", canonical(options_.train)},
            {"train_digest", digest_of(options_.train, options_.train_data)},
            {"validation", canonical(options_.validation)},
            {"validation_digest", digest_of(options_.validation, options_.validation_data)},
            {"validation_instances", options_.validation_instances},
            {"horizon", options_.horizon},
            {"units", options_.units},
            {"augment", options_.augment},
            {"setback", options_.setback},
            {"minutes", minutes()},
            {"seed", options_.seed}};
  }

  double minutes() const { return options_.minutes > 0 ? options_.minutes : kUsualMinutes; }

  void claim_folder() const {
    const auto refuse = [&](const std::string& why) {
      fail(ErrorCode::kUsage, "{}: {}", options_.folder.string(), why);
    };
    if (is_auto_folder(options_.folder)) {
      if (!options_.resume) {
        refuse("this folder holds a search already; resume it, or use another folder");
      }
      const std::string difference = auto_difference(options_.folder, asked_);
      if (!difference.empty()) {
        refuse("the search cannot be resumed with other settings: " + difference);
      }
      return;
    }
    for (auto above = std::filesystem::absolute(options_.folder).lexically_normal().parent_path();
         above.has_relative_path(); above = above.parent_path()) {
      if (is_auto_folder(above)) {
        refuse(fmt::format("{} holds a search, and this folder is inside it", above.string()));
      }
    }
    if (is_run_folder(options_.folder)) {
      refuse("this folder holds a run of one model, which auto would replace; give another folder");
    }
    begin_auto(options_.folder, asked_);
  }

  // -------------------------------------------------------------- rules

  /// Rules that solve programs while they decide are judged on so many instances only.
  std::size_t affordable(const Policy& rule) const {
    const std::size_t all = ground_->choose.size();
    if (!rule.solves()) return all;
    constexpr double kFewest = 10, kWorkPerMinute = 1.5e6, kHopeless = 0.2;
    const InstanceSize size = size_of(ground_->examples);
    const double nodes = ground_->examples.front().market().num_fixed;
    const double work = std::max(1.0, size.arrivals * size.arrivals * nodes);
    const double count = minutes() * kWorkPerMinute / work;
    if (count < kHopeless) fail(ErrorCode::kCancelled, "it would take too long");
    return static_cast<std::size_t>(std::min(std::max(kFewest, count), static_cast<double>(all)));
  }

  double rule_seconds() const { return std::max(kRuleSeconds, 60 * kRuleShare * minutes()); }

  /// Greedy is never too slow: it is what all are compared with.
  Standing try_rule(const RuleCandidate& rule) {
    const BoundDataset& data = ground_->choose;
    Deadline deadline(progress_, rule_seconds());
    Progress& limited = rule.name == "greedy" ? progress_ : deadline;
    const auto policy = resolve(rule.spec, data.problem(), data.schema(), limited).policy;
    Standing standing = judge_->judge(rule.name, rule.spec, *policy, affordable(*policy), limited);
    standing.rule = policy;
    return standing;
  }

  void try_rules() {
    for (const RuleCandidate& rule : rule_candidates(ground_->past)) {
      try {
        rules_.push_back(try_rule(rule));
      } catch (const Error& error) {
        if (progress_.cancelled() || error.code() == ErrorCode::kIo) throw;
        if (error.code() == ErrorCode::kCancelled) {
          result_.notes.push_back(fmt::format("{} was not tried: it takes more than {}", rule.name,
                                              human_duration(rule_seconds())));
        } else if (error.code() != ErrorCode::kUsage || learns_from_past(rule.name)) {
          result_.notes.push_back(fmt::format("{} was left out: {}", rule.name,
                                              without_prefix(error.what(), rule.spec + ": ")));
        }  // one that wants other options than past instances is no candidate
      } catch (const std::exception& error) {  // of a rule that a user registered
        result_.notes.push_back(fmt::format("{}: {}", rule.name, error.what()));
      }
    }
    std::ranges::stable_sort(rules_, better);
    // One that was judged on few instances may be lucky there. To come first it must be better beyond
    // doubt.
    const auto rest = std::ranges::stable_partition(
        rules_, [&](const Standing& rule) { return judge_->judged_on_all(rule); });
    for (const Standing& rule : rest) {
      result_.notes.push_back(fmt::format("{} was judged on {} instances only: {:+.4f} to greedy",
                                          rule.name, rule.ratios.size(), rule.lead));
    }
    if (!rest.empty() && clearly_ahead(rest.front(), rules_.front())) {
      std::ranges::rotate(rules_.begin(), rest.begin(), rest.begin() + 1);
    }
  }

  // -------------------------------------------------------------- models

  struct Contender {
    LearnedCandidate candidate;
    double shortest = 0;  // about so many minutes take a run of the first round at least
    Standing best = {};   // of its runs so far
  };

  void train_models() {
    std::vector<Contender> contenders = find_contenders();
    int number = 0;
    for (const Round& round : kRounds) {
      ++number;
      leave_the_best(contenders, round);
      if (contenders.empty()) return;
      const double each = minutes() * round.share / static_cast<double>(contenders.size());
      double gained = 0;
      std::erase_if(contenders, [&](Contender& contender) {
        const double before = contender.best.lead;
        if (!train_round(contender, number, each, round.epochs)) return true;
        gained = std::max(gained, contender.best.lead - before);
        enter(contender);
        return false;
      });
      if (number > 1 && gained < kWorthIt) return;
    }
  }

  /// Those who can take part. Whoever is too large for its share of the time leaves it to the others.
  std::vector<Contender> find_contenders() {
    std::vector<Contender> contenders;
    for (LearnedCandidate& candidate :
         learned_candidates(bind_instances(ground_->choose.problem(), ground_->examples))) {
      constexpr double kNoTime = 1e-9;
      Contender contender{std::move(candidate)};
      const bool fits = try_training(contender.candidate.name, [&] {
        const Round& first = kRounds[0];
        const RunOptions run = run_of(contender, 1, kNoTime, first.epochs);
        anew_if_damaged(run, [&] { contender.shortest = sized(run, progress_).minutes; });
      });
      if (fits) contenders.push_back(std::move(contender));
    }
    while (!contenders.empty()) {
      const auto largest = std::ranges::max_element(contenders, {}, &Contender::shortest);
      const double each = minutes() * kRounds[0].share / static_cast<double>(contenders.size());
      if (largest->shortest <= std::max(kShortMinutes, kMostOver * each)) break;
      result_.notes.push_back(fmt::format("{} is too large here: its shortest run takes about {}",
                                          largest->candidate.name,
                                          human_duration(60 * largest->shortest)));
      contenders.erase(largest);
    }
    return contenders;
  }

  static void leave_the_best(std::vector<Contender>& contenders, const Round& round) {
    std::ranges::stable_sort(contenders, better, &Contender::best);
    if (contenders.size() > round.contenders) contenders.resize(round.contenders);
    if (contenders.empty() || contenders.front().best.policy.empty()) return;
    const Standing best = contenders.front().best;
    std::erase_if(contenders, [&](const Contender& contender) {
      return clearly_ahead(best, contender.best, round.catch_up);
    });
  }

  /// Enters the best run of every model.
  void enter(const Contender& contender) {
    Standing best = contender.best;
    best.name = contender.candidate.model;
    const auto of_model = std::ranges::find(models_, best.name, &Standing::name);
    if (of_model == models_.end()) {
      models_.push_back(std::move(best));
    } else if (better(best, *of_model)) {
      *of_model = std::move(best);
    }
  }

  /// A run of the candidate that takes so long, from where it was.
  RunOptions run_of(const Contender& contender, int number, double round_minutes,
                    int epochs) const {
    const LearnedCandidate& candidate = contender.candidate;
    RunOptions run = options_;
    run.model = candidate.model;
    run.trainer = candidate.trainer;
    run.train = ground_->train;
    run.train_data.reset();
    run.validation = ground_->watched.string();
    run.validation_data.reset();
    run.validation_instances = 0;
    run.folder = options_.folder / "candidates" / candidate.name / fmt::to_string(number);
    run.seed = options_.seed + kSeedsPerRound * static_cast<std::uint64_t>(number - 1);
    run.resume = true;
    run.minutes = round_minutes;
    run.epochs = epochs;
    if (!contender.best.policy.empty()) {
      run.start = contender.best.policy;
      run.trainer = gentler(candidate.model, candidate.trainer);
    }
    return run;
  }

  /// What is left of a run may be damaged. Then it is trained again, to the same result.
  template <typename Do>
  void anew_if_damaged(const RunOptions& run, const Do& action) {
    try {
      action();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kCancelled || !path_exists(run.folder)) throw;
      result_.notes.push_back(
          fmt::format("a run was damaged and is trained again: {}", error.what()));
      std::filesystem::remove_all(run.folder);
      action();
    }
  }

  /// False, with a note why, if a candidate cannot do this.
  template <typename Do>
  bool try_training(const std::string& name, const Do& action) {
    try {
      action();
      return true;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kCancelled || error.code() == ErrorCode::kIo) throw;
      result_.notes.push_back(fmt::format("{}: {}", name, error.what()));
      return false;
    }
  }

  /// Trains the candidate. False if it cannot take part.
  bool train_round(Contender& contender, int number, double round_minutes, int epochs) {
    const std::string name = fmt::format("{} (round {})", contender.candidate.name, number);
    const RunOptions run = run_of(contender, number, round_minutes, epochs);
    LabelledProgress labelled(progress_, name);
    const bool done = try_training(contender.candidate.name, [&] {
      anew_if_damaged(run, [&] { train(run, labelled, observer_); });
      Standing now = judge_->judge(name, run.folder.string(), progress_);
      if (contender.best.policy.empty() || better(now, contender.best)) {
        contender.best = std::move(now);
      }
    });
    return done || !contender.best.policy.empty();
  }

  // -------------------------------------------------------------- the end

  AutoResult conclude() {
    std::ranges::stable_sort(models_, better);
    if (rules_.empty() && models_.empty()) {
      fail(ErrorCode::kData, "nothing could be tried: {}",
           result_.notes.empty() ? "there is no policy for this data" : result_.notes.front());
    }
    const Standing& kept = choose();
    result_.is_rule = kept.rule != nullptr;
    result_.kept = kept.name;
    note_doubts();
    keep(kept);
    make_table();
    result_.advice = advice();
    for (const auto* standings : {&rules_, &models_}) {
      for (const Standing& one : *standings) {
        const bool is_run = standings == &models_;
        result_.tried.push_back(
            {one.name,
             is_run ? std::filesystem::path(one.policy).lexically_relative(options_.folder).string()
                    : one.policy,
             one.lead, one.ratios.size()});
      }
    }
    end_auto(options_.folder, asked_, result_);
    return std::move(result_);
  }

  /// The best rule that decides at once; null if there is none.
  const Standing* quick_rule() const {
    const auto found =
        std::ranges::find_if(rules_, [](const Standing& rule) { return !rule.rule->solves(); });
    return found == rules_.end() ? nullptr : &*found;
  }

  /// Who is kept. A rule is simpler than a model, so a model must be ahead of it beyond doubt. A rule that
  /// solves programs while it decides is slower than all others, so it must be ahead of them.
  const Standing& choose() const {
    const Standing* kept = quick_rule();
    if (!models_.empty() && (!kept || clearly_ahead(models_.front(), *kept))) {
      kept = &models_.front();
    }
    for (const Standing& rule : rules_) {
      if (rule.rule->solves() && (!kept || clearly_ahead(rule, *kept))) return rule;
    }
    return *kept;
  }

  void note_doubts() {
    constexpr std::size_t kFew = 20;
    const std::size_t all = ground_->choose.size();
    if (all < kFew) {
      result_.notes.push_back(fmt::format(
          "instances to choose by: {}; with so few, only large differences are beyond doubt", all));
    }
  }

  /// The folder becomes the policy. What a search kept before must not outlive it.
  void keep(const Standing& kept) const {
    for (const char* name : kPolicyFiles) {
      const auto file = std::filesystem::path(kept.policy) / name;
      const auto copy = options_.folder / name;
      if (!result_.is_rule && path_exists(file)) {
        write_file_atomically(copy, MappedFile(file).text());
      } else {
        std::filesystem::remove(copy);
      }
    }
    if (result_.is_rule) {
      save_rule(kept.name, Dataset::load(ground_->past), options_.folder / "best.safetensors");
    }
  }

  /// The best possible policy, where the law of the arrivals is known and one small table says it all.
  std::shared_ptr<const Policy> find_ceiling() const {
    if (!ground_->source || !ground_->judge) return nullptr;
    const Problem& problem = ground_->choose.problem();
    const Market& market = ground_->examples.front().market();
    if (!same_nodes(bind_instances(problem, ground_->examples))) return nullptr;
    try {
      constexpr double kMostStates = 1 << 16;
      const ArrivalLaw law = known_law(*ground_->source, market);
      if (online_states(problem, market, law).count > kMostStates) return nullptr;
      return make_policy(solve_online(*ground_->source, market, options_.threads, progress_));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kCancelled) throw;
      return nullptr;  // it is not known, or not so simple
    }
  }

  /// Greedy, the tuned threshold, the three best rules, the best run of every model, and the ceiling.
  void make_table() {
    constexpr std::size_t kShownRules = 3;
    const BoundDataset& data = ground_->judge ? *ground_->judge : ground_->choose;
    std::vector<Contestant> contestants;
    const auto add = [&](const Standing& standing) {
      if (std::ranges::find(contestants, standing.name, &Contestant::name) != contestants.end()) {
        return;
      }
      Contestant contestant{standing.name, standing.rule, standing.name};
      if (!standing.rule) contestant = make_contestant(standing.policy, data, progress_);
      contestant.name = standing.name;
      contestants.push_back(std::move(contestant));
    };
    for (const char* always : {"greedy", "greedy-t"}) {
      const auto found = std::ranges::find(rules_, always, &Standing::name);
      if (found != rules_.end()) add(*found);
    }
    for (std::size_t i = 0; i < std::min(kShownRules, rules_.size()); ++i) {
      if (judge_->judged_on_all(rules_[i]) || rules_[i].name == result_.kept) add(rules_[i]);
    }
    for (const Standing& model : models_) add(model);
    if (auto ceiling = find_ceiling()) {
      contestants.push_back({"optimal-online", std::move(ceiling), "optimal-online"});
    }
    result_.fresh = ground_->judge.has_value();
    result_.evaluation =
        evaluate(data, contestants, {.threads = options_.threads, .episodes = 2}, progress_);
    result_.evaluation.command = options_.command;
  }

  std::string advice() const {
    const PolicyResult& kept = result_.kept_result();
    const PolicyResult& greedy = result_.evaluation.policies.front();
    const std::string time = fmt::format("; 99 of 100 decisions take at most {}.",
                                         human_duration(1e-6 * kept.p99_microseconds));
    if (kept.name == greedy.name && kept.ratio.mean >= kOptimal) {
      return fmt::format(
          "Use greedy: it earns {:.4f} of the optimum, so there is nothing to learn here{}",
          kept.ratio.mean, time);
    }
    const auto against = [&](const Standing* other) {
      const PolicyResult* result = other ? result_.find(other->name) : nullptr;
      return result && result != &kept ? fmt::format("{}, {:.4f}", other->name, result->ratio.mean)
                                       : std::string();
    };
    std::string text =
        fmt::format("Use {}: it earns {:.4f} of the optimum", kept.name, kept.ratio.mean);
    if (kept.name != greedy.name && greedy.mean_value > 0) {
      text += fmt::format(", {:.1f} % {} than greedy",
                          100 * std::abs(kept.mean_value / greedy.mean_value - 1),
                          kept.mean_value < greedy.mean_value ? "less" : "more");
    }
    if (!result_.is_rule) {
      const std::string rule = against(quick_rule());
      if (!rule.empty() && quick_rule()->name != greedy.name)
        text += fmt::format(" (best rule: {})", rule);
    } else if (models_.empty()) {
      text += "; no model could be trained";
    } else {
      text += fmt::format("; no model was better beyond doubt (the best: {})",
                          against(&models_.front()));
    }
    return text + time;
  }

  RunOptions options_;
  Progress& progress_;
  const EpochObserver& observer_;
  FolderLock lock_;
  nlohmann::ordered_json asked_;
  std::optional<Ground> ground_;
  std::optional<Judge> judge_;
  std::vector<Standing> rules_;   // the best first, once all are tried
  std::vector<Standing> models_;  // the best run of each
  AutoResult result_;
};

}  // namespace

const PolicyResult* AutoResult::find(const std::string& name) const {
  const auto found = std::ranges::find(evaluation.policies, name, &PolicyResult::name);
  return found == evaluation.policies.end() ? nullptr : &*found;
}

std::vector<std::string> remarks(const AutoResult& found) {
  std::vector<std::string> all = {found.advice};
  if (!found.fresh) {
    all.push_back(
        "The policy was chosen on these instances, so judge it on others before you use it.");
  }
  for (const std::string& note : found.notes) all.push_back("Note: " + note);
  return all;
}

AutoResult train_auto(const RunOptions& options, Progress& progress,
                      const EpochObserver& observer) {
  check(options, "train");
  for (const auto& [given, what] :
       {std::pair(!options.trainer.empty(), "trainer"), std::pair(options.epochs > 0, "epochs"),
        std::pair(options.instances > 0, "instances"), std::pair(options.patience > 0, "patience"),
        std::pair(!options.start.empty(), "start")}) {
    if (given) {
      fail(ErrorCode::kUsage,
           "train: auto chooses the {} itself; leave it out (minutes say how long to search)",
           what);
    }
  }
  if (options.folder.string().find('"') != std::string::npos) {
    fail(ErrorCode::kUsage,
         "{}: a folder's name must not hold quotation marks, because specs "
         "of rules name files in it",
         options.folder.string());
  }
  check_ground(options);
  return Search(options, progress, observer).run();
}

}  // namespace foresight
