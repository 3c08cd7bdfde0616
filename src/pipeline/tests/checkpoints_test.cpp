// Tests checkpoints while ranks and servers are at different steps and messages take their time: each holds
// what the steps up to it have made, and nothing of any later one.
#include <fmt/format.h>

#include <filesystem>

#include "base/index.hpp"
#include "checkpoint/checkpoint_check.hpp"
#include "checkpoint/saved_state.hpp"
#include "env/file_system.hpp"
#include "output/memory/memory_format.hpp"
#include "pipeline/tests/play.hpp"

namespace tailrace::pipeline {
namespace {

using namespace play;

const std::string checkpoints_text =
    "tailrace: 1\n"
    "fields: {state: {names: [w, cells, energy]}}\n"
    "diagnostics:\n"
    "  of_y: {is: 'mean(w, x)'}\n"
    "  anomaly: {is: 'w - of_y'}\n"
    "checkpoint: {directory: DIRECTORY, every: 2 steps, keep: 100, fields: [w, cells]}\n"
    "output:\n"
    "  PATH:\n"
    "    format: memory\n"
    "    write_every: 3 s\n"
    "    if_exists: replace\n"
    "    variables:\n"
    "      - {field: w, every: 2 s, chunk: [3, 2, 5], compression: zlib}\n"
    "      - {field: w, name: w_mean, time: mean, every: 3 s, chunk: [2, 5, 4], compression: zlib}\n"
    "      - {field: w, name: w_std, time: std, every: 5 steps}\n"
    "      - {field: cells, time: max, every: 3 s, chunk: [4, 3, 12]}\n"
    "      - {field: energy, time: sum, every: 3 s}\n"
    "      - {field: of_y, time: max, every: 3 s}\n"
    "      - {field: anomaly, time: mean, every: 3 s, chunk: [2, 3, 7]}\n";

// Every second time by way of a burst buffer.
std::string with_directory(const std::string& directory, int seed) {
  std::string text = checkpoints_text;
  const std::string buffer = seed % 2 == 0 ? fmt::format(", burst_buffer: {}/node", directory) : "";
  return text.replace(text.find("DIRECTORY"), 9, directory + buffer);
}

std::vector<double> values_of(const std::string& path, const std::string& name) {
  const auto contents = output::memory::contents_of(path);
  if (name != "cells") return contents->values<double>(name);
  const auto whole = contents->values<std::int32_t>(name);
  return {whole.begin(), whole.end()};
}

class AnyTeam : public testing::TestWithParam<std::tuple<int, int, int>> {
 protected:
  void TearDown() override { std::filesystem::remove_all(directory); }
  std::string directory = fmt::format("{}checkpoints_{}", testing::TempDir(), getpid());
};

using Values = std::map<std::string, std::vector<double>>;

Values read(const plan::DatasetPlan& file) {
  Values all;
  for (const plan::VariablePlan& variable : file.variables)
    all[variable.name] = values_of(file.entry.path, variable.name);
  for (const plan::AxisPlan& axis : file.axes) all[axis.dim] = values_of(file.entry.path, axis.dim);
  return all;
}

// Checks the records that a run restarted from a checkpoint appends to those committed before.
void check_run_from(const checkpoint::SavedState& state, const Cast& cast, const Values& whole) {
  Play second(cast, "moment");
  const plan::DatasetPlan& file = second.plan->files.front();
  std::vector<std::int64_t> committed;
  model::NumberLoader(state, "files/moment/clock/")("committed", committed);
  second.run();
  const Values made = read(file);
  for (const plan::VariablePlan& variable : file.variables) {
    const auto axis = base::index(variable.axis);
    const std::vector<double>& expected = whole.at(variable.name);
    ASSERT_EQ(made.at(variable.name).size(), expected.size()) << variable.name;
    const std::size_t cells = expected.size() / whole.at(file.axes[axis].dim).size();
    const std::size_t first = static_cast<std::size_t>(committed[axis]) * cells;
    ASSERT_TRUE(std::equal(expected.begin() + static_cast<std::ptrdiff_t>(first), expected.end(),
                           made.at(variable.name).begin() + static_cast<std::ptrdiff_t>(first)))
        << variable.name;
  }
}

TEST_P(AnyTeam, MakesCheckpointsOfOneMoment) {
  const auto [clients, servers, seed] = GetParam();
  Cast cast{.clients = clients, .servers = servers, .seed = static_cast<unsigned>(seed)};
  cast.text = with_directory(directory, seed);
  Play first(cast, "moment");
  first.run();
  const Values whole = read(first.plan->files.front());
  const std::string sets = checkpoint::checkpoints_path(directory, "bubble");
  const auto found = checkpoint::find_checkpoints(env::system_files(), sets);
  ASSERT_EQ(found.size(), steps / 2);
  for (const checkpoint::FoundCheckpoint& set : found) {
    SCOPED_TRACE(fmt::format("step {}", set.step));
    ASSERT_EQ(set.state, checkpoint::FoundCheckpoint::State::complete) << set.why;
    ASSERT_EQ(checkpoint::damage_of(env::system_files(), set.path, set.manifest), std::nullopt);
    const checkpoint::SavedState state(env::system_files(), set.path, set.manifest);
    const model::StateArray w{"model/fields/w", model::DataType::float64, {"y", "x"}, {ny, nx}};
    std::vector<double> values(static_cast<std::size_t>(ny * nx));
    state.load(w, model::Region::of_box({{0, 0}, {ny, nx}}), std::as_writable_bytes(std::span(values)));
    for (std::int64_t cell = 0; cell < ny * nx; ++cell)
      ASSERT_EQ(values[base::index(cell)], value_of(set.step, cell));
    EXPECT_EQ(model::load_kept_value(state, "seed"),
              model::KeptValue(std::vector<std::int64_t>{set.step, 77}));
    Cast after{.clients = 2 + static_cast<int>(set.step) % 3, .servers = 1 + static_cast<int>(set.step) % 2};
    after.text = cast.text;
    after.text.replace(after.text.find("checkpoint:"),
                       after.text.find("output:") - after.text.find("checkpoint:"), "");
    after.begin = set.step;
    after.saved = &state;
    check_run_from(state, after, whole);
  }
}

INSTANTIATE_TEST_SUITE_P(Teams, AnyTeam,
                         testing::Values(std::tuple{1, 1, 1}, std::tuple{3, 2, 2}, std::tuple{5, 3, 3},
                                         std::tuple{2, 4, 4}, std::tuple{4, 4, 5}, std::tuple{3, 19, 6}));

}  // namespace
}  // namespace tailrace::pipeline
