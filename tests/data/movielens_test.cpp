#include <fstream>
#include <map>
#include <set>

#include "tests/expect_error.h"
#include "tests/instances.h"
#include "tests/shared_data.h"
#include "tests/temp_folder.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "foresight/data/base_graph.h"

namespace foresight {
namespace {

using Json = nlohmann::json;

std::shared_ptr<Source> make_movielens(const std::filesystem::path& folder,
                                       const std::string& options = "") {
  return sources().make(fmt::format("movielens(path=\"{}\"{})", folder.string(), options));
}

std::set<std::pair<std::int32_t, NodeId>> pairs_of(const BaseGraph& graph) {
  std::set<std::pair<std::int32_t, NodeId>> pairs;
  for (std::size_t type = 0; type < graph.num_types(); ++type) {
    for (auto e = graph.edge_begin[type]; e < graph.edge_begin[type + 1]; ++e) {
      pairs.emplace(type, graph.nodes[static_cast<std::size_t>(e)]);
    }
  }
  return pairs;
}

class MovieLensExcerpt : public testing::Test {
 protected:
  void SetUp() override {
    FORESIGHT_NEEDS_SHARED("data/movielens");
    source_ = make_movielens(folder(), ",movies=vary");
  }

  static std::filesystem::path folder() { return *shared_folder() / "data/movielens"; }
  const BaseGraph& graph() const { return graph_of(*source_); }

  std::shared_ptr<Source> source_;
};

TEST_F(MovieLensExcerpt, HasTheSizeThatThePaperGives) {
  EXPECT_EQ(graph().num_fixed, 94);
  EXPECT_EQ(graph().num_types(), 200U);
  EXPECT_EQ(graph().nodes.size(), 18'698U);
  EXPECT_EQ(source_->schema().problem, "osbm");
  EXPECT_EQ(source_->schema().topics.size(), 15U);
  EXPECT_EQ(source_->schema().fixed_attributes, source_->schema().topics);
  EXPECT_EQ(source_->schema().arrival_attributes,
            (std::vector<std::string>{"gender", "age", "occupation"}));
}

TEST_F(MovieLensExcerpt, UsersAreJoinedToWhatTheyHaveNotRated) {
  std::map<int, NodeId> movies;
  std::map<int, std::int32_t> users;
  std::ifstream movie_file(folder() / "movies.txt"), user_file(folder() / "users.txt");
  for (std::string line; std::getline(movie_file, line);) movies[std::stoi(line)] = 0;
  for (std::string line; std::getline(user_file, line);) users[std::stoi(line)] = 0;
  NodeId node = 0;
  for (auto& [id, number] : movies) number = node++;
  std::int32_t type = 0;
  for (auto& [id, number] : users) number = type++;

  auto unjoined = pairs_of(graph());
  int rated = 0;
  std::ifstream rating_file(folder() / "ratings.txt");
  for (std::string line; std::getline(rating_file, line);) {
    const int user = std::stoi(line), movie = std::stoi(line.substr(line.find(',') + 1));
    if (!movies.contains(movie)) continue;
    ++rated;
    EXPECT_TRUE(unjoined.emplace(users.at(user), movies[movie]).second) << line;
  }
  EXPECT_EQ(rated, 102);
  EXPECT_EQ(unjoined.size(), 94U * 200);
}

TEST_F(MovieLensExcerpt, UsersAgreeWithTheReferenceImplementation) {
  FORESIGHT_NEEDS_SHARED("golden/osbm-movielens-10x30.json");
  std::ifstream file(*shared_folder() / "golden/osbm-movielens-10x30.json");
  const Json golden = Json::parse(file);
  for (const Json& arrival : golden["arrivals"]) {
    const auto user = arrival["user"].get<std::size_t>();
    for (std::size_t g = 0; g < 15; ++g) {
      EXPECT_NEAR(graph().preferences[15 * user + g], arrival["preferences"][g].get<double>(),
                  1e-6);
    }
    EXPECT_EQ(graph().arrival_attributes[3 * user], arrival["gender"].get<float>());
    EXPECT_NEAR(graph().arrival_attributes[3 * user + 1], arrival["age"].get<double>(), 1e-6);
    EXPECT_NEAR(graph().arrival_attributes[3 * user + 2], arrival["occupation"].get<double>(),
                1e-6);
  }
}

TEST_F(MovieLensExcerpt, GenresAgreeWithTheReferenceImplementation) {
  FORESIGHT_NEEDS_SHARED("golden/osbm-movielens-10x30.json");
  std::ifstream file(*shared_folder() / "golden/osbm-movielens-10x30.json");
  const Json golden = Json::parse(file);
  std::multiset<std::vector<float>> movies;
  for (std::size_t u = 0; u < 94; ++u) {
    const auto row = graph().fixed_attributes.begin() + static_cast<std::ptrdiff_t>(15 * u);
    movies.emplace(row, row + 15);
    std::vector<std::int32_t> genres;
    for (std::int32_t g = 0; g < 15; ++g) {
      if (row[g] == 1) genres.push_back(g);
    }
    EXPECT_EQ(graph().topic_sets[u], genres);
    EXPECT_FALSE(genres.empty());
  }
  // The reference drew ten different movies.
  for (const Json& genres : golden["fixed_genres"]) {
    const auto found = movies.find(genres.get<std::vector<float>>());
    ASSERT_NE(found, movies.end());
    movies.erase(found);
  }
}

TEST_F(MovieLensExcerpt, EdgesWeighWhatTheyCoverAtFirst) {
  const Instance instance = source_->draw(1, 0);
  for (int t = 0; t < instance.num_arrivals(); ++t) {
    const Arrival user = instance.arrival(t);
    for (std::size_t e = 0; e < user.nodes.size(); ++e) {
      float sum = 0;
      for (const auto genre : instance.market().topics_of(user.nodes[e])) {
        sum += user.preferences[static_cast<std::size_t>(genre)];
      }
      EXPECT_FLOAT_EQ(user.weights[e], sum);
    }
  }
}

TEST_F(MovieLensExcerpt, AllMoviesCanBeTaken) {
  const Instance instance = make_movielens(folder(), ",u=94,v=100")->draw(1, 0);
  EXPECT_EQ(instance.market().num_fixed, 94);
  EXPECT_EQ(instance.num_arrivals(), 100);
  expect_error(ErrorCode::kUsage, {"\"u\"", "at most 94", "got 95"},
               [] { make_movielens(folder(), ",u=95"); });
}

/// An excerpt of two movies and two users.
class SmallExcerpt : public testing::Test {
 protected:
  SmallExcerpt() {
    folder_.write_file("movies.txt", "20::Caf\xE9 \"x\", y::War|Drama\n3::B::Drama\n");
    folder_.write_file("users.txt", "9,F,56,20,1\n4,M,1,0,2\n");
    folder_.write_file("feature_weights.txt", "War,9,5\nWar,4,2.5\nDrama,9,1\nDrama,4,0\n");
    folder_.write_file("edges.txt", "0,9,3,Drama\n1,9,20,War|Drama\n2,4,20,War|Drama\n");
  }

  void expect_broken(const char* file, const char* content,
                     std::initializer_list<std::string> pieces) const {
    folder_.write_file(file, content);
    expect_error(ErrorCode::kData, pieces, [&] { make_movielens(folder_.path(), ",u=1"); });
  }

  TempFolder folder_;
};

TEST_F(SmallExcerpt, NodesAreNumberedById) {
  const auto source = make_movielens(folder_.path(), ",u=0");
  const BaseGraph& graph = graph_of(*source);
  EXPECT_EQ(graph.schema.topics, (std::vector<std::string>{"Drama", "War"}));
  EXPECT_EQ(graph.topic_sets, (std::vector<std::vector<std::int32_t>>{{0}, {0, 1}}));
  EXPECT_EQ(graph.fixed_attributes, (std::vector<float>{1, 0, 1, 1}));
  EXPECT_EQ(graph.arrival_attributes, (std::vector<float>{0, 0, 0, 1, 1, 20.0F / 21}));
  EXPECT_EQ(graph.preferences, (std::vector<float>{0, 0.5, 0.2F, 1}));
  EXPECT_EQ(graph.edge_begin, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(graph.nodes, (std::vector<NodeId>{1, 0, 1}));
  EXPECT_EQ(graph.weights, (std::vector<float>{0.5, 0.2F, 1.2F}));
}

TEST_F(SmallExcerpt, UnknownUsersAreNamed) {
  expect_broken("edges.txt", "0,5,3,Drama\n", {"edges.txt:1: ", "user", "\"5\""});
}
TEST_F(SmallExcerpt, UnknownMoviesAreNamed) {
  expect_broken("edges.txt", "0,9,3,Drama\n1,9,4,War\n", {"edges.txt:2: ", "movie", "\"4\""});
}
TEST_F(SmallExcerpt, RepeatedEdgesAreNamed) {
  expect_broken("edges.txt", "0,9,3,Drama\n1,9,3,Drama\n", {"edges.txt:2: ", "line 1"});
}
TEST_F(SmallExcerpt, UnknownGenresAreNamed) {
  expect_broken("feature_weights.txt", "Romance,9,5\n",
                {"feature_weights.txt:1: ", "genre", "\"Romance\""});
}
TEST_F(SmallExcerpt, MissingRatingsAreCounted) {
  expect_broken("feature_weights.txt", "War,9,5\n", {"feature_weights.txt: 3 ratings are missing"});
}
TEST_F(SmallExcerpt, RepeatedRatingsAreNamed) {
  expect_broken("feature_weights.txt", "War,9,5\nWar,9,4\n", {"feature_weights.txt:2: ", "\"9\""});
}
TEST_F(SmallExcerpt, RatingsAboveFiveAreNamed) {
  expect_broken("feature_weights.txt", "War,9,5.5\n",
                {"feature_weights.txt:1: ", "from 0 to 5", "\"5.5\""});
}
TEST_F(SmallExcerpt, UnknownAgeCodesAreNamed) {
  expect_broken("users.txt", "9,F,55,20,1\n", {"users.txt:1: ", "age code", "\"55\""});
}
TEST_F(SmallExcerpt, UnknownGendersAreNamed) {
  expect_broken("users.txt", "9,X,56,20,1\n", {"users.txt:1: ", "F or M", "\"X\""});
}
TEST_F(SmallExcerpt, UnknownOccupationsAreNamed) {
  expect_broken("users.txt", "9,F,56,21,1\n", {"users.txt:1: ", "0 to 20", "\"21\""});
}
TEST_F(SmallExcerpt, RepeatedUsersAreNamed) {
  expect_broken("users.txt", "9,F,56,2,1\n9,F,56,2,1\n", {"users.txt:2: ", "\"9\""});
}
TEST_F(SmallExcerpt, RepeatedMoviesAreNamed) {
  expect_broken("movies.txt", "3::A::War\n3::B::War\n", {"movies.txt:2: ", "\"3\""});
}
TEST_F(SmallExcerpt, RepeatedGenresAreNamed) {
  expect_broken("movies.txt", "3::A::War|War\n", {"movies.txt:1: ", "\"War|War\""});
}
TEST_F(SmallExcerpt, OtherColumnsAreListed) {
  expect_broken("movies.txt", "3::War\n", {"movies.txt: ", "3 columns", "genres", "got 2"});
}
TEST_F(SmallExcerpt, MissingFilesAreNamed) {
  std::filesystem::remove(folder_.path() / "edges.txt");
  expect_error(ErrorCode::kIo, {"edges.txt"}, [&] { make_movielens(folder_.path()); });
}

/// A folder like that of MovieLens-1M, with 205 users and 150 movies. User i has rated the movies
/// from 1 to 5 + i/2, so pairs of users have the same number of ratings.
class MovieLensOriginal : public testing::Test {
 protected:
  MovieLensOriginal() {
    std::string movies, users, ratings;
    for (int m = 1; m <= 150; ++m) {
      movies += fmt::format("{}::Caf\xE9 {}::{}\n", 10 * m, m, m % 2 == 0 ? "War" : "Drama|Sci-Fi");
    }
    for (int i = 1; i <= 205; ++i) {
      users += fmt::format("{}::{}::25::7::02139\n", i, i % 3 == 0 ? "F" : "M");
      for (int m = 1; m <= 5 + i / 2; ++m) {
        ratings += fmt::format("{}::{}::{}::978300760\n", i, 10 * m, m % 2 == 0 ? 1 + i % 5 : 3);
      }
    }
    folder_.write_file("movies.dat", movies);
    folder_.write_file("users.dat", users);
    folder_.write_file("ratings.dat", ratings);
  }

  std::shared_ptr<Source> make(const std::string& options = "") const {
    return make_movielens(folder_.path(), options);
  }

  TempFolder folder_;
};

TEST_F(MovieLensOriginal, TakesTheUsersWithMostRatingsAndOfEqualOnesTheLowerIds) {
  const auto source = make(",u=0,movies=vary");
  const BaseGraph& graph = graph_of(*source);
  ASSERT_EQ(graph.num_types(), 200U);
  // Users 1 to 5 are left out; user 6 is the first of those that stay, and a woman.
  for (std::size_t type = 0; type < 200; ++type) {
    EXPECT_EQ(graph.arrival_attributes[3 * type], (type + 6) % 3 == 0 ? 1 : 0);
  }
}

TEST_F(MovieLensOriginal, EqualCountsAreDecidedByTheLowerId) {
  // One more user with as many ratings as user 6: user 6, the first, stays.
  std::ofstream(folder_.path() / "users.dat", std::ios::app) << "900::F::56::20::0\n";
  std::ofstream ratings(folder_.path() / "ratings.dat", std::ios::app);
  for (int m = 1; m <= 8; ++m) ratings << "900::" << 10 * m << "::3::0\n";
  ratings.close();
  const auto source = make(",u=0,movies=vary");
  const BaseGraph& graph = graph_of(*source);
  ASSERT_EQ(graph.num_types(), 200U);
  EXPECT_EQ(graph.arrival_attributes[0], 1);
  EXPECT_FLOAT_EQ(graph.arrival_attributes[3 * 199 + 1], 2.0F / 6);
}

TEST_F(MovieLensOriginal, KeepsTheMoviesThatSomebodyHasRatedAndSomebodyHasNot) {
  // Movies 1 to 107 are rated, 1 to 8 by all users that stay: about 66 of 100 drawn remain.
  std::set<NodeId> sizes;
  for (int sample = 1; sample <= 20; ++sample) {
    const auto source = make(fmt::format(",u=1,movies=vary,sample={}", sample));
    const BaseGraph& graph = graph_of(*source);
    sizes.insert(graph.num_fixed);
    EXPECT_LT(graph.num_fixed, 82);
    EXPECT_GT(graph.num_fixed, 50);
  }
  EXPECT_GT(sizes.size(), 1U) << "another sample is another choice";
}

TEST_F(MovieLensOriginal, SamplesAHundredMoviesAtMost) {
  // Nobody left out: all movies are rated, by one user only.
  std::string ratings = "1::10::3::0\n";
  for (int m = 2; m <= 150; ++m) ratings += fmt::format("2::{}::4::0\n", 10 * m);
  folder_.write_file("ratings.dat", ratings);
  const auto source = make(",u=1,movies=vary");
  EXPECT_EQ(graph_of(*source).num_fixed, 100);
  EXPECT_EQ(graph_of(*source).num_types(), 2U) << "users without ratings have no taste";
}

TEST_F(MovieLensOriginal, UsersAreJoinedToWhatTheyHaveNotRated) {
  const auto source = make(",u=0,movies=vary");
  const BaseGraph& graph = graph_of(*source);
  const auto pairs = pairs_of(graph);
  // Movies ascend by id, so a user who has rated the first k of them is joined to all others.
  NodeId last_rated = -1;
  for (std::int32_t type = 0; type < 200; ++type) {
    NodeId first = 0;
    while (first < graph.num_fixed && !pairs.contains({type, first})) ++first;
    for (NodeId u = first; u < graph.num_fixed; ++u) EXPECT_TRUE(pairs.contains({type, u}));
    EXPECT_GE(first, last_rated);
    last_rated = first;
  }
  EXPECT_EQ(last_rated, graph.num_fixed) << "user 205 has rated all that anybody has";
}

TEST_F(MovieLensOriginal, PreferencesAreAverageRatingsByGenre) {
  const auto source = make(",u=0,movies=vary");
  const BaseGraph& graph = graph_of(*source);
  ASSERT_EQ(graph.schema.topics, (std::vector<std::string>{"Drama", "Sci-Fi", "War"}));
  for (std::size_t type = 0; type < 200; ++type) {
    const float* row = &graph.preferences[3 * type];
    EXPECT_FLOAT_EQ(row[0], 3.0F / 5);
    EXPECT_FLOAT_EQ(row[1], 3.0F / 5);
    EXPECT_FLOAT_EQ(row[2], static_cast<float>(1 + (type + 6) % 5) / 5);
  }
}

TEST_F(MovieLensOriginal, AGenreNeverRatedCountsAsTheUsersAverage) {
  folder_.write_file("movies.dat", "10::A::Drama|Sci-Fi\n20::B::War\n30::C::Drama\n");
  folder_.write_file("ratings.dat", "1::10::4::0\n1::30::1::0\n2::20::5::0\n");
  const auto source = make(",u=1,movies=vary");
  const BaseGraph& graph = graph_of(*source);
  ASSERT_EQ(graph.num_types(), 2U);
  ASSERT_EQ(graph.schema.topics, (std::vector<std::string>{"Drama", "Sci-Fi", "War"}));
  EXPECT_EQ(graph.preferences, (std::vector<float>{0.5, 0.8F, 0.5, 1, 1, 1}));
}

TEST_F(MovieLensOriginal, RatingsOfUnknownUsersAndMoviesAreNamed) {
  folder_.write_file("ratings.dat", "1::10::4::0\n300::10::4::0\n");
  expect_error(ErrorCode::kData, {"ratings.dat:2: ", "user", "\"300\""}, [&] { make(); });
  folder_.write_file("ratings.dat", "1::10::4::0\n1::11::4::0\n");
  expect_error(ErrorCode::kData, {"ratings.dat:2: ", "movie", "\"11\""}, [&] { make(); });
  folder_.write_file("ratings.dat", "1::10::4::0\n1::20::6::0\n");
  expect_error(ErrorCode::kData, {"ratings.dat:2: ", "0 to 5", "\"6\""}, [&] { make(); });
  folder_.write_file("ratings.dat", "1::10::4::0\n1::10::5::0\n");
  expect_error(ErrorCode::kData, {"ratings.dat:2: ", "movie 10", "line 1"}, [&] { make(); });
}

TEST(MovieLensOptions, AFolderMustBeGiven) {
  expect_error(ErrorCode::kUsage, {"\"movielens\"", "\"path\"", "ratings.dat", "movies.txt"},
               [] { sources().make("movielens"); });
}

}  // namespace
}  // namespace foresight
