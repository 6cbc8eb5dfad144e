// Display advertising: impressions arrive at a publisher's pages, and each goes to one advertiser
// whose contract has room, or to none. It is worth its quality for that advertiser. A folder holds
// two files per publisher, in the form that Balseiro, Feldman, Mirrokni and Muthukrishnan published
// with "Yield Optimization of Display Advertising with Ad Exchange" (2014):
//   pub5-ads.txt    advertiser: ID rho: SHARE
//   pub5-types.txt  type: ID prob: P advertisers: [ID, ...] mean: [M, ...] cov: [C, ...]
// A contract has round(SHARE x v) places. An impression is of a type with probability P, and nobody
// but the listed advertisers can take it. Its qualities are exp of a normal vector with this mean
// and covariance, which is given as the upper triangle, column by column: c11, c12, c22, c13, ...
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "foresight/base/digest.h"
#include "foresight/base/error.h"
#include "foresight/base/index.h"
#include "foresight/base/json_field_internal.h"
#include "foresight/base/mapped_file.h"
#include "foresight/base/rng.h"
#include "foresight/data/source.h"
#include "foresight/data/tables_internal.h"

namespace foresight {
namespace {

struct AdxOptions {
  std::string path;
  std::string publisher = "pub1";
  int v = 1000;

  void read(OptionReader& o) {
    o.path("path", path, "folder with the files of publishers");
    o.text("publisher", publisher, "which one; its files are PUBLISHER-ads.txt and -types.txt");
    o.integer("v", v, 1, kMaxNodes, "impressions per instance");
  }
};

/// A type of impression: who can take it, and how good it is for them.
struct ImpressionType {
  std::string name;
  double probability;
  std::vector<NodeId> advertisers;  // ascending
  std::vector<double> mean;         // of the logarithms of the qualities
  std::vector<double> factor;       // of their covariance, the lower triangle row by row
};

struct Publisher {
  Ids advertisers;
  std::vector<double> shares;
  std::vector<ImpressionType> types;
};

/// Reads lines of fields that are named: `name: value name: [value, value]`.
class FieldReader {
 public:
  explicit FieldReader(const std::filesystem::path& path) : file_(path), rest_(file_.text()) {}

  /// Moves to the next line that is not blank; false at the end.
  bool next() {
    do {
      if (rest_.empty()) return false;
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      ++number_;
    } while (line_.empty());
    return true;
  }

  /// A value without spaces.
  std::string_view text(std::string_view field) {
    begin(field);
    const std::string_view value = line_.substr(0, line_.find(' '));
    line_.remove_prefix(value.size());
    if (value.empty() || !is_utf8(value)) fail_at(field, value, "a word in UTF-8");
    return value;
  }

  double number(std::string_view field, double min) {
    const std::string_view value = text(field);
    return parse(field, value, min);
  }

  std::vector<std::string_view> list(std::string_view field) {
    begin(field);
    const std::size_t end = line_.find(']');
    if (!line_.starts_with('[') || end == std::string_view::npos) {
      fail_at(field, line_, "a list in brackets");
    }
    std::string_view inside = line_.substr(1, end - 1);
    line_.remove_prefix(end + 1);
    std::vector<std::string_view> values;
    while (!inside.empty()) {
      const std::size_t comma = std::min(inside.find(','), inside.size());
      values.push_back(inside.substr(0, comma));
      inside.remove_prefix(std::min(comma + 1, inside.size()));
      if (inside.starts_with(' ')) inside.remove_prefix(1);
    }
    return values;
  }

  std::vector<double> numbers(std::string_view field, std::size_t count) {
    std::vector<double> result;
    for (const std::string_view value : list(field)) {
      result.push_back(parse(field, value, std::numeric_limits<double>::lowest()));
    }
    if (result.size() == count) return result;
    fail_line(fmt::format("{} has {} numbers, expected {}", field, result.size(), count));
  }

  void end() const {
    if (!line_.empty())
      fail_line(fmt::format("expected the end of the line, got {}", excerpt(line_)));
  }

  std::size_t line() const { return number_; }

  [[noreturn]] void fail_at(std::string_view field, std::string_view value,
                            std::string_view expected) const {
    fail_line(fmt::format("{}: expected {}, got {}", field, expected, excerpt(value)));
  }
  [[noreturn]] void fail_line(std::string_view problem) const {
    fail(ErrorCode::kData, "{}:{}: {}", file_.path().string(), number_, problem);
  }

 private:
  void begin(std::string_view field) {
    if (line_.starts_with(' ')) line_.remove_prefix(1);
    const std::string start = fmt::format("{}: ", field);
    if (!line_.starts_with(start)) {
      fail_line(fmt::format("expected \"{}\", got {}", start, excerpt(line_)));
    }
    line_.remove_prefix(start.size());
  }

  double parse(std::string_view field, std::string_view value, double min) const {
    double number = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole = error == std::errc() && stop == value.data() + value.size();
    if (whole && std::isfinite(number) && number >= min) return number;
    fail_at(field, value, min == 0 ? "a number >= 0" : "a finite number");
  }

  MappedFile file_;
  std::string_view rest_;
  std::string_view line_;  // what is left of the current line
  std::size_t number_ = 0;
};

/// The lower triangle L, row by row, of L times its transpose = `c`, given in the same layout. Where
/// some entries follow from others, as in a singular matrix, columns of L are 0. Nothing if `c` is
/// not a covariance within rounding.
std::optional<std::vector<double>> cholesky(const std::vector<double>& c, std::size_t size) {
  constexpr double kRounding = 1e-9;
  const auto at = [](std::size_t row, std::size_t column) { return row * (row + 1) / 2 + column; };
  std::vector<double> factor = c;
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = j; i < size; ++i) {
      for (std::size_t k = 0; k < j; ++k) {
        factor[at(i, j)] -= factor[at(i, k)] * factor[at(j, k)];
      }
    }
    const double pivot = factor[at(j, j)];
    const double variance = c[at(j, j)];
    if (!std::isfinite(pivot) || pivot < -kRounding * std::abs(variance)) return {};
    const bool follows = pivot <= kRounding * variance;
    const double root = follows ? 0 : std::sqrt(pivot);
    factor[at(j, j)] = root;
    for (std::size_t i = j + 1; i < size; ++i) {
      double& entry = factor[at(i, j)];
      // In a covariance, no entry is larger than the root of the product of the variances.
      if (follows && std::abs(entry) > std::sqrt(kRounding * variance * std::abs(c[at(i, i)]))) {
        return {};
      }
      entry = follows ? 0 : entry / root;
    }
  }
  return factor;
}

/// Puts the advertisers of a type into ascending order, and what belongs to them.
void sort_advertisers(ImpressionType& type, std::vector<double>& covariance) {
  std::vector<std::size_t> order(type.advertisers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return type.advertisers[i]; });
  const ImpressionType given = type;
  const std::vector<double> before = covariance;
  std::size_t entry = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    type.advertisers[i] = given.advertisers[order[i]];
    type.mean[i] = given.mean[order[i]];
    for (std::size_t j = 0; j <= i; ++j) {
      const auto [low, high] = std::minmax(order[i], order[j]);
      covariance[entry++] = before[high * (high + 1) / 2 + low];
    }
  }
}

/// Qualities are floats. Normal random numbers have a largest value, so a bound exists.
void check_range(const FieldReader& file, const ImpressionType& type) {
  const double largest = std::sqrt(-2 * std::log(0x1p-53));
  const double limit = std::log(static_cast<double>(std::numeric_limits<float>::max()));
  std::size_t entry = 0;
  for (std::size_t i = 0; i < type.mean.size(); ++i) {
    double reach = type.mean[i];
    for (std::size_t j = 0; j <= i; ++j) reach += largest * std::abs(type.factor[entry++]);
    if (reach < limit) continue;
    file.fail_line(fmt::format(
        "the qualities can reach exp({:.4g}); expected numbers that fit a float, below exp({:.4g})",
        reach, limit));
  }
}

ImpressionType read_type(FieldReader& file, const Ids& advertisers) {
  ImpressionType type;
  type.name = file.text("type");
  type.probability = file.number("prob", 0);
  for (const std::string_view id : file.list("advertisers")) {
    const auto known = advertisers.find(id);
    if (!known || std::ranges::find(type.advertisers, *known) != type.advertisers.end()) {
      file.fail_at("advertisers", id, "different advertisers of the publisher");
    }
    type.advertisers.push_back(*known);
  }
  const std::size_t count = type.advertisers.size();
  type.mean = file.numbers("mean", count);
  std::vector<double> covariance = file.numbers("cov", count * (count + 1) / 2);
  file.end();
  sort_advertisers(type, covariance);
  auto factor = cholesky(covariance, count);
  if (!factor) {
    file.fail_line("cov: expected a covariance matrix, got one that is not positive semidefinite");
  }
  type.factor = std::move(*factor);
  check_range(file, type);
  return type;
}

Publisher read_publisher(const AdxOptions& options) {
  const std::filesystem::path folder =
      required_path(options.path, "adx", "a folder with the files of publishers");
  const std::filesystem::path ads = folder / (options.publisher + "-ads.txt");
  const std::filesystem::path types = folder / (options.publisher + "-types.txt");
  Publisher publisher;
  FieldReader file(ads);
  while (file.next()) {
    const std::string_view id = file.text("advertiser");
    if (publisher.advertisers.find(id)) {
      file.fail_at("advertiser", id, "one that no line before has");
    }
    publisher.advertisers.number(id);
    publisher.shares.push_back(file.number("rho", 0));
    file.end();
    const double places = std::round(publisher.shares.back() * options.v);
    if (places > std::numeric_limits<float>::max()) {
      file.fail_line(fmt::format("rho: {} places are too many for a float", places));
    }
  }
  if (publisher.shares.empty()) {
    fail(ErrorCode::kData, "{}: the file lists no advertiser", ads.string());
  }
  FieldReader kinds(types);
  double total = 0;
  std::size_t edges = 0;
  while (kinds.next()) {
    publisher.types.push_back(read_type(kinds, publisher.advertisers));
    total += publisher.types.back().probability;
    edges += publisher.types.back().advertisers.size();
  }
  if (edges == 0) fail(ErrorCode::kData, "{}: no type has an advertiser", types.string());
  // The files give six digits, so the sum is not exact.
  if (!(std::abs(total - 1) <= 0.01)) {
    fail(ErrorCode::kData, "{}: the probabilities of all types add up to {}; expected 1",
         types.string(), total);
  }
  return publisher;
}

class Adx : public Source {
 public:
  explicit Adx(const AdxOptions& options)
      : schema_{.problem = "e-obm", .capacities = true},
        v_(options.v),
        publisher_(read_publisher(options)) {
    for (const double share : publisher_.shares) {
      capacities_.push_back(static_cast<float>(std::round(share * v_)));
    }
    double total = 0;
    for (const ImpressionType& type : publisher_.types) {
      cumulative_.push_back(total += type.probability);
    }
  }

  const Schema& schema() const override { return schema_; }

  Instance draw(std::uint64_t seed, std::uint64_t instance_index) const override {
    Rng rng(seed, Stream::kInstance, instance_index);
    InstanceBuilder builder(static_cast<NodeId>(capacities_.size()));
    builder.set_capacities(capacities_);
    builder.set_names(publisher_.advertisers.texts());
    std::vector<double> normal;
    std::vector<float> qualities;
    for (int t = 0; t < v_; ++t) {
      const double x = rng.uniform() * cumulative_.back();
      // The last entry is not searched, so an x that is rounded up to the total stays in range.
      const auto found = std::upper_bound(cumulative_.begin(), std::prev(cumulative_.end()), x);
      const auto number = index(found - cumulative_.begin());
      const ImpressionType& type = publisher_.types[number];
      normal.clear();
      qualities.clear();
      std::size_t entry = 0;
      for (const double mean : type.mean) {
        normal.push_back(rng.normal());
        double logarithm = mean;
        for (const double z : normal) logarithm += type.factor[entry++] * z;
        qualities.push_back(static_cast<float>(std::exp(logarithm)));
      }
      builder.arrive({.nodes = type.advertisers,
                      .weights = qualities,
                      .type = static_cast<std::int32_t>(number),
                      .preferences = {},
                      .attributes = {},
                      .name = type.name});
    }
    return std::move(builder).build();
  }

  std::string digest() const override {
    Digest digest;
    digest.add(std::span(publisher_.shares));
    for (const ImpressionType& type : publisher_.types) {
      digest.add(std::span(&type.probability, 1)).add(std::span(type.advertisers));
      digest.add(std::span(type.mean)).add(std::span(type.factor));
    }
    return digest.hex();
  }

 private:
  Schema schema_;
  int v_;
  Publisher publisher_;
  std::vector<float> capacities_;
  std::vector<double> cumulative_;  // of the probabilities of the types
};

}  // namespace

Entry<Source> adx_source() {
  return make_entry<Source, Adx, AdxOptions>(
      "adx", "display ads: impressions to contracts with quotas, from a publisher's files");
}

}  // namespace foresight
