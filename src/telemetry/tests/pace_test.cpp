#include "telemetry/pace.hpp"

#include <gtest/gtest.h>

#include "telemetry/report.hpp"

namespace tailrace::telemetry {
namespace {

ClientCounters client_of(const std::string& component, std::uint64_t seconds) {
  ClientCounters client;
  client.component = component;
  client.run_nanoseconds.set(seconds * 1'000'000'000);
  for (int step = 0; step < 30; ++step) client.step.record(100);
  client.model_seconds = 7200.0;
  return client;
}

TEST(Pace, is_that_of_the_slowest_rank_of_the_component) {
  RunReport report;
  report.clients = {client_of("air", 10), client_of("air", 12), client_of("sea", 100)};
  const auto pace = pace_of(report.json(), "air");
  ASSERT_TRUE(pace);
  EXPECT_DOUBLE_EQ(pace->model_seconds, 600.0);
  EXPECT_DOUBLE_EQ(pace->steps, 2.5);
}

TEST(Pace, is_not_known_from_what_is_no_report) {
  RunReport report;
  report.clients = {client_of("air", 0)};
  EXPECT_FALSE(pace_of(report.json(), "air"));
  EXPECT_FALSE(pace_of(report.json(), "ice"));
  EXPECT_FALSE(pace_of("{\"clients\": [{\"component\": \"air\"}]}", "air"));
  EXPECT_FALSE(pace_of("{", "air"));
}

}  // namespace
}  // namespace tailrace::telemetry
