// Diagnostics from puts to files: compared with the formulas the model puts, and the same bits whatever the
// numbers of ranks, servers and threads.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/index.hpp"
#include "output/memory/memory_format.hpp"
#include "pipeline/tests/play.hpp"

namespace tailrace::pipeline {
namespace {

using namespace play;

const std::string text =
    "tailrace: 1\n"
    "fields: {state: {names: [w, cells, energy]}}\n"
    "diagnostics:\n"
    "  total: {is: sum(w)}\n"
    "  of_y: {is: 'mean(w, x)'}\n"
    "  of_x: {is: 'max(w, y)'}\n"
    "  variance: {is: mean((w - mean(w)) * (w - mean(w)))}\n"
    "  anomaly: {is: 'w - of_y'}\n"
    "  middle: {is: 'quantile(w, x, q=0.5)'}\n"
    "  along: {is: 'cumsum(w, x)'}\n"
    "  scaled: {is: w * energy}\n"
    "  scalar: {is: 2 * energy}\n"
    "  where_max: {is: 'argmax(w, x)'}\n"
    "output:\n"
    "  PATH:\n"
    "    format: memory\n"
    "    write_every: 3 s\n"
    "    variables:\n"
    "      - {field: w, every: 1 step}\n"
    "      - {field: total, every: 1 step}\n"
    "      - {field: total, name: total_mean, time: mean, every: 3 s}\n"
    "      - {field: of_y, every: 1 step}\n"
    "      - {field: of_x, every: 1 step, chunk: [2, 5]}\n"
    "      - {field: variance, every: 2 steps}\n"
    "      - {field: anomaly, every: 1 step, chunk: [3, 2, 5]}\n"
    "      - {field: middle, every: 1 step}\n"
    "      - {field: along, every: 1 step}\n"
    "      - {field: scaled, time: max, every: 3 s}\n"
    "      - {field: scalar, every: 1 step}\n"
    "      - {field: where_max, every: 1 step}\n";

const std::vector<std::string> names{"total",  "total_mean", "of_y",   "of_x",   "variance", "anomaly",
                                     "middle", "along",      "scaled", "scalar", "where_max"};

std::map<std::string, std::vector<double>> played(Cast cast, const std::string& path) {
  cast.text = text;
  Play play(cast, path);
  play.run();
  std::map<std::string, std::vector<double>> values;
  for (const std::string& name : names)
    values[name] = output::memory::contents_of(path)->values<double>(name);
  return values;
}

const std::map<std::string, std::vector<double>>& reference() {
  static const auto once = played({}, "diagnostics_reference");
  return once;
}

double w(std::int64_t step, std::int64_t y, std::int64_t x) { return value_of(step, y * nx + x); }

double mean_of_row(std::int64_t step, std::int64_t y) {
  double sum = 0.0;
  for (std::int64_t x = 0; x < nx; ++x) sum += w(step, y, x);
  return sum / nx;
}

TEST(Diagnostics, AreWhatTheFormulasSay) {
  const auto& found = reference();
  ASSERT_EQ(found.at("total").size(), static_cast<std::size_t>(steps));
  for (std::int64_t step = 1; step <= steps; ++step) {
    const auto at = base::index(step - 1);
    double total = 0.0;
    for (std::int64_t y = 0; y < ny; ++y) total += nx * mean_of_row(step, y);
    EXPECT_NEAR(found.at("total")[at], total, 1e-12 * std::abs(total));
    EXPECT_EQ(found.at("scalar")[at], 2.0 / static_cast<double>(step));
    for (std::int64_t y = 0; y < ny; ++y) {
      const std::size_t row = at * ny + static_cast<std::size_t>(y);
      EXPECT_NEAR(found.at("of_y")[row], mean_of_row(step, y), 1e-12);
      std::vector<double> sorted;
      double sum = 0.0;
      for (std::int64_t x = 0; x < nx; ++x) {
        sorted.push_back(w(step, y, x));
        sum += w(step, y, x);
        const std::size_t cell = row * nx + static_cast<std::size_t>(x);
        EXPECT_NEAR(found.at("anomaly")[cell], w(step, y, x) - mean_of_row(step, y), 1e-12);
        EXPECT_EQ(found.at("along")[cell], sum);
      }
      const auto most = std::max_element(sorted.begin(), sorted.end()) - sorted.begin();
      EXPECT_EQ(found.at("where_max")[row], static_cast<double>(most));
      std::sort(sorted.begin(), sorted.end());
      EXPECT_DOUBLE_EQ(found.at("middle")[row], 0.5 * (sorted[nx / 2 - 1] + sorted[nx / 2]));
    }
    for (std::int64_t x = 0; x < nx; ++x) {
      double most = w(step, 0, x);
      for (std::int64_t y = 1; y < ny; ++y) most = std::max(most, w(step, y, x));
      EXPECT_EQ(found.at("of_x")[at * nx + base::index(x)], most);
    }
  }
  // A mean over time of a diagnostic, by the rule of windows.
  double sum = 0.0;
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double from = step == 1 ? 0.0 : time_of(step - 1);
    sum += std::max(0.0, std::min(3.0, time_of(step)) - from) * found.at("total")[base::index(step - 1)];
    if (time_of(step) >= 3.0) break;
  }
  EXPECT_NEAR(found.at("total_mean")[0], sum / 3.0, 1e-12 * std::abs(sum));
}

struct Named {
  const char* name;
  Cast cast;
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }
class DiagnosticsOfAnyCast : public testing::TestWithParam<Named> {};

TEST_P(DiagnosticsOfAnyCast, HaveTheSameBits) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Cast cast = GetParam().cast;
    cast.seed = seed;
    const auto found = played(cast, std::string("diagnostics_") + GetParam().name);
    for (const std::string& name : names) {
      const auto& here = found.at(name);
      const auto& there = reference().at(name);
      ASSERT_EQ(here.size(), there.size()) << name;
      EXPECT_EQ(std::memcmp(here.data(), there.data(), here.size() * sizeof(double)), 0)
          << name << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Casts, DiagnosticsOfAnyCast,
    testing::Values(Named{"two_ranks", {.clients = 2}},
                    Named{"three_ranks_two_servers", {.clients = 3, .servers = 2}},
                    Named{"five_ranks_three_servers", {.clients = 5, .servers = 3}},
                    Named{"more_servers_than_ranks", {.clients = 2, .servers = 4}},
                    Named{"servers_that_start_late", {.clients = 2, .servers = 4, .late_turns = 100}},
                    Named{"indexed", {.clients = 4, .servers = 2, .indexed = true}},
                    Named{"threads", {.clients = 4, .servers = 2, .threads = 2}},
                    Named{"little_memory", {.clients = 3, .servers = 3, .memory = 2048}}),
    [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace tailrace::pipeline
