#include "handshake/ready/remarks.hpp"

#include <gmock/gmock.h>

namespace tailrace::handshake {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const config::Sources sources{{"run.yaml", "tailrace: 1\ninclude: [io/a.xml]\n"},
                              {"io/a.xml", "<io-configuration>\n</io-configuration>\n"}};

TEST(Remarks, OnATranslatedFileBecomeOneLine) {
  const Told told =
      told_at_start({"run.yaml:2:1  one", "io/a.xml:4:7  two", "three", "io/a.xml:5:1  four"}, sources);
  EXPECT_THAT(
      told.warnings,
      ElementsAre("io/a.xml:4:7  this is the first of 2 remarks on files that were written for another "
                  "program (TAILRACE_LOG=info lists them; `tailrace check`, those that need no model)",
                  "run.yaml:2:1  one", "three"));
  EXPECT_THAT(told.details, ElementsAre("io/a.xml:4:7  two", "io/a.xml:5:1  four"));
}

TEST(Remarks, StayAsTheyAreWhereThereIsOneOrNone) {
  for (const std::vector<std::string>& warnings :
       {std::vector<std::string>{"run.yaml:2:1  one", "io/a.xml:4:7  two"},
        {"run.yaml:2:1  one", "three"},
        {}}) {
    const Told told = told_at_start(warnings, sources);
    EXPECT_EQ(told.warnings, warnings);
    EXPECT_THAT(told.details, IsEmpty());
  }
}

}  // namespace
}  // namespace tailrace::handshake
