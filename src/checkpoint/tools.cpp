#include "checkpoint/tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "checkpoint/burst/buffer.hpp"
#include "checkpoint/burst/member_copy.hpp"
#include "checkpoint/burst/waiting_sets.hpp"
#include "checkpoint/set_store.hpp"

namespace tailrace::checkpoint {
namespace {

using Path = std::filesystem::path;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

// Without what stands for nothing, and with the name of the directory, which is that of a component or a set.
Path tidy(const std::string& path) {
  Path tidied = Path(path).lexically_normal();
  if (tidied == "." || tidied == "./" || tidied.filename() == ".." || tidied.parent_path().filename() == "..")
    tidied = std::filesystem::absolute(tidied).lexically_normal();
  return tidied.has_filename() ? tidied : tidied.parent_path();
}

bool has_sets(env::FileSystem& files, const std::string& directory) {
  if (files.entry(directory) != env::Entry::other) return false;
  const auto names = files.list(directory);
  return std::ranges::any_of(names, [](const std::string& name) { return step_of_name(name) >= 0; });
}

std::string component_of(const std::string& sets) { return Path(sets).filename().string(); }

// The directories with sets that `path` stands for, and the set if it is one.
struct Places {
  std::vector<std::string> sets;
  std::string only;
};

Places places_of(env::FileSystem& files, const std::string& path) {
  const Path tidied = tidy(path);
  const std::string at = tidied.string();
  if (files.entry(at) == env::Entry::none) refuse(fmt::format("{}: no such directory", path));
  if (files.entry(at) == env::Entry::file) refuse(fmt::format("{}: is a file, not a directory", path));
  if (step_of_name(tidied.filename().string()) >= 0) {
    const Path sets =
        tidied.has_parent_path() ? tidied.parent_path() : std::filesystem::absolute(tidied).parent_path();
    return {{sets.string()}, (sets / tidied.filename()).string()};
  }
  if (has_sets(files, at)) return {{at}, ""};
  Places places;
  for (const std::string& name : files.list(at))
    if (has_sets(files, at + "/" + name)) places.sets.push_back(at + "/" + name);
  if (places.sets.empty())
    refuse(
        fmt::format("{}: holds no checkpoints; expected DIRECTORY/COMPONENT/step_..., DIRECTORY being "
                    "checkpoint.directory of the configuration",
                    path));
  return places;
}

// By the only process that may change the sets while it lives. Works in the current directory too.
SetStore hold(env::FileSystem& files, const std::string& sets) {
  const Path path = Path(sets).has_parent_path() ? Path(sets) : "." / Path(sets);
  return {files, path.parent_path().string(), path.filename().string()};
}

void check_members(env::FileSystem& files, FoundSet& set) {
  if (set.state != FoundSet::State::complete) return;
  if (const auto damage = damage_of(files, set.path, set.manifest)) {
    set.state = FoundSet::State::damaged;
    set.why = *damage;
  }
}

// Of the paths those that are gone now.
std::vector<std::string> gone(env::FileSystem& files, const std::vector<FoundSet>& before) {
  std::vector<std::string> paths;
  for (const FoundSet& set : before)
    if (!files.exists(set.path)) paths.push_back(set.path);
  return paths;
}

}  // namespace

std::vector<SurveyedSet> survey(env::FileSystem& files, const std::string& path, bool verify) {
  const Places places = places_of(files, path);
  std::vector<SurveyedSet> surveyed;
  for (const std::string& sets : places.sets) {
    const std::string holder = holder_of(files, sets);
    for (FoundSet& set : find_sets(files, sets)) {
      if (!places.only.empty() && set.path != places.only) continue;
      if (verify) check_members(files, set);
      surveyed.push_back({std::move(set), component_of(sets), holder});
    }
  }
  return surveyed;
}

FoundSet newest_complete(env::FileSystem& files, const std::string& path, const std::string& component) {
  std::vector<std::string> others;
  for (auto& [set, of, holder] : survey(files, path, false)) {
    if (of == component && set.state == FoundSet::State::refused)
      refuse(fmt::format("checkpoint {} cannot be used: {}", set.path, set.why));
    if (set.state != FoundSet::State::complete) continue;
    if (of == component) return std::move(set);
    if (others.empty() || others.back() != of) others.push_back(of);
  }
  refuse(fmt::format("{}: has no complete checkpoint of component \"{}\".{}", path, component,
                     base::name_hint(component, others)));
}

std::string copy_set(env::FileSystem& files, const std::string& set, const std::string& directory) {
  const std::string from = places_of(files, set).only;
  if (from.empty())
    refuse(fmt::format("{}: is not one checkpoint, whose name is step_ and twelve digits", set));
  const Manifest manifest = read_manifest(files, from);
  if (const auto damage = damage_of(files, from, manifest))
    refuse(fmt::format("checkpoint {} cannot be used: {}", from, *damage));
  SetStore store(files, directory, manifest.head.component);
  const std::string to = store.set_path(manifest.head.step);
  if (files.exists(to)) refuse(fmt::format("checkpoint {} is there already", to));
  files.make_directories(to);
  try {
    for (const Member& member : manifest.members) {
      const std::string path = to + "/" + member.name;
      try {
        copy_member(files, from + "/" + member.name, path, member);
      } catch (const Error& error) {
        throw Error(error.code(), fmt::format("checkpoint {}: {}", path, error.what()));
      }
    }
    store.commit(manifest);
  } catch (...) {
    store.abandon(manifest.head.step);
    throw;
  }
  return to;
}

std::vector<std::string> drain_sets(env::FileSystem& files, const std::string& path) {
  std::vector<std::string> drained, faults;
  const Places places = places_of(files, path);
  for (const std::string& sets : places.sets) {
    if (sets_on_nodes(files, sets).empty()) continue;
    SetStore held = hold(files, sets);
    for (const FoundSet& set : sets_on_nodes(files, sets)) {
      if (!places.only.empty() && set.path != places.only) continue;
      remove_parts(files, set.path);
      std::ranges::copy(drain_what_is_here(files, set), std::back_inserter(faults));
      if (commit_if_whole(files, held, set)) drained.push_back(set.path);
    }
  }
  if (!faults.empty()) refuse(faults.front());
  return drained;
}

std::vector<std::string> prune_sets(env::FileSystem& files, const std::string& path, int keep) {
  std::vector<std::string> removed;
  for (const std::string& sets : places_of(files, path).sets) {
    const auto before = find_sets(files, sets);
    hold(files, sets).prune(keep);
    std::ranges::copy(gone(files, before), std::back_inserter(removed));
  }
  return removed;
}

std::vector<std::string> remove_unusable(env::FileSystem& files, const std::string& path) {
  const Places places = places_of(files, path);
  std::vector<std::string> removed;
  for (const std::string& sets : places.sets) {
    const auto before = find_sets(files, sets);
    const SetStore held = hold(files, sets);
    for (FoundSet set : before) {
      if (!places.only.empty() && set.path != places.only) continue;
      check_members(files, set);
      if (set.state == FoundSet::State::damaged) remove_set(files, set.path);
    }
    std::ranges::copy(gone(files, before), std::back_inserter(removed));
  }
  return removed;
}

}  // namespace tailrace::checkpoint
