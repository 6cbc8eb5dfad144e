// Readers of the two kinds of MovieLens folders, and what they share. movielens.cpp describes both.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "foresight/data/base_graph.h"
#include "foresight/data/tables_internal.h"

namespace foresight::movielens {

using Id = std::int64_t;
using Movies = std::map<Id, std::vector<std::string>>;  // genres by movie
using Users = std::map<Id, std::array<float, 3>>;       // gender, age and occupation by user

inline constexpr double kMostStars = 5;

Id read_number_id(const CsvReader& csv, std::size_t column);
Movies read_movies(const std::filesystem::path& file);
Users read_users(const std::filesystem::path& file, const std::string& separator);

/// A base graph of these movies and users that still lacks preferences and edges.
struct Catalogue {
  Catalogue(const Movies& all_movies, const Users& all_users);

  BaseGraph graph;
  Ids movies;
  Ids users;

  std::size_t num_genres() const { return graph.schema.topics.size(); }
  /// The position in `preferences` of what this user gives to this genre.
  std::size_t cell(std::int32_t user, std::int32_t genre) const {
    return static_cast<std::size_t>(user) * num_genres() + static_cast<std::size_t>(genre);
  }
  /// Weighs the edges by the preferences and adds them.
  BaseGraph with_edges(std::vector<BaseEdge> edges, const std::filesystem::path& file) &&;
};

BaseGraph load_excerpt(const std::filesystem::path& folder);
/// `sample` names the random choice of movies.
BaseGraph load_original(const std::filesystem::path& folder, int sample);

}  // namespace foresight::movielens
