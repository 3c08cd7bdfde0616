#include "checkpoint/checkpoint_store.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "checkpoint/checkpoint_check.hpp"
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

// An obsolete checkpoint that cannot be removed does no harm, so it must not stop a model.
void try_to_remove(env::FileSystem& files, const std::string& checkpoint) noexcept {
  try {
    remove_checkpoint(files, checkpoint);
  } catch (const std::exception& error) {
    base::log_warning(fmt::format("checkpoint {} cannot be removed: {}", checkpoint, error.what()));
  }
}

}  // namespace

void remove_checkpoint(env::FileSystem& files, const std::string& checkpoint) {
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
  for (const FoundCheckpoint& checkpoint : find_checkpoints(files_, path_))
    if (checkpoint.state == FoundCheckpoint::State::unfinished) try_to_remove(files_, checkpoint.path);
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
  for (const FoundCheckpoint& checkpoint : find_checkpoints(files_, path_)) {
    if (step && checkpoint.step <= *step) break;
    base::log_warning(fmt::format("checkpoint {} is removed: the run continues from {}", checkpoint.path,
                                  step ? fmt::format("step {}", *step) : "the beginning"));
    remove_checkpoint(files_, checkpoint.path);
  }
  files_.sync(path_);
}

}  // namespace tailrace::checkpoint
