// Models and the columns of data: read by name, wherever they are, and refused where they differ.
#include <algorithm>

#include "tests/expect_error.h"
#include "tests/temp_folder.h"
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "foresight/base/safetensors.h"
#include "foresight/export/samples.h"
#include "foresight/model/feed.h"
#include "foresight/model/resolve.h"
#include "foresight/policy/play.h"
#include "foresight/train/run.h"

namespace foresight {
namespace {

using Words = std::vector<std::string>;

/// A number that belongs to a column and a row, and is a multiple of 1/64, so that sums of them do
/// not depend on their order.
float number(const std::string& column, int row) {
  std::uint32_t hash = 7 + static_cast<std::uint32_t>(row);
  for (const char c : column) hash = hash * 31 + static_cast<unsigned char>(c);
  return static_cast<float>((hash * 2654435761U) >> 26) / 64;
}

std::vector<float> numbers(const Words& columns, int row) {
  std::vector<float> values;
  for (const std::string& column : columns) values.push_back(number(column, row));
  return values;
}

/// The same nodes, arrivals and edges for every schema; only the columns differ.
BoundDataset data_with(const Schema& schema, std::size_t count = 20) {
  constexpr NodeId kFixed = 5;
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng(3, Stream::kInstance, i);
    InstanceBuilder builder(kFixed);
    std::vector<float> attributes;
    std::vector<std::vector<std::int32_t>> topic_sets(kFixed);
    for (NodeId u = 0; u < kFixed; ++u) {
      const auto row = numbers(schema.fixed_attributes, u);
      attributes.insert(attributes.end(), row.begin(), row.end());
      for (std::size_t k = 0; k < schema.topics.size(); ++k) {
        if (number(schema.topics[k], u) < 0.6F) {
          topic_sets[static_cast<std::size_t>(u)].push_back(static_cast<std::int32_t>(k));
        }
      }
    }
    builder.set_attributes(attributes, schema.fixed_attributes.size());
    if (!schema.topics.empty()) {
      builder.set_topics(static_cast<int>(schema.topics.size()), topic_sets);
    }
    for (int t = 0; t < 12; ++t) {
      std::vector<NodeId> nodes;
      std::vector<float> weights;
      for (NodeId u = 0; u < kFixed; ++u) {
        if (rng.uniform() < 0.4) continue;
        nodes.push_back(u);
        weights.push_back(static_cast<float>(rng.uniform()));
      }
      const int user = static_cast<int>(rng.below(3));
      builder.arrive(nodes, weights, user, numbers(schema.topics, 10 + user),
                     numbers(schema.arrival_attributes, 20 + user));
    }
    instances.push_back(std::move(builder).build());
  }
  return bind_data(Dataset::gather(schema, {"by hand", 1}, instances));
}

const Schema kPlain = {.problem = "e-obm",
                       .fixed_attributes = {"skill", "speed", "age"},
                       .arrival_attributes = {"pay", "hours"}};
const Schema kCovered = {.problem = "osbm",
                         .fixed_attributes = {"skill", "speed", "age"},
                         .arrival_attributes = {"pay", "hours"},
                         .topics = {"crime", "love", "war"}};

using List = Words Schema::*;
const std::vector<std::pair<const char*, List>> kLists = {
    {"fixed attributes", &Schema::fixed_attributes},
    {"arrival attributes", &Schema::arrival_attributes},
    {"topics", &Schema::topics}};

std::vector<std::vector<NodeId>> decisions(const BoundDataset& data, const Policy& policy) {
  std::vector<std::vector<NodeId>> all;
  for (Rollout& rollout : play(data, policy, {.decode = Decode::kSample}, 1, no_progress())) {
    all.push_back(std::move(rollout.matching));
  }
  return all;
}

class EveryModelsColumns : public testing::TestWithParam<std::string> {
 protected:
  /// A checkpoint of a model with parameters that let every input count.
  std::string write_checkpoint(const Schema& schema) const {
    const ModelContext context{schema, 5};
    const auto model = models().make(GetParam())->build(context);
    Rng rng(1, Stream::kInitialise, 0);
    model->set_parameters(model->initial_parameters(rng));
    SafeTensorsWriter writer;
    write_model(writer, {GetParam(), context, {}}, *model);
    writer.write(folder_.path() / "model");
    return (folder_.path() / "model").string();
  }

  TempFolder folder_;
};

TEST_P(EveryModelsColumns, AreReadByNameInAnyOrder) {
  for (const Schema& schema : {kPlain, kCovered}) {
    const std::string file = write_checkpoint(schema);
    const auto expected = decisions(data_with(schema), *resolve(file).policy);
    for (const auto& [what, list] : kLists) {
      SCOPED_TRACE(what);
      Schema reordered = schema;
      std::ranges::reverse(reordered.*list);
      EXPECT_EQ(decisions(data_with(reordered), *resolve(file).policy), expected);
    }
  }
}

TEST_P(EveryModelsColumns, AreRefusedWithBothListsWhereTheyDiffer) {
  for (const Schema& schema : {kPlain, kCovered}) {
    const std::string file = write_checkpoint(schema);
    const auto model = load_model(file).model;
    const auto expected = decisions(data_with(schema), *model);
    for (const auto& [what, list] : kLists) {
      if ((schema.*list).empty()) continue;
      Schema fewer = schema, more = schema, renamed = schema;
      (fewer.*list).pop_back();
      (more.*list).push_back("new");
      (renamed.*list).back() = "new";
      for (const Schema& other : {fewer, more, renamed}) {
        SCOPED_TRACE(fmt::format("{} [{}]", what, fmt::join(other.*list, ", ")));
        const BoundDataset data = data_with(other);
        if ((model->needs().*list).empty()) {
          // What it does not see makes no difference, unless it changes what a match gains.
          if (list == &Schema::topics) continue;
          EXPECT_EQ(decisions(data, *model), expected);
          continue;
        }
        const auto lists = fmt::format(
            "model {} was trained with the {} [{}], but the data has "
            "[{}]",
            GetParam(), what, fmt::join(schema.*list, ", "), fmt::join(other.*list, ", "));
        expect_error(ErrorCode::kData, {file, lists},
                     [&] { resolve(file, data.problem(), data.schema()); });
        expect_error(ErrorCode::kData, {lists}, [&] { decisions(data, *model); });
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryModelsColumns, testing::ValuesIn([] {
                           Words names;
                           for (const auto& entry : models().entries()) names.push_back(entry.name);
                           return names;
                         }()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Columns, SomeModelSeesEachKind) {
  bool seen[3] = {};
  for (const auto& entry : models().entries()) {
    for (const Schema& schema : {kPlain, kCovered}) {
      const Schema needs = models().make(entry.name)->build({schema, 5})->needs();
      for (std::size_t i = 0; i < 3; ++i) seen[i] |= !(needs.*kLists[i].second).empty();
    }
  }
  for (const bool any : seen) EXPECT_TRUE(any);
}

TEST(Columns, OfArrivalsThatWereNotFittedAreNotReadBeyondTheirEnd) {
  Schema fewer = kPlain;
  fewer.arrival_attributes.pop_back();
  const BoundDataset data = data_with(fewer, 1);
  const Instance instance = data.instance(0);
  for (const std::string model : {"inv-ff-plus", "inv-value", "value"}) {
    const auto built = models().make(model)->build({kPlain, 5});
    const std::string who = "model " + model + " was built for arrivals with 2 attributes";
    expect_error(ErrorCode::kData, {who, "have 1"}, [&] {
      play(bind_instances(data.problem(), {&instance, 1}), *built, {});
    });
    expect_error(ErrorCode::kData, {who, "have 1"}, [&] {
      State state(data.problem(), instance.market());
      state.arrive(instance.arrival(0));
      built->feed(instance.market())->next(state);
    });
  }
}

TEST(Columns, OfNoSideAreSeenWithoutAttributes) {
  for (const char* model : {"inv-ff-plus", "inv-value", "value"}) {
    const auto seen = models().make(model)->build({kPlain, 5});
    const auto blind = models().make(fmt::format("{}(attributes=0)", model))->build({kPlain, 5});
    const auto plain = models().make(model)->build({{.problem = "e-obm"}, 5});
    EXPECT_EQ(seen->needs().arrival_attributes, kPlain.arrival_attributes);
    EXPECT_EQ(seen->features().back(), "arrival.hours");
    EXPECT_TRUE(blind->needs().fixed_attributes.empty());
    EXPECT_TRUE(blind->needs().arrival_attributes.empty());
    EXPECT_EQ(blind->features(), plain->features());
  }
}

/// A run of every model that sees attributes, and data whose columns are swapped or too many.
class ColumnsOfARun : public testing::Test {
 protected:
  ColumnsOfARun() {
    std::ranges::reverse(swapped_schema_.fixed_attributes);
    std::ranges::reverse(swapped_schema_.arrival_attributes);
    more_schema_.fixed_attributes.push_back("height");
  }

  RunOptions options(const std::string& model, const BoundDataset& validation) const {
    RunOptions run;
    run.model = model;
    run.train_data = data_with(kPlain, 50);
    run.validation_data = validation;
    run.epochs = 1;
    run.folder =
        folder_.path() / model / fmt::to_string(validation.schema().fixed_attributes.size());
    return run;
  }

  static Words models_with_attributes() {
    Words names;
    for (const auto& entry : models().entries()) {
      const auto needs = models().make(entry.name)->build({kPlain, 5})->needs();
      if (!needs.fixed_attributes.empty()) names.push_back(entry.name);
    }
    return names;
  }

  TempFolder folder_;
  Schema swapped_schema_ = kPlain, more_schema_ = kPlain;
  BoundDataset plain_ = data_with(kPlain);
};

TEST_F(ColumnsOfARun, AreFittedInValidationRunFoldersSamplesAndRobust) {
  EXPECT_GT(models_with_attributes().size(), 2U);
  const BoundDataset swapped = data_with(swapped_schema_), more = data_with(more_schema_);
  for (const std::string& model : models_with_attributes()) {
    SCOPED_TRACE(model);
    const RunOptions run = options(model, plain_);
    const double ratio = train(run, no_progress()).best_ratio;
    const std::string folder = run.folder.string();

    RunOptions again = options(model, swapped);
    again.folder = folder + "-swapped";
    EXPECT_EQ(train(again, no_progress()).best_ratio, ratio);
    const RunOptions refused = options(model, more);
    expect_error(ErrorCode::kData, {"validation set", "[skill, speed, age]", "age, height]"},
                 [&] { train(refused, no_progress()); });
    EXPECT_FALSE(std::filesystem::exists(refused.folder));

    for (const std::string& spec :
         {folder, fmt::format("robust(policy=\"{}\",rho=0,wmax=1e9)", folder)}) {
      EXPECT_EQ(decisions(swapped, *resolve(spec).policy),
                decisions(plain_, *resolve(spec).policy));
      expect_error(ErrorCode::kData, {spec, "[skill, speed, age]", "age, height]"},
                   [&] { resolve(spec, more.problem(), more.schema()); });
    }

    const TrainedModel trained = load_model(folder);
    const auto file = folder_.path() / "samples";
    write_samples(file, trained, plain_, 50);
    const auto expected = SafeTensors::open(file);
    write_samples(file, trained, swapped, 50);
    const auto samples = SafeTensors::open(file);
    for (const auto& [name, tensor] : expected->tensors()) {
      EXPECT_TRUE(samples->tensors().at(name).bytes == tensor.bytes) << name;
    }
    expect_error(ErrorCode::kData, {"[skill, speed, age]", "age, height]"},
                 [&] { write_samples(file, trained, more, 50); });
  }
}

TEST(FitColumns, ColumnsOfTheSameNameAreReadOnceEach) {
  const Schema needs = {.problem = "e-obm", .fixed_attributes = {"x", "x", "y"}};
  EXPECT_EQ(fit_columns("model", needs, needs), ColumnPlaces());
  Schema data = needs;
  data.fixed_attributes = {"y", "x", "x"};
  EXPECT_EQ(fit_columns("model", needs, data).fixed_attributes,
            (std::vector<std::size_t>{1, 2, 0}));
  data.fixed_attributes = {"y", "x", "y"};
  expect_error(ErrorCode::kData, {"model", "[x, x, y]", "[y, x, y]"},
               [&] { fit_columns("model", needs, data); });
}

}  // namespace
}  // namespace foresight
