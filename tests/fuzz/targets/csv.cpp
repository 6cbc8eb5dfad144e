// Sources that read a user's tables. The input holds the files of one folder, each after a line
// with its name; which source reads them follows from their names.
#include "tests/fuzz/support.h"
#include "tests/fuzz/target.h"

#include "foresight/policy/policy.h"

namespace foresight {
namespace {

using Strings = std::vector<std::string>;
namespace fs = std::filesystem;

Spec table_source(const fs::path& folder) {
  const auto has = [&](const char* name) { return fs::exists(folder / name); };
  if (has("recorded.csv")) {
    Spec recorded{"recorded", {{"path", (folder / "recorded.csv").string()}}};
    if (has("fixed.csv")) recorded.values.emplace_back("fixed", (folder / "fixed.csv").string());
    if (has("roster.csv")) recorded.values.emplace_back("roster", (folder / "roster.csv").string());
    return recorded;
  }
  if (has("pub-ads.txt")) {
    return {"adx", {{"path", folder.string()}, {"publisher", "pub"}, {"v", "4"}}};
  }
  const bool movies = has("movies.txt") || has("movies.dat");
  const char* name = movies ? "movielens" : has("workers.txt") ? "gmission" : "csv";
  Spec spec{name, {{"path", folder.string()}, {"u", "0"}, {"v", "2..4"}}};
  if (spec.name == "csv") spec.values.emplace_back("edgeless", "keep");
  return spec;
}

}  // namespace

void fuzz_csv(std::string_view content) {
  static const Strings kNames = {
      "recorded.csv", "roster.csv",          "fixed.csv",   "edges.csv",
      "arrivals.csv", "workers.txt",         "tasks.txt",   "edges.txt",
      "movies.txt",   "users.txt",           "movies.dat",  "users.dat",
      "ratings.dat",  "feature_weights.txt", "pub-ads.txt", "pub-types.txt"};
  const TempFolder folder;
  write_files(folder, content, kNames);
  const std::string spec = table_source(folder.path()).to_string();
  const auto source = sources().make(spec);
  const std::uint64_t count = std::min<std::uint64_t>(2, source->size().value_or(2));
  const Dataset data = generate(*source, {spec, 1}, count, 1, no_progress());
  for (std::size_t i = 0; i < data.size(); ++i) {
    play_once(data.schema().problem, data.instance(i), *policies().make("greedy"));
    source->arrival_law(data.instance(i).market());
  }
  data.save(folder.path() / "data");
  expect(Dataset::load(folder.path() / "data") == data, "the instances after saving them");
}

Strings csv_seeds() {
  return {
      "== edges.csv\nu,v,weight\na,x,1\nb,x,0.5\nb,y,2.5e-1\n",
      "== edges.csv\nu,v\na,x\n== fixed.csv\nid,budget,size\na,2,1\nb,0.5,-3\n"
      "== arrivals.csv\nid,frequency,tall\nx,2,0\ny,0,1\n",
      "== edges.csv\nu,v\n\"a,1\",x\nb,x\n== fixed.csv\nid,topics\n\"a,1\",p|q\nb,q\n"
      "== arrivals.csv\nid,prefer:p,prefer:q\r\nx,2,0.5\r\n",
      "== recorded.csv\ninstance,arrival,u,weight\n1,1,a,1\n1,1,b,2\n1,2,,\n2,1,a,3\n",
      "== recorded.csv\ninstance,arrival,u,type,arrival:age,prefer:p\n1,1,a,k,3,1\n1,2,b,k,4,1\n"
      "== fixed.csv\nid,topics,size\na,p,1\nb,p,2\n",
      "== edges.csv\nnode,type,weight,cost\na,x,1,2\nb,x,0.5,1\n== fixed.csv\nnode,capacity\na,2\n"
      "b,0\n== arrivals.csv\ntype,frequency\nx,2\nlonely,1\n",
      "== recorded.csv\narrival,node,time,weight\n1,a,2024-02-29 "
      "07:30,1\n2,b,2024-02-28T09:00:59,2\n"
      "3,,2024-02-29,\n1,b,2024-02-29 07:30,3\n== roster.csv\ninstance,node,capacity\n"
      "2024-02-29,a,2\n2024-02-28,b,1\n2024-03-01,b,1\n",
      "== recorded.csv\ninstance,arrival,node,time,cost\nx,1,a,5,1\ny,1,a,-1e3,1\nx,2,b,4.5,0\n"
      "== fixed.csv\nnode,capacity\na,2\nb,1.5\n== roster.csv\ninstance,node\nx,a\ny,b\n",
      "== pub-ads.txt\nadvertiser: 1 rho: 0.5\nadvertiser: 2 rho: 0.1\n== pub-types.txt\n"
      "type: 1 prob: 0.25 advertisers: [1, 2] mean: [1.5, 2] cov: [0.5, 0.25, 1]\n"
      "type: 2 prob: 0.75 advertisers: [2] mean: [-1] cov: [0]\n",
      "== workers.txt\n1,0.5,0.5,1,0.9\n2,1,1,2,0.5\n== tasks.txt\n8,1,1,2\n"
      "== edges.txt\n1.0;8.0,10.25\n2.0;8.0,3\n",
      "== movies.txt\n1::One (1999)::Drama|War\n2::Two::War\n== users.txt\n7,F,18,20,12345\n"
      "== edges.txt\n0,7,1,Drama|War\n1,7,2,War\n"
      "== feature_weights.txt\nDrama,7,4.5\nWar,7,1\n",
      "== movies.dat\n1::One (1999)::Drama|War\n2::Two::War\n== users.dat\n7::F::18::20::12345\n"
      "8::M::56::0::2\n== ratings.dat\n7::1::5::978\n8::2::3::979\n"};
}

}  // namespace foresight
