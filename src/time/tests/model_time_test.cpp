#include "time/model_time.hpp"

#include "config/testing/section_conformance.hpp"

namespace tailrace::time {
namespace {

TEST(ModelTimeSection, IsASection) { config::testing::check_section(model_time_section()); }

TEST(ModelTimeSection, TellsWhatIsWrong) {
  config::testing::check_mistakes(model_time_section(),
                                  {{.yaml = "model_time: {start: 2026-01-01}",
                                    .told = "run.yaml:1:21  model_time.start: a start date needs a calendar, "
                                            "and `model_time.calendar` is none"},
                                   {.yaml = "model_time: {calendar: noleap}",
                                    .told = "run.yaml:1:24  model_time.calendar: a calendar needs a `start`, "
                                            "the date at which model time is 0"}});
}

}  // namespace
}  // namespace tailrace::time
