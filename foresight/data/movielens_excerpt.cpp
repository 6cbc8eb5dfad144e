// The excerpt of MovieLens, and what both kinds of folders share. movielens.cpp describes them.
#include <algorithm>
#include <limits>
#include <utility>

#include "foresight/base/error.h"
#include "foresight/data/movielens_internal.h"

namespace foresight::movielens {
namespace {

namespace fs = std::filesystem;

constexpr std::array kAgeCodes = {1, 18, 25, 35, 45, 50, 56};
constexpr int kLastOccupation = 20;

void read_preferences(const fs::path& file, Catalogue& catalogue) {
  constexpr float kMissing = -1;
  PlainReader csv(file, {"genre", "user", "average rating"});
  const std::vector<std::string>& genres = catalogue.graph.schema.topics;
  std::vector<float>& preferences = catalogue.graph.preferences;
  preferences.assign(catalogue.users.size() * genres.size(), kMissing);
  while (csv.next()) {
    const auto genre = std::ranges::lower_bound(genres, csv.text(0));
    if (genre == genres.end() || *genre != csv.text(0)) csv.fail_at(0, "a genre of movies.txt");
    const std::int32_t user = read_known_id(csv, 1, catalogue.users, "a user of users.txt");
    float& preference =
        preferences[catalogue.cell(user, static_cast<std::int32_t>(genre - genres.begin()))];
    if (preference != kMissing) csv.fail_at(1, "a user who has not rated this genre before");
    preference = static_cast<float>(csv.number(2, 0, kMostStars) / kMostStars);
  }
  const auto missing = std::ranges::count(preferences, kMissing);
  if (missing > 0) {
    fail(ErrorCode::kData,
         "{}: {} ratings are missing; expected one for each of {} genres and {} users",
         file.string(), missing, genres.size(), catalogue.users.size());
  }
}

}  // namespace

Id read_number_id(const CsvReader& csv, std::size_t column) {
  return csv.integer(column, 0, std::numeric_limits<std::int32_t>::max());
}

Movies read_movies(const fs::path& file) {
  PlainReader csv(file, {"id", "title", "genres"}, "::");
  Movies movies;
  while (csv.next()) {
    if (!movies.emplace(read_number_id(csv, 0), read_words(csv, 2)).second) {
      csv.fail_at(0, "an id that no line before has");
    }
  }
  return movies;
}

/// Attributes are scaled to 0..1.
Users read_users(const fs::path& file, const std::string& separator) {
  PlainReader csv(file, {"id", "gender", "age", "occupation", "zip"}, separator);
  Users users;
  while (csv.next()) {
    if (csv.text(1) != "F" && csv.text(1) != "M") csv.fail_at(1, "F or M");
    const auto age = std::ranges::find(kAgeCodes, csv.integer(2));
    if (age == kAgeCodes.end()) csv.fail_at(2, "an age code: 1, 18, 25, 35, 45, 50 or 56");
    const auto occupation = csv.integer(3, 0, kLastOccupation);
    const std::array attributes = {
        csv.text(1) == "F" ? 1.0F : 0.0F,
        static_cast<float>(age - kAgeCodes.begin()) / (kAgeCodes.size() - 1),
        static_cast<float>(occupation) / (kLastOccupation + 1)};  // as the reference scales it
    if (!users.emplace(read_number_id(csv, 0), attributes).second) {
      csv.fail_at(0, "an id that no line before has");
    }
  }
  return users;
}

Catalogue::Catalogue(const Movies& all_movies, const Users& all_users) {
  Schema& schema = graph.schema;
  schema = {.problem = "osbm", .arrival_attributes = {"gender", "age", "occupation"}};
  for (const auto& [id, genres] : all_movies) {
    schema.topics.insert(schema.topics.end(), genres.begin(), genres.end());
    movies.number(std::to_string(id));
  }
  sort_names(schema.topics);
  schema.fixed_attributes = schema.topics;
  graph.num_fixed = static_cast<NodeId>(movies.size());
  graph.fixed_attributes.assign(movies.size() * num_genres(), 0);
  for (const auto& [id, genres] : all_movies) {
    const std::size_t row = graph.topic_sets.size() * num_genres();
    graph.topic_sets.push_back(topic_numbers(genres, schema.topics));
    for (const std::int32_t genre : graph.topic_sets.back()) {
      graph.fixed_attributes[row + static_cast<std::size_t>(genre)] = 1;
    }
  }
  for (const auto& [id, attributes] : all_users) {
    users.number(std::to_string(id));
    graph.arrival_attributes.insert(graph.arrival_attributes.end(), attributes.begin(),
                                    attributes.end());
  }
}

BaseGraph Catalogue::with_edges(std::vector<BaseEdge> edges, const fs::path& file) && {
  for (BaseEdge& edge : edges) {
    for (const std::int32_t genre : graph.topic_sets[static_cast<std::size_t>(edge.node)]) {
      edge.weight += graph.preferences[cell(edge.type, genre)];
    }
  }
  set_edges(graph, std::move(edges), users.size(), file);
  return std::move(graph);
}

BaseGraph load_excerpt(const fs::path& folder) {
  const Movies movies = read_movies(folder / "movies.txt");
  Catalogue catalogue(movies, read_users(folder / "users.txt", ","));
  read_preferences(folder / "feature_weights.txt", catalogue);
  PlainReader csv(folder / "edges.txt", {"row", "user", "movie", "genres"});
  std::vector<BaseEdge> edges;
  while (csv.next()) {
    const auto user = read_known_id(csv, 1, catalogue.users, "a user of users.txt");
    const auto movie = read_known_id(csv, 2, catalogue.movies, "a movie of movies.txt");
    edges.push_back({user, movie, 0, csv.line()});
  }
  return std::move(catalogue).with_edges(std::move(edges), csv.path());
}

}  // namespace foresight::movielens
