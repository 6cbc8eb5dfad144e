// A local search. It looks at one node at a time and lists the small changes that concern it: an
// arrival comes, an arrival leaves, or the node swaps one arrival with another node. Each changes
// the total gain and the node's load. The best set of up to four changes that fits the capacity is
// made.
//
// If no set helps, a chain is tried (ejection chains; Yagiura, Ibaraki and Glover, 2006). Its steps
// count the room that other nodes lose or gain at almost its price, as if it could be resold. So
// the node takes from others what it needs to be filled well. Then the node with the most valuable
// room does the same, and so on, until the total is better than before, or the chain is given up.
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "foresight/solve/budgets_internal.h"

namespace foresight {
namespace {

constexpr std::size_t kNone = PricedMatching::kNone;

// The most changes that are considered at one node: those that lose least.
constexpr std::size_t kMostChanges = 2048;

// Two nodes swap only those arrivals that lose least, so that a node has about this many swaps.
constexpr std::size_t kMostSwaps = 8192;

// Of those that fill the node and of those that free room, so many are combined two and two.
constexpr std::size_t kFewChanges = 32;
constexpr std::size_t kMostPartners = 8;   // that are tried with each two
constexpr std::size_t kMostAttempts = 16;  // sets that are tried before a node is left alone

constexpr int kMostRounds = 50;
constexpr int kChainLength = 8;
constexpr double kResale = 0.95;  // the part of its price that room is worth to a chain

// Improvements below this part of the value are rounding errors.
constexpr double kLeastImprovement = 1e-12;

class ExchangeSearch {
 public:
  explicit ExchangeSearch(PricedMatching& matching)
      : matching_(matching),
        graph_(matching.graph()),
        of_node_(graph_.num_fixed()),
        closed_(graph_.num_fixed(), false) {
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) of_node_[matching.node(e)].push_back(e);
  }

  void run(double enough, const Deadline& deadline) {
    const auto goes_on = [&] { return matching_.value() < enough && !deadline.passed(); };
    bool improved = true;
    for (int round = 0; round < kMostRounds && improved; ++round) {
      improved = false;
      for (std::size_t u = 0; u < of_node_.size(); ++u) {
        while (goes_on() && (improve_node(u) || improve_by_chain(u))) improved = true;
      }
    }
  }

 private:
  struct Move {
    std::size_t arrival = kNone;
    std::size_t edge = kNone;  // the new one, or none
  };
  struct Change {
    double load;  // of the node that is looked at
    double gain;
    Move first, second = {};
    double loss = 0;  // what it costs beyond the price of its load

    bool touches(std::size_t t) const { return first.arrival == t || second.arrival == t; }
    bool apart(const Change& other) const {
      return !other.touches(first.arrival) &&
             (second.arrival == kNone || !other.touches(second.arrival));
    }
  };
  struct Set {
    double load, gain;
    std::array<std::size_t, 2> changes;  // the second may be none
  };
  struct Pair {
    double gain;
    std::size_t first, second;  // sets; the second may be none
  };
  // An arrival of one node that could change to another node.
  struct Candidate {
    std::size_t other;
    double loss;
    Move move;
  };

  // What an edge of another node is worth: its gain, without what its room can be resold for.
  double worth(std::size_t e) const {
    return matching_.gain(e) - resale_ * (matching_.gain(e) - matching_.surplus(e));
  }

  double least() const { return kLeastImprovement * matching_.value(); }

  bool improve_node(std::size_t u) {
    resale_ = 0;
    matching_.forget_moves();
    list_changes(u);
    list_single_sets();
    if (make_best_pair(matching_.room(u))) return true;
    list_few_sets();
    return make_best_pair(matching_.room(u));
  }

  bool improve_by_chain(std::size_t u) {
    resale_ = kResale;
    matching_.forget_moves();
    chain_.clear();
    const double enough = matching_.value() + least();
    for (int length = 0; length < kChainLength && matching_.value() <= enough; ++length) {
      list_changes(u);
      list_few_sets();
      if (!make_best_pair(matching_.room(u))) break;
      chain_.push_back(u);
      closed_[u] = true;
      double most = 0;
      for (std::size_t k = 0; k < matching_.num_moves(); ++k) {
        if (matching_.left_by_move(k) == kSkip) continue;
        const std::size_t v = index(matching_.left_by_move(k));
        const double value = closed_[v] ? 0 : matching_.price(v) * matching_.room(v);
        if (value > most) std::tie(most, u) = std::tuple(value, v);
      }
      if (most == 0) break;
    }
    for (const std::size_t v : chain_) closed_[v] = false;
    if (matching_.value() > enough) return true;
    matching_.undo(0);
    return false;
  }

  void list_changes(std::size_t u) {
    const PricedMatching& m = matching_;
    changes_.clear();
    leaving_.clear();
    coming_.clear();
    for (const std::size_t e : of_node_[u]) {
      const std::size_t t = index(graph_.edges[e].arrival);
      const std::size_t now = m.edge_of(t);
      if (now != e) {
        if (now != kNone && closed_[m.node(now)]) continue;
        changes_.push_back({m.cost(e), m.gain(e) - worth(now), {t, e}});
        if (now != kNone) coming_.push_back({m.node(now), m.surplus(now) - m.surplus(e), {t, e}});
        continue;
      }
      changes_.push_back({-m.cost(e), -m.gain(e), {t, kNone}});
      for (std::size_t other = graph_.first[t]; other < graph_.first[t + 1]; ++other) {
        if (other == e) continue;
        if (m.fits(other)) {
          changes_.push_back({-m.cost(e), worth(other) - m.gain(e), {t, other}});
        }
        leaving_.push_back({m.node(other), m.surplus(e) - m.surplus(other), {t, other}});
      }
    }
    list_swaps();
    keep_least_losses(u);
  }

  void list_swaps() {
    const auto by_node_and_loss = [](const Candidate& a, const Candidate& b) {
      return std::tie(a.other, a.loss, a.move.edge) < std::tie(b.other, b.loss, b.move.edge);
    };
    std::sort(leaving_.begin(), leaving_.end(), by_node_and_loss);
    std::sort(coming_.begin(), coming_.end(), by_node_and_loss);
    const double nodes = static_cast<double>(of_node_.size());
    const auto most = static_cast<std::ptrdiff_t>(std::ceil(std::sqrt(kMostSwaps / nodes)));
    auto out = leaving_.begin();
    auto in = coming_.begin();
    while (out != leaving_.end() && in != coming_.end()) {
      if (out->other != in->other) {
        out->other < in->other ? ++out : ++in;
        continue;
      }
      const auto is_other = [other = out->other](const Candidate& c) { return c.other == other; };
      const auto out_end = std::find_if_not(out, leaving_.end(), is_other);
      const auto in_end = std::find_if_not(in, coming_.end(), is_other);
      for (auto a = out; a != out_end && a - out < most; ++a) {
        for (auto b = in; b != in_end && b - in < most; ++b) add_swap(a->move, b->move);
      }
      out = out_end;
      in = in_end;
    }
  }

  void add_swap(const Move& leaves, const Move& comes) {
    const PricedMatching& m = matching_;
    const std::size_t from = m.edge_of(leaves.arrival), to = m.edge_of(comes.arrival);
    if (m.cost(leaves.edge) - m.cost(to) > m.room(m.node(to))) return;
    const double gain = worth(leaves.edge) - m.gain(from) + m.gain(comes.edge) - worth(to);
    changes_.push_back({m.cost(comes.edge) - m.cost(from), gain, leaves, comes});
  }

  // Changes help together only if they lose less than the room is worth.
  void keep_least_losses(std::size_t u) {
    std::array<double, 3> lowest = {0, 0, 0};  // what three others can make good
    for (Change& change : changes_) {
      change.loss = matching_.price(u) * change.load - change.gain;
      if (change.loss >= lowest[2]) continue;
      lowest[2] = change.loss;
      std::sort(lowest.begin(), lowest.end());
    }
    const double limit =
        matching_.price(u) * matching_.room(u) - lowest[0] - lowest[1] - lowest[2] + least();
    std::erase_if(changes_, [&](const Change& change) { return change.loss > limit; });
    const std::size_t kept = std::min(changes_.size(), kMostChanges);
    std::partial_sort(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(kept),
                      changes_.end(), [](const Change& a, const Change& b) {
                        return std::tie(a.loss, a.first.edge, a.second.edge, a.first.arrival) <
                               std::tie(b.loss, b.first.edge, b.second.edge, b.first.arrival);
                      });
    changes_.resize(kept);
  }

  void list_single_sets() {
    sets_.clear();
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      sets_.push_back({changes_[i].load, changes_[i].gain, {i, kNone}});
    }
  }

  void list_few_sets() {
    sets_.clear();
    few_.clear();
    std::size_t filling = 0, freeing = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const Change& change = changes_[i];
      if (++(change.load > 0 ? filling : freeing) > kFewChanges) continue;
      sets_.push_back({change.load, change.gain, {i, kNone}});
      for (const std::size_t k : few_) {
        const Change& other = changes_[k];
        if (!change.apart(other)) continue;
        sets_.push_back({change.load + other.load, change.gain + other.gain, {i, k}});
      }
      few_.push_back(i);
    }
  }

  bool apart(const Set& a, const Set& b) const {
    for (const std::size_t i : a.changes) {
      for (const std::size_t k : b.changes) {
        if (i != kNone && k != kNone && !changes_[i].apart(changes_[k])) return false;
      }
    }
    return true;
  }

  // For every set, a good partner among those that still fit: the one that gains most, or one that
  // fills the room well.
  void list_pairs(double room) {
    std::sort(sets_.begin(), sets_.end(), [](const Set& a, const Set& b) {
      return std::tie(a.load, a.gain, a.changes) < std::tie(b.load, b.gain, b.changes);
    });
    best_.resize(sets_.size());
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      best_[i] = i > 0 && sets_[best_[i - 1]].gain >= sets_[i].gain ? best_[i - 1] : i;
    }
    pairs_.clear();
    std::size_t partners = sets_.size();
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const Set& set = sets_[i];
      if (set.load <= room && set.gain > least()) pairs_.push_back({set.gain, i, kNone});
      while (partners > 0 && sets_[partners - 1].load > room - set.load) --partners;
      Pair pair = {least(), i, kNone};
      const auto consider = [&](std::size_t k) {
        const double gain = set.gain + sets_[k].gain;
        if (gain > pair.gain && apart(set, sets_[k])) pair = {gain, i, k};
      };
      if (partners > 0) consider(best_[partners - 1]);
      for (std::size_t k = partners; k > 0 && k + kMostPartners > partners; --k) consider(k - 1);
      if (pair.second != kNone) pairs_.push_back(pair);
    }
  }

  // Two changes may need the same room of another node. Then the next best pair is tried.
  bool make_best_pair(double room) {
    list_pairs(room);
    const std::size_t attempts = std::min(pairs_.size(), kMostAttempts);
    std::partial_sort(pairs_.begin(), pairs_.begin() + static_cast<std::ptrdiff_t>(attempts),
                      pairs_.end(), [](const Pair& a, const Pair& b) {
                        return std::tie(b.gain, a.first, a.second) <
                               std::tie(a.gain, b.first, b.second);
                      });
    const std::size_t before = matching_.num_moves();
    for (std::size_t k = 0; k < attempts; ++k) {
      make(pairs_[k].first);
      if (pairs_[k].second != kNone) make(pairs_[k].second);
      if (matching_.fits_since(before)) return true;
      matching_.undo(before);
    }
    return false;
  }

  void make(std::size_t set) {
    for (const std::size_t i : sets_[set].changes) {
      if (i == kNone) continue;
      for (const Move& move : {changes_[i].first, changes_[i].second}) {
        if (move.arrival != kNone) matching_.move(move.arrival, move.edge);
      }
    }
  }

  PricedMatching& matching_;
  const BudgetGraph& graph_;
  std::vector<std::vector<std::size_t>> of_node_;  // per node: its edges
  std::vector<char> closed_;                       // per node: gives no arrival to others
  double resale_ = 0;  // the part of its price that the room of other nodes is worth
  std::vector<Candidate> leaving_, coming_;
  std::vector<Change> changes_;    // by rising loss
  std::vector<Set> sets_;          // by rising load
  std::vector<std::size_t> best_;  // per set: which of those up to here gains most
  std::vector<Pair> pairs_;        // in no order
  std::vector<std::size_t> few_, chain_;
};

}  // namespace

void improve_by_exchanges(PricedMatching& matching, double enough, const Deadline& deadline) {
  ExchangeSearch(matching).run(enough, deadline);
}

}  // namespace foresight
