// MovieLens: movies are the fixed nodes, users arrive, genres are the topics of coverage (OSBM).
// Reads two kinds of folders.
//
// The excerpt that Dickerson et al. (2019) and the paper use, without headers:
//   movies.txt           id::title::Genre|Genre
//   users.txt            id,gender,age code,occupation code,zip
//   edges.txt            row,user,movie,Genre|Genre
//   feature_weights.txt  genre,user,average rating
// The files show how it was made:
// - A user is joined to every movie that the user has *not* rated. (The 102 pairs missing in
//   edges.txt are those in ratings.txt, which is not needed.)
// - Its 200 users have 20 to 22 ratings each. That is the fewest that MovieLens-1M admits, though
//   the papers write "most".
// - Its average ratings cover all genres, also those that a user never rated, and differ little
//   between genres. So they average ratings completed by a model, not those of ratings.txt.
//
// The original MovieLens-1M folder, with fields separated by "::":
//   movies.dat   id::title::Genre|Genre
//   users.dat    id::gender::age code::occupation code::zip
//   ratings.dat  user::movie::stars::time
// Here the papers' recipe is followed as written:
// - The users are the 200 with most ratings.
// - 100 movies are drawn at random, except those that no user has rated or that all 200 have.
// - A user is joined to the movies that the user has not rated.
// - A user's preference for a genre is the average of the user's ratings of its movies, or of all
//   movies if there are no such ratings.
//
// In both kinds, preferences are divided by 5, movies and users are numbered by ascending id, and
// genres alphabetically. An edge weighs what the match covers at first: the sum of preferences for
// the movie's genres.
#include <limits>

#include "foresight/base/files.h"
#include "foresight/data/movielens_internal.h"

namespace foresight {
namespace {

struct MovieLensOptions {
  SamplingOptions sampling;
  std::string path;
  int sample = 1;

  void read(OptionReader& o) {
    o.path("path", path, "folder of MovieLens-1M (*.dat) or of the excerpt (*.txt)");
    sampling.read(o, "movies");
    o.integer("sample", sample, 0, std::numeric_limits<int>::max(),
              "MovieLens-1M: number of the random choice of 100 movies");
  }
};

BaseGraph load(const MovieLensOptions& options) {
  const std::filesystem::path folder =
      required_path(options.path, "movielens",
                    "a folder with movies.dat, users.dat and ratings.dat of "
                    "MovieLens-1M, or with movies.txt, users.txt, edges.txt and "
                    "feature_weights.txt of its excerpt");
  const bool original = path_exists(folder / "movies.dat");
  return original ? movielens::load_original(folder, options.sample)
                  : movielens::load_excerpt(folder);
}

class MovieLens : public BaseGraphSource {
 public:
  explicit MovieLens(const MovieLensOptions& options)
      : BaseGraphSource(load(options), options.sampling, options.path) {}
};

}  // namespace

Entry<Source> movielens_source() {
  return make_entry<Source, MovieLens, MovieLensOptions>(
      "movielens", "recommendation: MovieLens movies, users and their taste in genres, from files");
}

}  // namespace foresight
