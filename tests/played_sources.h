// Small instances of every source there is, for tests that go through all of them. Sources that
// read files get small ones, which between them have every kind of column: attributes of both
// sides, topics, preferences, budgets, capacities, costs, absent nodes, rosters, times, frequencies,
// types.
//
//   const TempFolder folder;
//   for (const PlayedSource& source : played_sources(folder)) bind_source(source.spec);
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/temp_folder.h"
#include <fmt/format.h>

#include "foresight/data/source.h"

namespace foresight {

struct PlayedSource {
  std::string name;  // for people
  std::string spec;
};

/// Writes the files of a folder and returns its path, in quotes for a spec.
inline std::string write_folder(const TempFolder& folder, const std::string& name,
                                const std::map<std::string, std::string>& files) {
  std::filesystem::create_directories(folder.path() / name);
  for (const auto& [file, content] : files) folder.write_file(name + "/" + file, content);
  return fmt::format("\"{}\"", (folder.path() / name).string());
}

/// What a source is made with beside u and v, by the name of its entry.
struct SourceVariant {
  std::string name;
  std::string options;
};

inline std::multimap<std::string, SourceVariant> source_variants(const TempFolder& folder) {
  const std::string edges =
      "node,type,weight\na,p,0.5\na,q,0.25\nb,p,0.75\nb,r,0.5\nc,q,1\nc,s,0.125\nd,r,0.25\nd,s,0."
      "5\n"
      "e,p,0.375\ne,s,0.875\nf,q,0.5\nf,r,0.625\n";
  const auto plain = write_folder(folder, "plain", {{"edges.csv", edges}});
  const auto attributes = write_folder(
      folder, "attributes",
      {{"edges.csv", edges},
       {"fixed.csv", "node,skill,speed\na,0.5,1\nb,0.25,2\nc,0.75,3\nd,1,1\ne,0,2\nf,0.5,3\n"},
       {"arrivals.csv", "type,frequency,pay,hours\np,1,5,1\nq,2,4,1\nr,1,3,2\ns,3,2,2\n"}});
  const std::string topics =
      "node,topics,age\na,war,1\nb,war|love,2\nc,love,3\nd,crime|war,4\ne,crime,5\nf,love|crime,"
      "6\n";
  const auto coverage = write_folder(
      folder, "coverage",
      {{"edges.csv", edges},
       {"fixed.csv", topics},
       {"arrivals.csv",
        "type,prefer:war,prefer:love,prefer:crime,member\np,0.5,0.25,0,1\nq,0,1,0.5,0\n"
        "r,0.25,0.25,0.25,1\ns,1,0,0.75,0\n"}});
  // One bid per advertiser, so that the optimal online policy can be computed.
  const auto budgets = write_folder(
      folder, "budgets",
      {{"edges.csv",
        "node,type,weight\na,p,0.5\na,q,0.5\nb,p,0.25\nb,r,0.25\nc,q,1\nc,s,1\nd,r,0.75\n"},
       {"fixed.csv", "node,budget,rank\na,1,1\nb,0.75,2\nc,2,3\nd,1.5,4\n"}});
  const std::string places = "node,capacity,size\na,2,1\nb,0,2\nc,3,1\nd,1,2\ne,2,1\nf,1,2\n";
  const auto capacities =
      write_folder(folder, "capacities", {{"edges.csv", edges}, {"fixed.csv", places}});
  const auto coverage_capacities =
      write_folder(folder, "coverage_capacities",
                   {{"edges.csv", edges},
                    {"fixed.csv",
                     "node,topics,capacity\na,war,2\nb,war|love,1\nc,love,0\nd,crime|war,3\n"
                     "e,crime,1\nf,love|crime,2\n"}});
  const auto costs = write_folder(folder, "costs",
                                  {{"edges.csv",
                                    "node,type,weight,cost\na,p,0.5,1\na,q,0.25,2\nb,p,0.75,1\nb,r,"
                                    "0.5,0.5\nc,q,1,3\nc,s,0.125,1\n"
                                    "d,r,0.25,0\nd,s,0.5,1.5\n"},
                                   {"fixed.csv", "node,capacity\na,3\nb,2.5\nc,4\nd,0\n"}});
  const auto everything = write_folder(
      folder, "everything",
      {{"edges.csv",
        "node,type,weight,cost\na,p,0.5,1\na,q,0.25,2\nb,p,0.75,1\nb,r,0.5,0.5\nc,q,1,3\nc,s,0.125,"
        "1\n"
        "d,r,0.25,0.5\nd,s,0.5,1.5\ne,p,0.25,1\ne,q,0.75,1.5\n"},
       {"fixed.csv", "node,capacity,skill\na,3,0.5\nb,2.5,1\nc,4,0.25\nd,0,0.75\ne,2,0\n"},
       {"arrivals.csv", "type,hour,urgent\np,0.25,1\nq,0.5,0\nr,0.75,0\ns,1,1\n"}});
  const auto workers = write_folder(
      folder, "workers",
      {{"workers.txt", "1,0,0,9,0.5\n2,1,0,9,0.25\n3,0,1,9,0.75\n4,1,1,9,1\n5,2,2,9,0.5\n"},
       {"tasks.txt", "7,0,0,4\n8,1,1,2\n9,2,0,6\n"},
       {"edges.txt", "1;7,2\n2;7,1\n3;8,1.5\n4;8,2\n5;9,3\n1;9,3\n4;7,4\n"}});
  const auto excerpt = write_folder(
      folder, "excerpt",
      {{"movies.txt", "1::A::War|Drama\n2::B::Drama\n3::C::War\n4::D::Drama\n5::E::War\n"},
       {"users.txt", "1,F,56,20,1\n2,M,1,0,2\n3,F,25,7,3\n"},
       {"feature_weights.txt", "War,1,5\nWar,2,2.5\nWar,3,1\nDrama,1,1\nDrama,2,0\nDrama,3,4\n"},
       {"edges.txt",
        "0,1,1,War|Drama\n1,1,2,Drama\n2,2,3,War\n3,2,4,Drama\n4,3,5,War\n5,3,1,War\n"
        "6,3,2,Drama\n7,1,4,Drama\n"}});
  const auto original = write_folder(
      folder, "original",
      {{"movies.dat", "10::A::War\n20::B::Drama\n30::C::War|Drama\n40::D::War\n50::E::Drama\n"},
       {"users.dat", "1::F::1::10::1\n2::M::25::7::2\n3::F::56::20::3\n"},
       {"ratings.dat", "1::10::4::0\n1::20::1::0\n2::30::5::0\n2::40::2::0\n3::50::3::0\n"}});
  const auto publisher = write_folder(
      folder, "publisher",
      {{"pub1-ads.txt",
        "advertiser: a rho: 0.25\nadvertiser: b rho: 0.02\nadvertiser: c rho: 0.4\n"},
       {"pub1-types.txt",
        "type: 1 prob: 0.5 advertisers: [a, c] mean: [1, 0.5] cov: [0.5, 0.25, 1]\n"
        "type: 2 prob: 0.25 advertisers: [a, b, c] mean: [2, 1, 1] cov: [1, 0, 1, 0, 0, 0.5]\n"
        "type: 3 prob: 0.25 advertisers: [b] mean: [0] cov: [0]\n"}});
  std::string past = "instance,arrival,node,weight\n",
              typed = "instance,arrival,node,type,arrival:age\n";
  std::string bids = past, hours = "instance,arrival,node,weight,cost\n";
  std::string days = "arrival,node,time,weight\n";
  for (int i = 0; i < 6; ++i) {
    for (int t = 0; t < 8; ++t) {
      for (int u = 0; u < 4; ++u) {
        if ((i + t + u) % 3 == 0) continue;
        const char node = static_cast<char>('a' + u);
        past += fmt::format("{},{},{},{}\n", i, t, node, 0.125 * ((i * t + u) % 8));
        bids += fmt::format("{},{},{},{}\n", i, t, node, 0.25 * (1 + (t + u) % 3));
        hours += fmt::format("{},{},{},{},{}\n", i, t, node, 1 + (t + u) % 5, 0.5 * (1 + t % 3));
        days += fmt::format("{},{},2024-05-{:02} {:02}:{:02},{}\n", t, node, i + 1, 7 + (5 * t) % 9,
                            6 * t, 1 + (i + t) % 4);
        typed += fmt::format("{},{},{},{},{}\n", i, t, node, t % 3, 10 * (t % 3));
      }
    }
  }
  const auto recorded = write_folder(
      folder, "recorded",
      {{"past.csv", past},
       {"bids.csv", bids},
       {"typed.csv", typed},
       {"hours.csv", hours},
       {"topics.csv", topics},
       {"places.csv", places},
       {"shifts.csv", "node,capacity\na,4\nb,0\nc,2.5\nd,3\n"},
       {"roster.csv",
        "instance,node,capacity\n"
        "2024-05-01,a,2\n2024-05-01,b,1\n2024-05-02,c,3\n2024-05-03,d,1\n2024-05-03,a,0\n"
        "2024-05-04,b,2\n2024-05-04,c,1\n2024-05-05,a,1\n2024-05-05,d,2\n2024-05-06,b,4\n"},
       {"days.csv", days},
       {"budgets.csv", "node,budget\na,1\nb,0.5\nc,0.75\nd,2\n"}});
  const auto file = [&](const char* name) {
    return fmt::format("{}/{}\"", recorded.substr(0, recorded.size() - 1), name);
  };
  return {
      {"ba", {"ba", "degree=3"}},
      {"er", {"er", "p=0.5"}},
      {"er", {"er with capacities", "p=0.5,capacity=3"}},
      {"ba", {"ba with capacities", "degree=3,capacity=2"}},
      {"crowd", {"crowd with capacities", "capacity=2"}},
      {"crowd", {"crowd", ""}},
      {"crowd", {"crowd of other workers in every instance", "workers=vary"}},
      {"crowd", {"crowd of reordered workers", "workers=permute"}},
      {"csv", {"csv without attributes", "path=" + plain}},
      {"csv", {"csv with attributes, all arrivals kept", "edgeless=keep,path=" + attributes}},
      {"csv", {"csv with topics", "path=" + coverage}},
      {"csv", {"csv with budgets", "path=" + budgets}},
      {"csv", {"csv with capacities", "path=" + capacities}},
      {"csv", {"csv with topics and capacities", "path=" + coverage_capacities}},
      {"csv", {"csv with costs", "path=" + costs}},
      {"csv", {"csv with costs and attributes", "path=" + everything}},
      {"gmission", {"gmission", "path=" + workers}},
      {"movielens", {"excerpt of movielens", "path=" + excerpt}},
      {"movielens", {"original movielens", "path=" + original}},
      {"recorded", {"recorded without attributes", "path=" + file("past.csv")}},
      {"recorded",
       {"recorded with topics", "path=" + file("typed.csv") + ",fixed=" + file("topics.csv")}},
      {"recorded",
       {"recorded with budgets", "path=" + file("bids.csv") + ",fixed=" + file("budgets.csv")}},
      {"recorded",
       {"recorded with capacities", "path=" + file("past.csv") + ",fixed=" + file("places.csv")}},
      {"recorded",
       {"recorded with costs", "path=" + file("hours.csv") + ",fixed=" + file("shifts.csv")}},
      {"recorded",
       {"recorded with dates and a roster",
        "path=" + file("days.csv") + ",roster=" + file("roster.csv")}},
      {"adx", {"adx", "v=12,path=" + publisher}},
      {"mix",
       {"mix of two sizes, one with a varying number of arrivals",
        fmt::format("first=csv(path={0},u=3,v=4..8),second=csv(path={0},u=5,v=9)", attributes)}},
      {"mix",
       {"mix with topics",
        fmt::format("first=csv(path={0},u=4,v=6),second=csv(path={0},u=4,v=9)", coverage)}},
  };
}

inline std::vector<PlayedSource> played_sources(const TempFolder& folder) {
  std::vector<PlayedSource> all;
  const auto variants = source_variants(folder);
  for (const auto& entry : sources().entries()) {
    std::string size;
    for (const OptionInfo& option : sources().options(entry)) {
      if (option.name == "u") size = "u=4,v=12";
    }
    const auto add = [&](const std::string& name, const std::string& options) {
      const char* comma = size.empty() || options.empty() ? "" : ",";
      all.push_back({name, fmt::format("{}({}{}{})", entry.name, size, comma, options)});
    };
    const auto [begin, end] = variants.equal_range(entry.name);
    if (begin == end) add(entry.name, "");
    for (auto it = begin; it != end; ++it) add(it->second.name, it->second.options);
  }
  return all;
}

}  // namespace foresight
