#include "foresight/base/error.h"
#include "foresight/base/index.h"
#include "foresight/data/recording_internal.h"

namespace foresight {
namespace {

/// The column of amounts. It must have the name that the list of fixed nodes gives to them.
std::optional<std::size_t> amount_column(const CsvReader& csv, FixedTable& table) {
  const AmountColumn amount(csv);
  if (!amount.position) return {};
  if (!table.capacities.empty() && table.budgets != amount.budget) {
    fail(ErrorCode::kData,
         "{}: there is a column \"{}\"; expected \"{}\", as in the list of fixed nodes",
         csv.path().string(), amount.budget ? "budget" : "capacity",
         amount.budget ? "capacity" : "budget");
  }
  table.budgets = amount.budget;
  return amount.position;
}

}  // namespace

std::vector<float> read_roster(const std::string& file, const Ids& instances, const Ids& nodes,
                               FixedTable& table) {
  CsvReader csv(file);
  expect_columns(csv, {"instance", "node", "capacity", "budget"});
  const std::size_t instance = csv.column("instance"), node = csv.column("node");
  const auto amount = amount_column(csv, table);
  std::vector<float> capacities(instances.size() * nodes.size(), 0);
  std::vector<std::size_t> lines(capacities.size(), 0);  // where each amount is listed
  std::vector<bool> listed(instances.size());
  while (csv.next()) {
    const std::int32_t u = read_known_id(csv, node, nodes, "a fixed node of the log");
    const float given = amount                     ? read_amount(csv, *amount)
                        : table.capacities.empty() ? 1
                                                   : table.capacities[index(u)];
    const auto i = instances.find(read_name(csv, instance));
    if (!i) continue;
    const std::size_t entry = index(*i) * nodes.size() + index(u);
    if (lines[entry] != 0) {
      fail(ErrorCode::kData, "{}:{}: the node is already listed for this instance in line {}",
           csv.path().string(), csv.line(), lines[entry]);
    }
    lines[entry] = csv.line();
    capacities[entry] = given;
    listed[index(*i)] = true;
  }
  for (std::size_t i = 0; i < listed.size(); ++i) {
    if (listed[i]) continue;
    fail(ErrorCode::kData, "{}: there is no line for instance {} of the log", csv.path().string(),
         excerpt(instances.texts()[i]));
  }
  return capacities;
}

}  // namespace foresight
