#include "session/restart_preview.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "checkpoint/saved_state.hpp"
#include "checkpoint/series/begun_files.hpp"
#include "env/file_system.hpp"
#include "output/format.hpp"
#include "plan/restart/output_paths.hpp"
#include "plan/restart/restored.hpp"

namespace tailrace::session {
namespace {

using checkpoint::FoundCheckpoint;

std::string of_checkpoints(const std::string& checkpoints, std::int64_t step) {
  std::string text;
  for (const FoundCheckpoint& found : checkpoint::find_checkpoints(env::system_files(), checkpoints)) {
    const bool is_older = found.step <= step;
    if (found.step == step || (is_older && found.state != FoundCheckpoint::State::unfinished)) continue;
    const char* what = found.state == FoundCheckpoint::State::refused ? "is in the way" : "is removed";
    text += fmt::format("  {} {}: {}\n", found.path, what,
                        found.why.empty() ? "it is of a later step" : found.why);
  }
  return text;
}

std::string of_begun_files(const std::string& checkpoints, const plan::Plan& plan, const model::Tick& at) {
  plan::OutputPaths paths = plan::output_paths(plan, at);
  const checkpoint::OutputOfRun output{std::filesystem::current_path().string(), std::move(paths.series),
                                       std::move(paths.files)};
  const auto run = checkpoint::read_run_files(env::system_files(), checkpoints);
  const auto behind = checkpoint::begun_behind(env::system_files(), run, output, at.step);
  std::string text;
  for (const checkpoint::BegunBehind::Removed& one : behind.removed)
    text += fmt::format("  {} is removed: it begins after the checkpoint\n", one.file.path);
  for (const std::string& stays : behind.stay) text += fmt::format("  {}; it stays\n", stays);
  return text;
}

std::string of_dataset(const plan::DatasetPlan& file) {
  const output::Format& format = *file.entry.writer();
  if (!file.restored || !format.makes_files()) return "";
  const plan::RestoredFile& restored = *file.restored;
  const std::string path = restored.part.empty() ? file.entry.path : restored.part;
  const bool is_file = format.makes_file(path);  // else nothing is asked over the network
  const bool exists = !is_file || env::system_files().entry(path) != env::Entry::none;
  if (restored.is_empty)
    return exists ? fmt::format("  {} is replaced: it had no records at the checkpoint\n", path) : "";
  if (!exists) return fmt::format("  {} is missing, so the restart will be refused\n", path);
  std::string kept;
  for (std::size_t axis = 0; axis < file.axes.size(); ++axis)
    kept += fmt::format("{}{} of {}", axis == 0 ? "" : ", ", restored.records[axis], file.axes[axis].dim);
  return fmt::format("  {} keeps its first records ({}); later ones are removed.{}\n", path, kept,
                     is_file ? " Now: " + format.inspect(path, false).report : "");
}

}  // namespace

std::string preview_restart(plan::Plan plan, const FoundCheckpoint& from) {
  const checkpoint::SavedState saved(env::system_files(), from.path, from.manifest);
  plan::mark_restored(plan, saved);
  const std::string checkpoints = std::filesystem::path(from.path).parent_path().string();
  std::string text = of_checkpoints(checkpoints, from.step) +
                     of_begun_files(checkpoints, plan, {from.step, from.manifest.head.time});
  for (const plan::DatasetPlan& file : plan.files) text += of_dataset(file);
  return text.empty() ? "it removes and replaces nothing\n" : "before its first step\n" + text;
}

}  // namespace tailrace::session
