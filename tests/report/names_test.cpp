#include <gtest/gtest.h>

#include "foresight/report/names_internal.h"

namespace foresight {
namespace {

using Words = std::vector<std::string>;

TEST(ReportNames, AreAsShortAsTheyCanBe) {
  EXPECT_EQ(short_names({"greedy", "greedy-t(train=\"a/b\")", "runs/x/inv-ff-hist", "y/ff/",
                         "z/run/best.safetensors"}),
            (Words{"greedy", "greedy-t", "inv-ff-hist", "ff", "run"}));
}

TEST(ReportNames, ThatWouldBeEqualKeepMoreAndAreNeverEqual) {
  EXPECT_EQ(short_names({"a/ff", "b/ff", "greedy-t(threshold=1)", "greedy-t(threshold=2)"}),
            (Words{"a/ff", "b/ff", "greedy-t(threshold=1)", "greedy-t(threshold=2)"}));
  EXPECT_EQ(short_names({"x/a/ff", "y/a/ff", "x/ff"}), (Words{"x/a/ff", "y/a/ff", "x/ff"}));
  EXPECT_EQ(short_names({"greedy", "greedy", "greedy"}),
            (Words{"greedy", "greedy #2", "greedy #3"}));
}

TEST(ReportNames, OfDataLeaveThePathOut) {
  EXPECT_EQ(without_paths("gmission(path=\"/a b/c\",u=10,v=30)"), "gmission(u=10,v=30)");
  EXPECT_EQ(without_paths("recorded(path=a/log.csv,fixed=b.csv,roster=c.csv)"),
            "recorded(log.csv)");
  EXPECT_EQ(without_paths("crowd"), "crowd");
  EXPECT_EQ(without_paths("by hand"), "by hand");
  EXPECT_EQ(without_paths("odd((("), "odd(((");
}

TEST(ReportNames, AreSizesWhereNothingElseDiffers) {
  EXPECT_EQ(size_labels({"crowd(u=10,v=30)", "crowd(u=100,v=200)"}), (Words{"10x30", "100x200"}));
  const Words other = {"crowd(u=10,v=30)", "er(u=10,v=30)"};
  EXPECT_EQ(size_labels(other), other);
  const Words without = {"crowd(u=10,v=30)", "by hand"};
  EXPECT_EQ(size_labels(without), without);
}

}  // namespace
}  // namespace foresight
