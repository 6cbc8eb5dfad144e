// The original MovieLens-1M folder. movielens.cpp describes it.
#include <algorithm>
#include <functional>
#include <utility>

#include "foresight/base/error.h"
#include "foresight/base/rng.h"
#include "foresight/data/movielens_internal.h"

namespace foresight::movielens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUsers = 200;
constexpr std::int32_t kMovies = 100;

struct Rating {
  Id movie;
  float stars;
  std::size_t line;
};
using Ratings = std::map<Id, std::vector<Rating>>;  // by user, then ascending by movie

Ratings read_ratings(const fs::path& file, const Movies& movies, const Users& users) {
  PlainReader csv(file, {"user", "movie", "stars", "time"}, "::");
  Ratings ratings;
  while (csv.next()) {
    const Id user = read_number_id(csv, 0);
    const Id movie = read_number_id(csv, 1);
    if (!users.contains(user)) csv.fail_at(0, "a user of users.dat");
    if (!movies.contains(movie)) csv.fail_at(1, "a movie of movies.dat");
    const auto stars = static_cast<float>(csv.number(2, 0, kMostStars));
    ratings[user].push_back({movie, stars, csv.line()});
  }
  for (auto& [user, own] : ratings) {
    std::ranges::stable_sort(own, {}, &Rating::movie);
    const auto repeated = std::ranges::adjacent_find(own, {}, &Rating::movie);
    if (repeated == own.end()) continue;
    fail(ErrorCode::kData, "{}:{}: user {} has already rated movie {} in line {}", file.string(),
         std::next(repeated)->line, user, repeated->movie, repeated->line);
  }
  return ratings;
}

bool has_rated(const std::vector<Rating>& own, Id movie) {
  return std::ranges::binary_search(own, movie, {}, &Rating::movie);
}

/// Keeps the users with most ratings; among equals, those with lower ids.
void keep_busiest(Users& users, const Ratings& ratings) {
  std::vector<std::pair<std::size_t, Id>> ranking;
  for (const auto& [user, own] : ratings) ranking.emplace_back(own.size(), user);
  std::ranges::stable_sort(ranking, std::greater(), [](const auto& entry) { return entry.first; });
  ranking.resize(std::min(ranking.size(), kUsers));
  Users kept;
  for (const auto& [count, user] : ranking) kept.insert(users.extract(user));
  users = std::move(kept);
}

/// Draws movies, without those that nobody has rated or that would have no neighbour.
Movies draw_movies(const Movies& movies, const Users& users, const Ratings& ratings, int sample) {
  const auto keeps = [&](Id movie) {
    const bool rated = std::ranges::any_of(
        ratings, [&](const auto& entry) { return has_rated(entry.second, movie); });
    return rated && std::ranges::any_of(users, [&](const auto& user) {
             return !has_rated(ratings.at(user.first), movie);
           });
  };
  Rng rng(static_cast<std::uint64_t>(sample), Stream::kFixedSet, 2);
  const auto count = static_cast<std::int32_t>(movies.size());
  Movies drawn;
  for (const std::int32_t position : rng.sample(count, std::min(count, kMovies))) {
    const auto movie = std::next(movies.begin(), position);
    if (keeps(movie->first)) drawn.insert(*movie);
  }
  return drawn;
}

/// The average stars that the user gives to each genre.
std::vector<float> average_stars(const std::vector<Rating>& own, const Movies& movies,
                                 const std::vector<std::string>& genres) {
  std::vector<double> sums(genres.size());
  std::vector<int> counts(genres.size());
  double sum = 0;
  for (const auto& [movie, stars, line] : own) {
    sum += stars;
    for (const std::string& name : movies.at(movie)) {
      const auto found = std::ranges::lower_bound(genres, name);
      if (found == genres.end() || *found != name) continue;
      const auto genre = static_cast<std::size_t>(found - genres.begin());
      sums[genre] += stars;
      ++counts[genre];
    }
  }
  std::vector<float> averages;
  for (std::size_t genre = 0; genre < genres.size(); ++genre) {
    averages.push_back(static_cast<float>(
        counts[genre] > 0 ? sums[genre] / counts[genre] : sum / static_cast<double>(own.size())));
  }
  return averages;
}

}  // namespace

BaseGraph load_original(const fs::path& folder, int sample) {
  const Movies movies = read_movies(folder / "movies.dat");
  Users users = read_users(folder / "users.dat", "::");
  const Ratings ratings = read_ratings(folder / "ratings.dat", movies, users);
  keep_busiest(users, ratings);
  const Movies drawn = draw_movies(movies, users, ratings, sample);

  Catalogue catalogue(drawn, users);
  std::vector<BaseEdge> edges;
  std::int32_t type = 0;
  for (const auto& [user, attributes] : users) {
    const auto& own = ratings.at(user);
    for (const float stars : average_stars(own, movies, catalogue.graph.schema.topics)) {
      catalogue.graph.preferences.push_back(static_cast<float>(stars / kMostStars));
    }
    NodeId node = 0;
    for (const auto& [movie, genres] : drawn) {
      if (!has_rated(own, movie)) edges.push_back({type, node, 0, 0});
      ++node;
    }
    ++type;
  }
  return std::move(catalogue).with_edges(std::move(edges), folder / "ratings.dat");
}

}  // namespace foresight::movielens
