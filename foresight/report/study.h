// A search for good hyper-parameters, recorded by foresight-tune: what was searched, and how every
// trial went. docs/formats.md lists the fields of the file.
//
//   const Study study = study_from_json(file.text(), "study.json");
//   study.best(1).front()->trainer;
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foresight {

struct Study {
  /// What is searched: a range of numbers (linear, logarithmic or whole numbers), or words.
  struct Parameter {
    std::string name;
    enum class Kind { kLinear, kLog, kInteger, kChoice } kind = Kind::kLinear;
    double low = 0, high = 0;
    std::vector<std::string> choices = {};
    std::optional<double> importance = {};  // its share in explaining the objective, if known
  };
  struct Trial {
    int number = 0;
    enum class State { kComplete, kPruned, kFailed } state = State::kComplete;
    double value = 0;  // best validation ratio; NaN for a failed trial
    int epochs = 0;    // trained
    double seconds = 0;
    std::string trainer;         // the spec that it tried
    std::vector<double> values;  // in the order of the parameters; a choice is given by its index

    /// The best value of the complete trials up to this one; NaN if there is none.
    double best_so_far = 0;
  };

  std::string name, model, train, command;
  int epochs = 0;  // of a trial that is not pruned
  std::vector<Parameter> parameters;
  std::vector<Trial> trials;  // by number

  /// At most this many complete trials, the best first.
  std::vector<const Trial*> best(std::size_t most) const;
  /// A value of a parameter as a person reads it.
  static std::string text(const Parameter& parameter, double value);
};

/// Is this the text of a study, not of something else in JSON?
bool is_study(std::string_view text);

/// Throws Error(kData) that names the file, the field and what is wrong with it.
Study study_from_json(std::string_view text, const std::string& file);

}  // namespace foresight
