#include "checkpoint/tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "checkpoint/burst/buffer.hpp"
#include "checkpoint/burst/pending_checkpoints.hpp"
#include "checkpoint/burst/shard_copy.hpp"
#include "checkpoint/checkpoint_store.hpp"
#include "checkpoint/series/list_name.hpp"

namespace tailrace::checkpoint {
namespace {

using Path = std::filesystem::path;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

// A normalised path that ends with the name of the directory, which is that of a component or a checkpoint.
Path tidy(const std::string& path) {
  Path tidied = Path(path).lexically_normal();
  if (tidied == "." || tidied == "./" || tidied.filename() == ".." || tidied.parent_path().filename() == "..")
    tidied = std::filesystem::absolute(tidied).lexically_normal();
  return tidied.has_filename() ? tidied : tidied.parent_path();
}

bool has_checkpoints(env::FileSystem& files, const std::string& directory) {
  if (files.entry(directory) != env::Entry::other) return false;
  const auto names = files.list(directory);
  return std::ranges::any_of(names, [](const std::string& name) { return step_of_name(name) >= 0; });
}

std::string component_of(const std::string& checkpoints) { return Path(checkpoints).filename().string(); }

// The directories with checkpoints below `path`, and the checkpoint if `path` is one.
struct Places {
  std::vector<std::string> checkpoints;
  std::string only;
};

Places places_of(env::FileSystem& files, const std::string& path) {
  const Path tidied = tidy(path);
  const std::string at = tidied.string();
  if (files.entry(at) == env::Entry::none) refuse(fmt::format("{}: no such directory", path));
  if (files.entry(at) == env::Entry::file) refuse(fmt::format("{}: is a file, not a directory", path));
  if (step_of_name(tidied.filename().string()) >= 0) {
    const Path checkpoints =
        tidied.has_parent_path() ? tidied.parent_path() : std::filesystem::absolute(tidied).parent_path();
    return {{checkpoints.string()}, (checkpoints / tidied.filename()).string()};
  }
  if (has_checkpoints(files, at)) return {{at}, ""};
  Places places;
  for (const std::string& name : files.list(at))
    if (has_checkpoints(files, at + "/" + name)) places.checkpoints.push_back(at + "/" + name);
  if (places.checkpoints.empty())
    refuse(
        fmt::format("{}: contains no checkpoints; expected DIRECTORY/COMPONENT/step_..., DIRECTORY being "
                    "checkpoint.directory of the configuration",
                    path));
  return places;
}

// Locks the checkpoints, so that only this process may change them. Also for the current directory.
CheckpointStore hold(env::FileSystem& files, const std::string& checkpoints) {
  const Path path = Path(checkpoints).has_parent_path() ? Path(checkpoints) : "." / Path(checkpoints);
  return {files, path.parent_path().string(), path.filename().string()};
}

void check_shards(env::FileSystem& files, FoundCheckpoint& checkpoint) {
  if (checkpoint.state != FoundCheckpoint::State::complete) return;
  if (const auto damage = damage_of(files, checkpoint.path, checkpoint.manifest)) {
    checkpoint.state = FoundCheckpoint::State::damaged;
    checkpoint.why = *damage;
  }
}

// A run that continues from the copy must know which files it made before.
void copy_run_files(env::FileSystem& files, const std::string& from, const std::string& to) {
  const std::string list = from + "/" + run_files_name, copy = to + "/" + run_files_name;
  if (files.exists(list) && !files.exists(copy)) files.write(copy, files.read(list));
}

// The paths that do not exist any more.
std::vector<std::string> gone(env::FileSystem& files, const std::vector<FoundCheckpoint>& before) {
  std::vector<std::string> paths;
  for (const FoundCheckpoint& checkpoint : before)
    if (!files.exists(checkpoint.path)) paths.push_back(checkpoint.path);
  return paths;
}

}  // namespace

std::vector<SurveyedCheckpoint> survey(env::FileSystem& files, const std::string& path, bool verify) {
  const Places places = places_of(files, path);
  std::vector<SurveyedCheckpoint> surveyed;
  for (const std::string& checkpoints : places.checkpoints) {
    const std::string holder = holder_of(files, checkpoints);
    for (FoundCheckpoint& checkpoint : find_checkpoints(files, checkpoints)) {
      if (!places.only.empty() && checkpoint.path != places.only) continue;
      if (verify) check_shards(files, checkpoint);
      surveyed.push_back({std::move(checkpoint), component_of(checkpoints), holder});
    }
  }
  return surveyed;
}

FoundCheckpoint newest_complete(env::FileSystem& files, const std::string& path,
                                const std::string& component) {
  std::vector<std::string> others;
  std::vector<FoundCheckpoint> unusable;
  for (auto& [checkpoint, of, holder] : survey(files, path, false)) {
    if (of == component && checkpoint.state == FoundCheckpoint::State::refused)
      refuse(fmt::format("checkpoint {} cannot be used: {}", checkpoint.path, checkpoint.why));
    if (of == component && checkpoint.state != FoundCheckpoint::State::complete)
      unusable.push_back(checkpoint);
    if (checkpoint.state != FoundCheckpoint::State::complete) continue;
    if (of == component) return std::move(checkpoint);
    if (others.empty() || others.back() != of) others.push_back(of);
  }
  refuse(fmt::format("{}: has no complete checkpoint of component \"{}\".{}{}", path, component,
                     base::name_hint(component, others), describe_unusable(unusable)));
}

std::string copy_checkpoint(env::FileSystem& files, const std::string& checkpoint,
                            const std::string& directory) {
  const std::string from = places_of(files, checkpoint).only;
  if (from.empty())
    refuse(fmt::format("{}: is not one checkpoint, whose name is step_ and twelve digits", checkpoint));
  const Manifest manifest = read_manifest(files, from);
  if (const auto damage = damage_of(files, from, manifest))
    refuse(fmt::format("checkpoint {} cannot be used: {}", from, *damage));
  CheckpointStore store(files, directory, manifest.head.component);
  const std::string to = store.checkpoint_path(manifest.head.step);
  if (files.exists(to)) refuse(fmt::format("checkpoint {} already exists", to));
  files.make_directories(to);
  try {
    for (const Shard& shard : manifest.shards) {
      const std::string path = to + "/" + shard.name;
      try {
        copy_shard(files, from + "/" + shard.name, path, shard);
      } catch (const Error& error) {
        throw Error(error.code(), fmt::format("checkpoint {}: {}", path, error.what()));
      }
    }
    copy_run_files(files, Path(from).parent_path().string(), store.path());
    store.commit(manifest);
  } catch (...) {
    store.abandon(manifest.head.step);
    throw;
  }
  return to;
}

std::vector<std::string> drain_checkpoints(env::FileSystem& files, const std::string& path) {
  std::vector<std::string> drained, faults;
  const Places places = places_of(files, path);
  for (const std::string& checkpoints : places.checkpoints) {
    if (checkpoints_on_nodes(files, checkpoints).empty()) continue;
    CheckpointStore held = hold(files, checkpoints);
    for (const FoundCheckpoint& checkpoint : checkpoints_on_nodes(files, checkpoints)) {
      if (!places.only.empty() && checkpoint.path != places.only) continue;
      remove_parts(files, checkpoint.path);
      std::ranges::copy(drain_what_is_here(files, checkpoint), std::back_inserter(faults));
      if (commit_if_whole(files, held, checkpoint)) drained.push_back(checkpoint.path);
    }
  }
  if (!faults.empty()) refuse(faults.front());
  return drained;
}

std::vector<std::string> prune_checkpoints(env::FileSystem& files, const std::string& path, int keep) {
  std::vector<std::string> removed;
  for (const std::string& checkpoints : places_of(files, path).checkpoints) {
    const auto before = find_checkpoints(files, checkpoints);
    hold(files, checkpoints).prune(keep);
    std::ranges::copy(gone(files, before), std::back_inserter(removed));
  }
  return removed;
}

std::vector<std::string> remove_unusable(env::FileSystem& files, const std::string& path) {
  const Places places = places_of(files, path);
  std::vector<std::string> removed;
  for (const std::string& checkpoints : places.checkpoints) {
    const auto before = find_checkpoints(files, checkpoints);
    const CheckpointStore held = hold(files, checkpoints);
    for (FoundCheckpoint checkpoint : before) {
      if (!places.only.empty() && checkpoint.path != places.only) continue;
      check_shards(files, checkpoint);
      if (checkpoint.state == FoundCheckpoint::State::damaged) remove_checkpoint(files, checkpoint.path);
    }
    std::ranges::copy(gone(files, before), std::back_inserter(removed));
  }
  return removed;
}

}  // namespace tailrace::checkpoint
