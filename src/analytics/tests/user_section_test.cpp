#include "analytics/user/section.hpp"
#include "config/testing/section_conformance.hpp"

namespace tailrace::analytics::user {
namespace {

TEST(OperatorsSection, IsASection) { config::testing::check_section(section()); }

TEST(OperatorsSection, ReportsMistakes) {
  config::testing::check_mistakes(
      section(),
      {{.yaml = "operators: {speed: {arguments: 2}}",
        .told = "run.yaml:1:20  operators.speed: expected either `library` or `python`"},
       {.yaml = "operators:\n  speed: {python: a.py, symbol: b}",
        .told = "run.yaml:2:33  operators.speed.symbol: a function in Python is named after the file: "
                "`python: mine.py:wind_speed`"},
       {.yaml = "operators:\n  mean: {python: a.py}",
        .told = "run.yaml:2:3  operators.mean: \"mean\" is built in; give the operator another name"}});
}

}  // namespace
}  // namespace tailrace::analytics::user
