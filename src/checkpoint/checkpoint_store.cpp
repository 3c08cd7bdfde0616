#include "checkpoint/checkpoint_store.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "checkpoint/checkpoint_check.hpp"
#include "checkpoint/complete_steps.hpp"
#include "checkpoint/manifest.hpp"
#include "env/threads.hpp"

namespace tailrace::checkpoint {
namespace {

std::string lock_path(const std::string& checkpoints) { return checkpoints + "/lock"; }
std::string manifest_path(const std::string& checkpoint) {
  return fmt::format("{}/{}", checkpoint, manifest_name);
}
std::string new_manifest_path(const std::string& checkpoint) { return manifest_path(checkpoint) + ".new"; }

std::string on_nodes_path(const std::string& checkpoint) {
  return fmt::format("{}/{}", checkpoint, manifest_on_nodes_name);
}

// Removes only files that this room makes: users may put notes beside their data.
void remove_unfinished(env::FileSystem& files, const std::string& checkpoint) {
  for (const std::string& name : files.list(checkpoint))
    if (is_checkpoint_file(name)) files.remove(checkpoint + "/" + name);
  files.remove(checkpoint);
}

std::string parent_of(const std::string& checkpoint) {
  return std::filesystem::path(checkpoint).parent_path().string();
}

std::int64_t step_of(const std::string& checkpoint) {
  return step_of_name(std::filesystem::path(checkpoint).filename().string());
}

// The checkpoint is complete without it.
void try_to_note_complete(env::FileSystem& files, const std::string& checkpoints,
                          const std::set<std::int64_t>& steps) noexcept {
  try {
    if (complete_steps(files, checkpoints) != steps) set_complete_steps(files, checkpoints, steps);
  } catch (const Error& error) {
    base::log_warning(fmt::format("checkpoints {}: {}", checkpoints, error.what()));
  }
}

// An obsolete checkpoint that cannot be removed does no harm, so it must not stop a model.
void try_to_remove(env::FileSystem& files, const std::string& checkpoint) noexcept {
  try {
    remove_checkpoint(files, checkpoint);
  } catch (const std::exception& error) {
    base::log_warning(fmt::format("checkpoint {} cannot be removed: {}", checkpoint, error.what()));
  }
}

std::string name_of(std::optional<std::int64_t> step) {
  return step ? fmt::format("step {}", *step) : "the beginning";
}

std::vector<FoundCheckpoint> later_than(std::vector<FoundCheckpoint> found,
                                        std::optional<std::int64_t> step) {
  std::erase_if(found, [&](const FoundCheckpoint& one) { return step && one.step <= *step; });
  return found;
}

}  // namespace

void remove_checkpoint(env::FileSystem& files, const std::string& checkpoint) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(checkpoint, ignored))
    throw Error(ErrorCode::resource,
                fmt::format("{} is a link, and what it leads to is not removed; remove the link yourself",
                            checkpoint));
  forget_complete(files, parent_of(checkpoint), step_of(checkpoint));
  bool had_any = false;
  for (const std::string& manifest : {on_nodes_path(checkpoint), manifest_path(checkpoint)}) {
    if (!files.exists(manifest)) continue;
    files.remove(manifest);
    had_any = true;
  }
  if (had_any) files.sync(checkpoint);  // before any shard is removed
  remove_unfinished(files, checkpoint);
}

void make_durable_directories(env::FileSystem& files, const std::string& path) {
  std::vector<std::string> made;
  for (std::filesystem::path at = path; !at.empty() && !files.exists(at.string()); at = at.parent_path())
    made.push_back(at.string());
  files.make_directories(path);
  for (auto name = made.rbegin(); name != made.rend(); ++name) files.sync(*name);
}

std::string holder_of(env::FileSystem& files, const std::string& path) {
  const std::string lock = lock_path(path);
  if (files.entry(lock) != env::Entry::file) return "";
  if (!files.open(lock, env::Access::read)->other_writer()) return "";
  const std::string text = files.read(lock);
  return text.empty() ? "another process" : text.substr(0, text.find('\n'));
}

CheckpointStore::CheckpointStore(env::FileSystem& files, const std::string& directory,
                                 const std::string& component)
    : files_(files), path_(checkpoints_path(directory, component)) {
  make_durable_directories(files_, path_);
  take_hold(component);
  std::set<std::int64_t> complete;
  for (const FoundCheckpoint& checkpoint : find_checkpoints(files_, path_)) {
    using State = FoundCheckpoint::State;
    if (checkpoint.state == State::unfinished) try_to_remove(files_, checkpoint.path);
    if (checkpoint.state == State::complete || checkpoint.state == State::damaged)
      complete.insert(checkpoint.step);
  }
  try_to_note_complete(files_, path_, complete);
}

void CheckpointStore::take_hold(const std::string& component) {
  const std::string path = lock_path(path_);
  try {
    lock_ = files_.open(path, env::Access::create);
    if (lock_->mark_as_writer()) {
      const std::string text = fmt::format("{} (process {})\n", env::host_name(), env::process_id());
      lock_->truncate(0);
      lock_->write(0, std::as_bytes(std::span(text)));
      return;
    }
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("checkpoint {}: {}", path, error.what()));
  }
  throw Error(
      ErrorCode::resource,
      fmt::format(
          "the checkpoints of component \"{}\" in {} are in use by another job that still runs, on {}; "
          "wait for its end, or end it",
          component, path_, holder_of(files_, path_)));
}

void CheckpointStore::note_on_nodes(const Manifest& manifest) {
  const std::string checkpoint = checkpoint_path(manifest.head.step);
  const std::string note = on_nodes_path(checkpoint);
  files_.make_directories(checkpoint);
  try {
    files_.write(note, to_text(manifest));
    files_.sync(note);
    files_.sync(checkpoint);  // its name in the directory above
  } catch (const Error&) {
    try_to_remove(files_, checkpoint);
    throw;
  }
}

void CheckpointStore::commit(const Manifest& manifest) {
  const std::string checkpoint = checkpoint_path(manifest.head.step);
  const std::string made = new_manifest_path(checkpoint), final = manifest_path(checkpoint);
  TAILRACE_ASSERT(!files_.exists(final), fmt::format("checkpoint {} already exists", checkpoint));
  Manifest drained = manifest;
  for (Shard& shard : drained.shards) shard.buffered.reset();
  files_.write(made, to_text(drained));
  files_.sync(made);
  files_.sync(checkpoint);  // its name in the directory above, and those of the shards
  try {
    files_.rename(made, final);
    files_.sync(final);
  } catch (const Error&) {
    try_to_remove(files_, checkpoint);
    throw;
  }
  std::set<std::int64_t> complete = complete_steps(files_, path_);
  complete.insert(manifest.head.step);
  try_to_note_complete(files_, path_, complete);
  try {
    files_.remove(on_nodes_path(checkpoint));
  } catch (const Error&) {  // it is ignored if there is a manifest
  }
}

void CheckpointStore::abandon(std::int64_t step) noexcept {
  const std::string checkpoint = checkpoint_path(step);
  if (files_.exists(checkpoint) && !files_.exists(manifest_path(checkpoint)))
    try_to_remove(files_, checkpoint);
}

void CheckpointStore::prune(int keep) {
  TAILRACE_ASSERT(keep >= 1, "at least one checkpoint must be kept");
  int complete = 0;
  for (const FoundCheckpoint& checkpoint : find_checkpoints(files_, path_)) {
    if (complete >= keep && checkpoint.state != FoundCheckpoint::State::refused)
      try_to_remove(files_, checkpoint.path);
    complete += checkpoint.state == FoundCheckpoint::State::complete;
  }
}

void CheckpointStore::discard_after(std::optional<std::int64_t> step) {
  const auto later = later_than(find_checkpoints(files_, path_), step);
  for (const FoundCheckpoint& checkpoint : later)
    if (checkpoint.state == FoundCheckpoint::State::refused)
      throw Error(ErrorCode::resource,
                  fmt::format("checkpoint {} is in the way of a run that continues from {}: {}. It is not "
                              "removed; move it, or name another `directory`",
                              checkpoint.path, name_of(step), checkpoint.why));
  for (const FoundCheckpoint& checkpoint : later) {
    base::log_warning(
        fmt::format("checkpoint {} is removed: the run continues from {}", checkpoint.path, name_of(step)));
    try {
      remove_checkpoint(files_, checkpoint.path);
    } catch (const Error& error) {
      const bool is_harmless = files_.entry(checkpoint.path) == env::Entry::other &&
                               !files_.exists(manifest_path(checkpoint.path));
      if (!is_harmless) throw;
      base::log_warning(fmt::format("checkpoint {}: {}", checkpoint.path, error.what()));
    }
  }
  files_.sync(path_);
}

}  // namespace tailrace::checkpoint
