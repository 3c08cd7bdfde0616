// Regridding in a whole component with weights by a formula. The output of one rank and one server is
// compared with a computation of its own; that of any ranks and servers with the former, bit for bit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/memory_state.hpp"
#include "output/memory/memory_format.hpp"
#include "pipeline/tests/hand_made_weights.hpp"
#include "pipeline/tests/play.hpp"

namespace tailrace::pipeline {
namespace {

using namespace play;
using testing::HasSubstr;

constexpr double fill = -999.0;
constexpr std::int64_t nz = 3, target_cells = 48;

const std::string text =
    "tailrace: 1\n"
    "fields:\n"
    "  state: {names: [w, cells, energy, wet, air, soil]}\n"
    "  seldom: {names: [rare], optional: true}\n"
    "diagnostics:\n"
    "  twice: {is: '2 * w'}\n"
    "output:\n"
    "  PATH:\n"
    "    format: memory\n"
    "    write_every: 3 s\n"
    "    if_exists: replace\n"
    "    regrid: {to: {healpix: {level: 1}}, method: conservative, coverage: 0.5, with_fraction: true}\n"
    "    variables:\n"
    "      - {field: w, every: 2 s}\n"
    "      - {field: w, name: w_mean, time: mean, every: 3 s, chunk: [1, 9]}\n"
    "      - {field: w, name: w_max, time: max, every: 3 s}\n"
    "      - {field: w, name: w_std, time: std, every: 5 steps}\n"
    "      - {field: w, name: w_float, time: mean, every: 3 s, type: float32}\n"
    "      - {field: wet, name: wet_mean, time: mean, every: 3 s}\n"
    "      - {field: wet, name: wet_now, every: 2 s}\n"
    "      - {field: air, name: air_mean, time: mean, every: 3 s, chunk: [1, 2, 11]}\n"
    "      - {field: soil, name: soil_min, time: min, every: 4 s}\n"
    "      - {field: rare, name: rare_sum, time: sum, every: 3 s}\n"
    "      - {field: twice, name: twice_mean, time: mean, every: 4 s}\n"
    "      - {field: twice, name: twice_max, time: max, every: 4 s}\n"
    "      - {field: cells, name: class_of, every: 3 s, regrid: {to: {healpix: {level: 1}}, method: "
    "nearest}}\n"
    "      - {field: energy, time: sum, every: 3 s}\n";
const std::vector<std::string> names{"w",          "w_mean",    "w_max",    "w_std",    "w_float",
                                     "wet_mean",   "wet_now",   "air_mean", "soil_min", "rare_sum",
                                     "twice_mean", "twice_max", "class_of", "energy",   "cell"};

double wet_of(std::int64_t step, std::int64_t cell) {
  return (step + cell) % 4 == 0 ? fill : value_of(step, cell) - 3.0;
}

Cast cast_of(int clients, int servers, int threads = 0) {
  Cast cast;
  cast.clients = clients;
  cast.servers = servers;
  cast.threads = threads;
  cast.text = text;
  cast.on_earth = true;
  cast.grids = {{"air", {"z", "y", "x"}, {nz, ny, nx}}, {"soil", {"y", "x", "s"}, {ny, nx, 2}}};
  cast.fields = {{"wet", "les", fill, wet_of},
                 {"air", "air", std::nullopt, value_of},
                 {"soil", "soil", std::nullopt, value_of},
                 {"rare", "les", fill, value_of, [](std::int64_t step) { return step % 3 != 1; }}};
  return cast;
}

struct Regridded : Play {
  Regridded(const Cast& cast, const std::string& path) : Play(with_weights(cast), path) {}

  static Cast with_weights(Cast cast) {
    cast.before_start = [clients = cast.clients, servers = cast.servers](ServedComponent& component,
                                                                         int server) {
      std::vector<std::vector<int>> of(base::index(servers));
      for (int client = 0; client < clients; ++client)
        of[base::index(client * servers / clients)].push_back(client);
      component.give_weights(hand_made_weights(component.blueprint(), of, server));
    };
    return cast;
  }
};

// As the memory format holds them, as doubles.
std::map<std::string, std::vector<double>> read(const std::string& path) {
  const auto contents = output::memory::contents_of(path);
  std::map<std::string, std::vector<double>> all;
  for (const std::string& name : names) {
    if (name == "class_of") {
      const auto whole = contents->values<std::int32_t>(name);
      all[name] = {whole.begin(), whole.end()};
    } else if (name == "cell") {
      const auto whole = contents->values<std::int64_t>(name);
      all[name] = {whole.begin(), whole.end()};
    } else if (name == "w_float") {
      const auto whole = contents->values<float>(name);
      all[name] = {whole.begin(), whole.end()};
    } else {
      all[name] = contents->values<double>(name);
    }
  }
  return all;
}

void replace_nan(std::vector<double>& values) {
  for (double& value : values)
    if (std::isnan(value)) value = 1e300;
}

std::map<std::string, std::vector<double>> run_of(const Cast& cast, const std::string& path) {
  Regridded play(cast, path);
  play.run();
  auto all = read(path);
  for (auto& [name, values] : all) replace_nan(values);
  return all;
}

const std::map<std::string, std::vector<double>>& reference() {
  static const auto once = run_of(cast_of(1, 1), "regridded_reference");
  return once;
}

TEST(Regridding, MeansAreThoseOfTheRegriddedWindow) {
  const auto& all = reference();
  ASSERT_GT(all.at("w_mean").size(), 2U * target_cells);
  for (std::int64_t target = 0; target < target_cells; ++target) {
    double expected = 0.0, weights = 0.0;
    for (const Link& link : links_of(ny * nx, target, regrid::Method::conservative)) {
      double window = 0.0;
      for (std::int64_t step = 1; time_of(step - 1) < 3.0; ++step) {
        const double end = std::min(3.0, time_of(step)), begin = step == 1 ? 0.0 : time_of(step - 1);
        window += (end - begin) / 3.0 * value_of(step, link.source);
      }
      expected += link.weight * window;
      weights += link.weight;
    }
    const double got = all.at("w_mean")[base::index(target)];
    if (weights == 0.0)
      EXPECT_GT(std::abs(got), 1e30) << target;
    else
      EXPECT_NEAR(got, expected / weights, 1e-12 * std::abs(got)) << target;
  }
}

TEST(Regridding, ExtremesAreThoseOfTheRegriddedSamples) {
  const auto& all = reference();
  for (std::int64_t target = 0; target < target_cells; ++target) {
    double expected = -1e300;
    for (std::int64_t step = 1; time_of(step - 1) < 3.0; ++step) {
      double sum = 0.0, weights = 0.0;
      for (const Link& link : links_of(ny * nx, target, regrid::Method::conservative)) {
        sum += link.weight * value_of(step, link.source);
        weights += link.weight;
      }
      if (weights > 0.0) expected = std::max(expected, sum / weights);
    }
    if (expected == -1e300) continue;
    EXPECT_NEAR(all.at("w_max")[base::index(target)], expected, 1e-12 * std::abs(expected)) << target;
  }
}

// The second record of snapshots.
TEST(Regridding, MissingCellsCountByCoverage) {
  const auto& values = reference().at("wet_now");
  std::int64_t step = 1;
  while (time_of(step) < 4.0) ++step;
  for (std::int64_t target = 0; target < target_cells; ++target) {
    double sum = 0.0, valid = 0.0;
    for (const Link& link : links_of(ny * nx, target, regrid::Method::conservative))
      if (wet_of(step, link.source) != fill) {
        sum += link.weight * wet_of(step, link.source);
        valid += link.weight;
      }
    const double got = values[base::index(target_cells + target)];
    if (valid < 0.5 - 1e-9)
      EXPECT_EQ(got, fill) << target;
    else
      EXPECT_NEAR(got, sum / valid, 1e-12 * std::abs(got)) << target;
  }
}

TEST(Regridding, LevelsLieWhereTheFieldHasThem) {
  const auto& air = reference().at("air_mean");
  const auto& soil = reference().at("soil_min");
  ASSERT_EQ(air.size() % base::index(nz * target_cells), 0U);
  for (std::int64_t target = 0; target < target_cells; ++target) {
    const auto links = links_of(ny * nx, target, regrid::Method::conservative);
    if (links.empty()) continue;
    double weights = 0.0;
    for (const Link& link : links) weights += link.weight;
    for (std::int64_t z = 0; z < nz; ++z) {
      double expected = 0.0;
      for (const Link& link : links)
        for (std::int64_t step = 1; time_of(step - 1) < 3.0; ++step) {
          const double end = std::min(3.0, time_of(step)), begin = step == 1 ? 0.0 : time_of(step - 1);
          expected += link.weight / weights * (end - begin) / 3.0 * value_of(step, z * ny * nx + link.source);
        }
      const double got = air[base::index(z * target_cells + target)];
      EXPECT_NEAR(got, expected, 1e-12 * std::abs(expected)) << z << " " << target;
    }
    for (std::int64_t s = 0; s < 2; ++s) {
      double expected = 1e300;
      for (std::int64_t step = 1; time_of(step - 1) < 4.0; ++step) {
        double sum = 0.0;
        for (const Link& link : links) sum += link.weight / weights * value_of(step, link.source * 2 + s);
        expected = std::min(expected, sum);
      }
      const double got = soil[base::index(target * 2 + s)];
      EXPECT_NEAR(got, expected, 1e-12 * std::abs(expected)) << s << " " << target;
    }
  }
}

TEST(Regridding, NumbersOfCellsAndClassesAreExact) {
  const auto& all = reference();
  for (std::int64_t target = 0; target < target_cells; ++target) {
    EXPECT_EQ(all.at("cell")[base::index(target)], static_cast<double>(target));
    const auto links = links_of(ny * nx, target, regrid::Method::nearest);
    if (links.empty()) continue;
    std::int64_t step = 1;
    while (time_of(step) < 3.0) ++step;
    EXPECT_EQ(all.at("class_of")[base::index(target)],
              static_cast<double>(step % 5 * 100 + links.front().source));
  }
}

std::vector<double> values_of(const std::string& path, const std::string& name) {
  return output::memory::contents_of(path)->values<double>(name);
}

std::string pyramid_text(const std::string& target) {
  return "tailrace: 1\n"
         "fields: {state: {names: [w, cells, energy, wet, air, soil, rare]}}\n"
         "output:\n"
         "  PATH:\n"
         "    format: memory\n"
         "    if_exists: replace\n"
         "    regrid: {to: " +
         target +
         ", coverage: 0.5}\n"
         "    pyramid: {levels: 1}\n"
         "    variables:\n"
         "      - {field: wet, name: wet_mean, time: mean, every: 3 s}\n"
         "      - {field: w, name: w_max, time: max, every: 4 s}\n";
}

// The mean of the valid children, which must be half of the area; NaN if they are too few.
double parent_of(const std::vector<double>& children, const std::vector<double>& areas) {
  double sum = 0.0, valid = 0.0, all = 0.0;
  for (std::size_t c = 0; c < children.size(); ++c) {
    all += areas[c];
    if (children[c] == fill || std::abs(children[c]) > 1e30) continue;
    sum += areas[c] * children[c];
    valid += areas[c];
  }
  return valid > 0.0 && valid >= 0.5 * all - 1e-9 ? sum / valid : std::nan("");
}

bool is_missing(double value) { return value == fill || std::abs(value) > 1e30 || std::isnan(value); }

TEST(Regridding, LevelsOfHealpixAreMadeOfFourCells) {
  for (const auto& [clients, servers] : {std::pair{1, 1}, std::pair{5, 3}}) {
    Cast cast = cast_of(clients, servers);
    cast.text = pyramid_text("{healpix: {level: 1}}");
    const std::string path = fmt::format("pyramid_{}", clients);
    Regridded play(cast, path);
    play.run();
    const auto fine = values_of(path, "wet_mean"), coarse = values_of(path + "_z0", "wet_mean");
    ASSERT_EQ(fine.size(), 4 * coarse.size());
    ASSERT_GT(coarse.size(), 12U);
    int valid = 0;
    for (std::size_t cell = 0; cell < coarse.size(); ++cell) {
      const double expected = parent_of(
          {fine[4 * cell], fine[4 * cell + 1], fine[4 * cell + 2], fine[4 * cell + 3]}, {1.0, 1.0, 1.0, 1.0});
      EXPECT_EQ(is_missing(coarse[cell]), std::isnan(expected)) << cell;
      if (std::isnan(expected)) continue;
      EXPECT_EQ(coarse[cell], expected) << cell;
      ++valid;
    }
    EXPECT_GT(valid, 12);
    const auto most = values_of(path, "w_max"), coarse_most = values_of(path + "_z0", "w_max");
    for (std::size_t cell = 0; cell < coarse_most.size(); ++cell) {
      double expected = -1e300;
      for (std::size_t c = 4 * cell; c < 4 * cell + 4; ++c)
        if (!is_missing(most[c])) expected = std::max(expected, most[c]);
      if (!is_missing(coarse_most[cell])) {
        EXPECT_EQ(coarse_most[cell], expected) << cell;
      }
    }
  }
}

TEST(Regridding, LevelsOfRowsAreWeightedByTheirAreas) {
  Cast cast = cast_of(3, 2);
  cast.text = pyramid_text("{latlon: {lat: [-67.5, -22.5, 22.5, 67.5], lon: [30, 90, 150, 210, 270, 330]}}");
  Regridded play(cast, "pyramid_rows");
  play.run();
  const auto fine = values_of("pyramid_rows", "wet_mean"), coarse = values_of("pyramid_rows_2x3", "wet_mean");
  ASSERT_EQ(fine.size(), 4 * coarse.size());
  const auto area = [](std::size_t row) {
    const double south = -90.0 + 45.0 * static_cast<double>(row);
    const auto sine = [](double degrees) { return std::sin(degrees * 3.14159265358979323846 / 180.0); };
    return sine(south + 45.0) - sine(south);
  };
  for (std::size_t record = 0; record < coarse.size() / 6; ++record)
    for (std::size_t y = 0; y < 2; ++y)
      for (std::size_t x = 0; x < 3; ++x) {
        const auto at = [&](std::size_t dy, std::size_t dx) {
          return fine[record * 24 + (2 * y + dy) * 6 + 2 * x + dx];
        };
        const double expected = parent_of({at(0, 0), at(0, 1), at(1, 0), at(1, 1)},
                                          {area(2 * y), area(2 * y), area(2 * y + 1), area(2 * y + 1)});
        const double got = coarse[record * 6 + y * 3 + x];
        EXPECT_EQ(is_missing(got), std::isnan(expected));
        if (std::isnan(expected)) continue;
        EXPECT_NEAR(got, expected, 1e-13 * std::abs(expected));
      }
}

struct Case {
  const char* name;
  Cast cast;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }
class RegriddedOnServers : public testing::TestWithParam<Case> {};

TEST_P(RegriddedOnServers, WriteTheSameBits) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    Cast cast = GetParam().cast;
    cast.seed = seed;
    const auto all = run_of(cast, fmt::format("regridded_{}", GetParam().name));
    for (const auto& [name, values] : all) ASSERT_EQ(values, reference().at(name)) << name;
  }
}

Cast indexed(Cast cast) {
  cast.indexed = true;
  return cast;
}

INSTANTIATE_TEST_SUITE_P(Decompositions, RegriddedOnServers,
                         testing::Values(Case{"two", cast_of(2, 1)}, Case{"five_on_three", cast_of(5, 3)},
                                         Case{"six_on_two", cast_of(6, 2)},
                                         Case{"idle_servers", cast_of(2, 4)},
                                         Case{"indexed", indexed(cast_of(4, 2))},
                                         Case{"threads", cast_of(3, 2, 2)}),
                         [](const auto& parameter) { return parameter.param.name; });

// As a job that is stopped once its state is saved.
void end(Play& play) {
  for (ModelRank& rank : play.ranks) rank.client->abandon();
  testing::internal::CaptureStderr();
  while (!play.over()) play.progress();
  testing::internal::GetCapturedStderr();
}

std::vector<double> joined(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> all = first;
  if (second.size() > first.size()) all.insert(all.end(), second.begin() + std::ssize(first), second.end());
  return all;
}

struct Cut {
  const char* name;
  Cast before, after;
};
void PrintTo(const Cut& cut, std::ostream* out) { *out << cut.name; }
class RegriddedAcrossRestart : public testing::TestWithParam<Cut> {};

TEST_P(RegriddedAcrossRestart, ChangesNoBit) {
  const std::string name = fmt::format("regridded_cut_{}", GetParam().name);
  for (std::int64_t step = 1; step <= steps; ++step) {
    SCOPED_TRACE("cut behind step " + std::to_string(step));
    Cast before = GetParam().before, after = GetParam().after;
    before.seed = after.seed = static_cast<unsigned>(step);
    model::MemoryState state;
    Regridded first(before, name);
    first.play_until(step, state);
    auto written = read(name);
    for (auto& [variable, values] : written) replace_nan(values);
    end(first);
    after.begin = step;
    after.saved = &state;
    const auto all = [&] {
      Regridded second(after, name);
      second.run();
      auto rest = read(name);
      for (auto& [variable, values] : rest) replace_nan(values);
      return rest;
    }();
    for (const auto& [variable, values] : all) {
      if (variable == "cell") continue;
      ASSERT_EQ(joined(written.at(variable), values), reference().at(variable)) << variable;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cuts, RegriddedAcrossRestart,
                         testing::Values(Cut{"same", cast_of(1, 1), cast_of(1, 1)},
                                         Cut{"more_ranks", cast_of(2, 1), cast_of(5, 2)},
                                         Cut{"fewer_servers", cast_of(3, 3), cast_of(2, 1)},
                                         Cut{"idle_servers", cast_of(2, 4), cast_of(3, 2)}),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(Regridding, KeepsTheWindowsOfTheSourceInTheState) {
  model::MemoryState state;
  Regridded play(cast_of(3, 2), "regridded_named");
  play.play_until(4, state);
  const auto sum = state.find("files/regridded_named/w_mean/sum");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->shape, (std::vector<std::int64_t>{ny, nx}));
  const auto most = state.find("files/regridded_named/w_max/extreme");
  ASSERT_TRUE(most);
  EXPECT_EQ(most->shape, std::vector<std::int64_t>{target_cells});
  end(play);
}

}  // namespace
}  // namespace tailrace::pipeline
