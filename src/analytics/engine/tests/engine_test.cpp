// Executes steps on several servers, with any order of work and messages. Values are compared with loops over
// the model's numbers.
#include "analytics/engine.hpp"

#include <gmock/gmock.h>

#include "analytics/engine/tests/job.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::engine {
namespace {

using testing::columns;
using testing::Job;
using testing::levels;
using testing::Order;

using Diagnostics = std::vector<std::pair<std::string, std::string>>;

double total(const std::string& field, std::int64_t step, int ranks) {
  double sum = 0.0;
  for (std::int64_t z = 0; z < levels; ++z)
    for (std::int64_t y = 0; y < ranks; ++y)
      for (std::int64_t x = 0; x < columns; ++x) sum += Job::value(field, step, z, y, x);
  return sum;
}

std::vector<double> profile(const std::string& field, std::int64_t step, int ranks) {
  std::vector<double> sums(levels, 0.0);
  for (std::int64_t z = 0; z < levels; ++z)
    for (std::int64_t y = 0; y < ranks; ++y)
      for (std::int64_t x = 0; x < columns; ++x) sums[base::index(z)] += Job::value(field, step, z, y, x);
  return sums;
}

// w - sum(w, y, x), the row of a rank.
std::vector<double> anomaly(std::int64_t step, int rank, int ranks) {
  const std::vector<double> sums = profile("w", step, ranks);
  std::vector<double> row;
  for (std::int64_t z = 0; z < levels; ++z)
    for (std::int64_t x = 0; x < columns; ++x)
      row.push_back(Job::value("w", step, z, rank, x) - sums[base::index(z)]);
  return row;
}

// The sum over all cells of the cumulative sums along z.
double summed_columns(std::int64_t step, int ranks) {
  double sum = 0.0;
  for (std::int64_t z = 0; z < levels; ++z)
    for (std::int64_t y = 0; y < ranks; ++y)
      for (std::int64_t x = 0; x < columns; ++x)
        sum += static_cast<double>(levels - z) * Job::value("w", step, z, y, x);
  return sum;
}

struct Shape {
  int servers, ranks;
  Order order;
};

class Engines : public ::testing::TestWithParam<Shape> {};

TEST_P(Engines, ComputeWhatLoopsCompute) {
  const auto [servers, ranks, order] = GetParam();
  const Diagnostics diagnostics{{"total", "sum(w)"},
                                {"profile", "sum(th, y, x)"},
                                {"anomaly", "w - sum(w, y, x)"},
                                {"columns", "sum(cumsum(w, z))"},
                                {"product", "sum(cumsum(w, z)) * sum(w)"},
                                {"rate", "sum(w) / dt"},
                                {"far", "cumsum(w, y)"}};
  Job job(diagnostics, {.servers = servers, .ranks = ranks, .order = order, .seed = 5});
  for (std::int64_t step = 0; step < 4; ++step) job.step(step);
  job.run();
  for (std::int64_t s = 0; s < 4; ++s) {
    const auto step = base::index(s);
    EXPECT_THAT(job.whole(step, "total"), ::testing::ElementsAre(total("w", s, ranks)));
    EXPECT_EQ(job.whole(step, "profile"), profile("th", s, ranks));
    EXPECT_THAT(job.whole(step, "columns"), ::testing::ElementsAre(summed_columns(s, ranks)));
    EXPECT_THAT(job.whole(step, "product"),
                ::testing::ElementsAre(summed_columns(s, ranks) * total("w", s, ranks)));
    EXPECT_THAT(job.whole(step, "rate"),
                ::testing::ElementsAre(total("w", s, ranks) / static_cast<double>(s + 1)));
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(job.block(step, "anomaly", rank), anomaly(s, rank, ranks)) << "rank " << rank;
    const std::vector<double> far = job.whole(step, "far");
    ASSERT_EQ(far.size(), static_cast<std::size_t>(levels * ranks * columns));
    double column = 0.0;
    for (int y = 0; y < ranks; ++y) column += Job::value("w", s, 0, y, 0);
    EXPECT_EQ(far[base::index((ranks - 1) * columns)], column);
  }
  job.finish();
}

INSTANTIATE_TEST_SUITE_P(AnyOrder, Engines,
                         ::testing::Values(Shape{1, 1, Order::oldest_first}, Shape{1, 5, Order::any},
                                           Shape{2, 4, Order::oldest_first}, Shape{2, 4, Order::newest_first},
                                           Shape{3, 4, Order::any}, Shape{4, 3, Order::newest_first}));

TEST(Engine, TwoRootsOfAStepAreComputedInTheOrderOfTheirPhases) {
  const Diagnostics diagnostics{{"product", "sum(cumsum(w, z)) * sum(w)"}};
  for (unsigned seed = 0; seed < 50; ++seed) {
    Job job(diagnostics, {.servers = 2, .ranks = 4, .order = Order::newest_first, .seed = seed});
    for (std::int64_t step = 0; step < 3; ++step) job.step(step);
    job.run();
    for (std::int64_t step = 0; step < 3; ++step)
      EXPECT_THAT(job.whole(static_cast<std::size_t>(step), "product"),
                  ::testing::ElementsAre(summed_columns(step, 4) * total("w", step, 4)))
          << "seed " << seed << ", step " << step;
  }
}

TEST(Engine, GivesResultsInTheOrderOfSteps) {
  Job job({{"total", "sum(w)"}}, {.servers = 2, .ranks = 3, .order = Order::newest_first});
  for (std::int64_t step = 0; step < 6; ++step) job.step(step);
  EXPECT_EQ(job.servers[0].engine->steps(), 6U);
  EXPECT_GT(job.servers[0].engine->bytes(), 0U);
  job.run();
  for (const auto& server : job.servers) {
    ASSERT_EQ(server.steps.size(), 6U);
    for (std::size_t step = 0; step < 6; ++step)
      EXPECT_EQ(server.steps[step].tick.step, static_cast<std::int64_t>(step));
    EXPECT_EQ(server.engine->bytes(), 0U);
  }
}

TEST(Engine, ComputesOnlyDueDiagnostics) {
  Job job({{"total", "sum(w)"}, {"profile", "sum(th, y, x)"}}, {});
  job.begin(0, {1, 0});
  EXPECT_TRUE(job.servers[0].engine->wants(0));
  EXPECT_FALSE(job.servers[0].engine->wants(1));
  job.put_all(0);
  job.end();
  job.begin(1, {0, 0});  // nothing is due: no results
  EXPECT_FALSE(job.servers[0].engine->wants(0));
  job.end();
  job.begin(2, {0, 1});
  job.put_all(2);
  job.end();
  job.run();
  ASSERT_EQ(job.servers[0].steps.size(), 2U);
  EXPECT_THAT(job.whole(0, "total"), ::testing::ElementsAre(total("w", 0, 4)));
  EXPECT_EQ(job.servers[0].steps[1].tick.step, 2);
  EXPECT_EQ(job.whole(1, "profile"), profile("th", 2, 4));
}

TEST(Engine, ReportsMissingInputsAndComputesTheRest) {
  Job job({{"total", "sum(w)"}, {"profile", "sum(th, y, x)"}, {"doubled", "2 * w"}}, {});
  job.begin(0);
  for (int rank = 0; rank < 4; ++rank) {
    job.put(0, "th", rank);
    if (rank != 2) job.put(0, "w", rank);
  }
  job.end();
  job.step(1);  // complete again
  job.run();
  EXPECT_EQ(job.whole(0, "profile"), profile("th", 0, 4));
  const std::string missing = "rank 2 of the model did not put \"w\" at step 0";
  std::vector<std::pair<int, std::string>> said;
  for (auto& server : job.servers)
    for (const Failure& failure : server.engine->take_failures()) {
      said.emplace_back(failure.diagnostic, failure.what);
      EXPECT_FALSE(failure.thrown);
    }
  EXPECT_THAT(said, ::testing::UnorderedElementsAre(std::pair(job.number("total"), missing),
                                                    std::pair(job.number("doubled"), missing)));
  EXPECT_THAT(job.whole(1, "total"), ::testing::ElementsAre(total("w", 1, 4)));
  EXPECT_TRUE(job.servers[0].engine->take_failures().empty());
}

TEST(Engine, ReportsFailuresInTheOrderOfSteps) {
  Job job({{"doubled", "2 * w"}}, {.servers = 1, .ranks = 3, .order = Order::newest_first});
  for (std::int64_t step = 0; step < 5; ++step) {
    job.begin(step);
    for (int rank = 0; rank < 2; ++rank) job.put(step, "w", rank);
    job.end();
  }
  job.run();
  std::vector<std::int64_t> steps;
  for (const Failure& failure : job.servers[0].engine->take_failures()) steps.push_back(failure.tick.step);
  EXPECT_THAT(steps, ::testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(Engine, KernelsWithAStateSeeStepsInOrder) {
  Job job({{"numbers", "track(w > 8)"}}, {.servers = 2, .ranks = 4, .order = Order::newest_first});
  Job calm({{"numbers", "track(w > 8)"}}, {.servers = 1, .ranks = 4, .order = Order::oldest_first});
  for (std::int64_t step = 0; step < 5; ++step) {
    job.step(step);
    calm.step(step);
    calm.run();  // one by one
  }
  job.run();
  for (std::size_t step = 0; step < 5; ++step)
    EXPECT_EQ(job.whole(step, "numbers"), calm.whole(step, "numbers")) << step;
}

}  // namespace
}  // namespace tailrace::analytics::engine
