// A component whose state is saved in the middle of a run and loaded into another one, which may have other
// numbers of ranks, servers and threads: what the two write together is, bit for bit, what one run writes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "model/memory_state.hpp"
#include "output/memory/memory_format.hpp"
#include "pipeline/tests/play.hpp"

namespace tailrace::pipeline {
namespace {

using namespace play;
using testing::HasSubstr;

// Chunks of several records, windows and series of instants; some commits hold parts of chunks.
const std::string whole_text =
    "tailrace: 1\n"
    "fields: {state: {names: [w, cells, energy]}}\n"
    "diagnostics:\n"
    "  total: {is: sum(w)}\n"
    "  of_y: {is: 'mean(w, x)'}\n"
    "  anomaly: {is: 'w - of_y'}\n"
    "output:\n"
    "  PATH:\n"
    "    format: memory\n"
    "    write_every: 3 s\n"
    "    if_exists: replace\n"
    "    variables:\n"
    "      - {field: w, every: 2 s, chunk: [3, 2, 5], compression: zlib}\n"
    "      - {field: w, name: w_mean, time: mean, every: 3 s, chunk: [1, 5, 4], compression: zlib}\n"
    "      - {field: w, name: w_std, time: std, every: 5 steps}\n"
    "      - {field: w, name: w_min, time: min, every: 5 s}\n"
    "      - {field: cells, time: max, every: 3 s, chunk: [4, 3, 12]}\n"
    "      - {field: energy, time: sum, every: 3 s}\n"
    "      - {field: total, time: mean, every: 4 s}\n"
    "      - {field: of_y, time: max, every: 3 s}\n"
    "      - {field: anomaly, time: mean, every: 3 s, chunk: [2, 3, 7]}\n";
const std::vector<std::string> names{"w",      "w_mean", "w_std", "w_min",  "cells",
                                     "energy", "total",  "of_y",  "anomaly"};
const std::vector<std::string> times{"time_instant_2s", "time_3s",     "time_3s_bnds",
                                     "time_5s",         "time_5steps", "time_4s"};

// Bytes of a variable as the memory format holds them.
std::vector<double> values_of(const std::string& path, const std::string& name) {
  const auto contents = output::memory::contents_of(path);
  if (name == "cells") {
    const auto whole = contents->values<std::int32_t>(name);
    return {whole.begin(), whole.end()};
  }
  return contents->values<double>(name);
}

std::map<std::string, std::vector<double>> read(const std::string& path) {
  std::map<std::string, std::vector<double>> all;
  for (const std::string& name : names) all[name] = values_of(path, name);
  for (const std::string& name : times) all[name] = values_of(path, name);
  return all;
}

const std::map<std::string, std::vector<double>>& reference() {
  static const auto once = [] {
    Cast cast;
    cast.text = whole_text;
    Play play(cast, "state_reference");
    play.run();
    return read("state_reference");
  }();
  return once;
}

// The records that the first run committed, followed by those of the second.
std::vector<double> joined(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> all = first;
  if (second.size() > first.size()) all.insert(all.end(), second.begin() + std::ssize(first), second.end());
  return all;
}

// As a job that is stopped once its state is saved.
void end(Play& play) {
  for (ModelRank& rank : play.ranks) rank.client->abandon();
  testing::internal::CaptureStderr();
  while (!play.over()) play.progress();
  testing::internal::GetCapturedStderr();
}

struct Cut {
  const char* name;
  Cast before, after;
};
void PrintTo(const Cut& cut, std::ostream* out) { *out << cut.name; }
class AnyCut : public testing::TestWithParam<Cut> {};

TEST_P(AnyCut, ChangesNoBit) {
  const std::string name = GetParam().name;
  for (std::int64_t step = 1; step <= steps; ++step) {
    SCOPED_TRACE("cut behind step " + std::to_string(step));
    Cast before = GetParam().before, after = GetParam().after;
    before.text = after.text = whole_text;
    before.seed = after.seed = static_cast<unsigned>(step);
    model::MemoryState state;
    Play first(before, name);
    first.play_until(step, state);
    const auto written = read(name);
    end(first);
    after.begin = step;
    after.saved = &state;
    Play second(after, name);
    second.run();
    for (const auto& [variable, values] : read(name))
      ASSERT_EQ(joined(written.at(variable), values), reference().at(variable)) << variable;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cuts, AnyCut,
    testing::Values(
        Cut{"same", {}, {}}, Cut{"more_ranks", {.clients = 2}, {.clients = 5, .servers = 2}},
        Cut{"fewer_servers", {.clients = 3, .servers = 3}, {.clients = 2, .servers = 1}},
        Cut{"more_servers_than_ranks", {.clients = 2, .servers = 2}, {.clients = 3, .servers = 4}},
        // Two or three of the servers have no rank, but windows of diagnostics, before or behind the cut.
        Cut{"idle_servers", {.clients = 1, .servers = 4}, {.clients = 3, .servers = 2}},
        Cut{"idle_servers_later", {.clients = 2, .servers = 4}, {.clients = 1, .servers = 3}},
        Cut{"other_halves", {.clients = 4, .servers = 2, .indexed = true}, {.clients = 3, .servers = 2}},
        Cut{"threads",
            {.clients = 3, .servers = 2, .threads = 2},
            {.clients = 2, .servers = 2, .threads = 1}}),
    [](const auto& parameter) { return parameter.param.name; });

// A new file every 5 s, in which chunks count from its own start: by file and variable.
std::map<std::string, std::vector<double>> read_files(const std::string& path) {
  std::map<std::string, std::vector<double>> all;
  for (int begin = 0; begin < time_of(steps); begin += 5) {
    const std::string file = fmt::format("{}_{}.0-{}.0", path, begin, begin + 5);
    if (!output::memory::contents_of(file)) continue;
    for (const auto& [name, values] : read(file)) all[fmt::format("{} {}", begin, name)] = values;
  }
  return all;
}

TEST(State, GoesOnInTheFileThatIsOpen) {
  Cast cast;
  cast.text = whole_text;
  cast.text.replace(cast.text.find("    if_exists"), 0, "    new_file_every: 5 s\n");
  Play whole(cast, "many");
  whole.run();
  const auto expected = read_files("many");
  EXPECT_GT(expected.size(), 2 * (names.size() + times.size()));
  for (std::int64_t step = 1; step < steps; ++step) {
    SCOPED_TRACE("cut behind step " + std::to_string(step));
    const std::string name = fmt::format("many_{}", step);
    model::MemoryState state;
    Cast before = cast, after = cast;
    before.clients = 2;
    after.servers = 2;
    Play first(before, name);
    first.play_until(step, state);
    auto written = read_files(name);
    end(first);
    after.begin = step;
    after.saved = &state;
    Play second(after, name);
    second.run();
    for (const auto& [variable, values] : read_files(name))
      written[variable] = joined(written[variable], values);
    ASSERT_EQ(written, expected);
  }
}

TEST(State, IsNamedArraysOfTheWholeRun) {
  Cast cast{.clients = 3, .servers = 2};
  cast.text = whole_text;
  model::MemoryState state;
  Play play(cast, "named");
  play.play_until(4, state);
  const auto sum = state.find("files/named/w_mean/sum");
  ASSERT_TRUE(sum);
  EXPECT_EQ(*sum,
            (model::StateArray{"files/named/w_mean/sum", model::DataType::float64, {"y", "x"}, {ny, nx}}));
  double weight = 0.0;
  model::NumberLoader(state, "files/named/w_mean/")("weight", weight);
  EXPECT_DOUBLE_EQ(weight, time_of(4) - 0.0);
  std::vector<double> row(static_cast<std::size_t>(nx));
  state.load(*sum, model::Region::of_box({{2, 0}, {1, nx}}), std::as_writable_bytes(std::span(row)));
  for (std::int64_t x = 0; x < nx; ++x) {
    double expected = 0.0;
    for (std::int64_t step = 1; step <= 4; ++step)
      expected += (time_of(step) - (step == 1 ? 0.0 : time_of(step - 1))) * value_of(step, 2 * nx + x);
    EXPECT_NEAR(row[base::index(x)], expected, 1e-12 * std::abs(expected));
  }
  for (const std::string& name : state.names()) EXPECT_THAT(name, testing::Not(HasSubstr("rank")));
  end(play);
}

TEST(State, ThatLacksAnArrayIsRefusedWithItsName) {
  model::MemoryState empty;
  Cast cast;
  cast.begin = 4;
  cast.saved = &empty;
  try {
    Play play(cast, "lacking");
    FAIL() << "an empty state was loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    EXPECT_THAT(error.what(), HasSubstr("the saved state has no \"axes/"));
  }
}

}  // namespace
}  // namespace tailrace::pipeline
