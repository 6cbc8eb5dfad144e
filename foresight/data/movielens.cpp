// MovieLens: movies are the fixed nodes, users arrive, genres are the topics of coverage (OSBM).
// Reads two kinds of folders.
//
// The excerpt that Dickerson et al. (2019) and the paper use, without headers:
//   movies.txt           id::title::Genre|Genre
//   users.txt            id,gender,age code,occupation code,zip
//   edges.txt            row,user,movie,Genre|Genre
//   feature_weights.txt  genre,user,average rating
// What its files tell about how it was made: a user is joined to every movie that the user has
// *not* rated (the 102 pairs missing in edges.txt are those in ratings.txt, which is not needed).
// Its 200 users have 20 to 22 ratings each, the least that MovieLens-1M admits, though the papers
// write "most". Its average ratings cover all genres, also those that a user never rated, and
// differ little between genres: they average ratings completed by a model, not those of
// ratings.txt.
//
// The original MovieLens-1M folder, with fields separated by "::":
//   movies.dat   id::title::Genre|Genre
//   users.dat    id::gender::age code::occupation code::zip
//   ratings.dat  user::movie::stars::time
// From it the papers' recipe is followed as written: the 200 users with most ratings; 100 movies
// drawn at random, without those that no user has rated or that all 200 have; a user is joined to
// the movies not rated yet. A user's preference for a genre is the average of the user's ratings of
// its movies, or of all, where there is none.
//
// Either way preferences are divided by 5, movies and users are numbered by ascending id, genres
// alphabetically. An edge weighs what the match covers at first: the sum of preferences for the
// movie's genres.
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
    o.text("path", path, "folder of MovieLens-1M (*.dat) or of the excerpt (*.txt)");
    sampling.read(o, "movies");
    o.integer("sample", sample, 0, std::numeric_limits<int>::max(),
              "MovieLens-1M: which random choice of 100 movies is the base graph");
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
