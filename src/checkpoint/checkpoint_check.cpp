#include "checkpoint/checkpoint_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/log.hpp"
#include "checkpoint/burst/buffer.hpp"
#include "checkpoint/checksums.hpp"
#include "checkpoint/complete_steps.hpp"
#include "checkpoint/manifest.hpp"

namespace tailrace::checkpoint {
namespace {

std::string_view last_word(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Users may copy and rename directories: a complete checkpoint whose name does not match its manifest is
// neither used nor removed.
void check_place(const std::string& checkpoint, const CheckpointHeader& head) {
  const std::string_view name = last_word(checkpoint);
  const std::string_view component =
      last_word(std::string_view(checkpoint).substr(0, checkpoint.size() - name.size() - 1));
  if (head.step != step_of_name(name)) throw Refused{fmt::format("has the manifest of step {}", head.step)};
  if (head.component != component)
    throw Refused{fmt::format("has the manifest of component \"{}\"", head.component)};
}

// None if there is no such note, or an incomplete one: the job ended before it was written.
std::optional<Manifest> noted_on_nodes(env::FileSystem& files, const std::string& checkpoint) {
  const std::string path = fmt::format("{}/{}", checkpoint, manifest_on_nodes_name);
  if (!files.exists(path)) return std::nullopt;
  try {
    return manifest_of(files.read(path));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// For a checkpoint without a manifest.
void look_at_note(env::FileSystem& files, FoundCheckpoint& found, bool was_complete) {
  if (auto manifest = noted_on_nodes(files, found.path)) {
    check_place(found.path, manifest->head);
    found.state = FoundCheckpoint::State::on_nodes;
    found.why = describe_waiting(files, found.path, manifest->shards);
    if (found.why.empty())
      found.why = "all shards are drained, but the job ended before the checkpoint was committed";
    found.manifest = std::move(*manifest);
  } else if (was_complete) {
    found.state = FoundCheckpoint::State::damaged;
    found.why = fmt::format("{} is missing, and the checkpoint was complete", manifest_name);
  } else {
    found.why = fmt::format("it has no {}, so it was never finished", manifest_name);
  }
}

// Throws if the directory cannot be listed. `exists` cannot distinguish a missing file from one that may not
// be looked at.
bool has_entry(env::FileSystem& files, const std::string& directory, const std::string& name) {
  const auto names = files.list(directory);
  return std::ranges::find(names, name) != names.end();
}

FoundCheckpoint look_at(env::FileSystem& files, const std::string& checkpoint, bool was_complete) {
  FoundCheckpoint found{
      .step = step_of_name(last_word(checkpoint)), .path = checkpoint, .manifest = {}, .why = {}};
  const std::string path = fmt::format("{}/{}", checkpoint, manifest_name);
  try {
    if (!files.exists(path)) {
      if (has_entry(files, checkpoint, manifest_name))
        throw Error(ErrorCode::resource, "exists, but cannot be reached");
      look_at_note(files, found, was_complete);
      return found;
    }
    found.manifest = manifest_of(files.read(path));
    check_place(checkpoint, found.manifest.head);
    found.state = FoundCheckpoint::State::complete;
  } catch (const Refused& refused) {
    found.state = FoundCheckpoint::State::refused;
    found.why = fmt::format("it {}", refused.why);
  } catch (const Error& error) {
    found.state = FoundCheckpoint::State::damaged;
    found.why = fmt::format("{} {}", manifest_name, error.what());
  }
  return found;
}

// The first damaged region of this share, with its place in the file.
std::optional<std::string> wrong_region(const env::File& file, const Shard& shard, Share share,
                                        std::size_t& count) {
  std::vector<std::byte> region(region_bytes);
  for (std::size_t i = 0; i < shard.checksums.size(); ++i) {
    if (count++ % share.of != share.index) continue;
    const std::uint64_t begin = i * region_bytes;
    file.read(begin, region);  // zeros past the end
    if (checksum(region) == shard.checksums[i]) continue;
    return fmt::format("is damaged: its bytes {} to {} do not match their checksum", begin,
                       std::min(begin + region_bytes, shard.bytes) - 1);
  }
  return std::nullopt;
}

std::optional<std::string> damage_of_shard(env::FileSystem& files, const std::string& path,
                                           const Shard& shard, Share share, std::size_t& count) {
  if (files.entry(path) == env::Entry::none) return "is missing";
  try {
    const auto file = files.open(path, env::Access::read);
    if (const std::uint64_t size = file->size(); size != shard.bytes)
      return fmt::format("is {}: {} of {} bytes exist",
                         size < shard.bytes ? "truncated" : "longer than it was", size, shard.bytes);
    return wrong_region(*file, shard, share, count);
  } catch (const Error& error) {
    return fmt::format("cannot be read: {}", error.what());
  }
}

void warn_of(const std::vector<FoundCheckpoint>& unusable, const char* consequence) {
  for (const FoundCheckpoint& checkpoint : unusable)
    base::log_warning(
        fmt::format("checkpoint {} is not used: {}{}", checkpoint.path, checkpoint.why, consequence));
}

}  // namespace

std::vector<FoundCheckpoint> find_checkpoints(env::FileSystem& files, const std::string& checkpoints) {
  std::vector<FoundCheckpoint> found;
  if (!files.exists(checkpoints)) return found;
  const std::set<std::int64_t> complete = complete_steps(files, checkpoints);
  for (const std::string& name : files.list(checkpoints))
    if (const std::int64_t step = step_of_name(name); step >= 0)
      found.push_back(look_at(files, checkpoints + "/" + name, complete.contains(step)));
  std::ranges::sort(found, std::greater{}, &FoundCheckpoint::step);
  return found;
}

Manifest read_manifest(env::FileSystem& files, const std::string& checkpoint) {
  FoundCheckpoint found = look_at(files, checkpoint, false);
  if (found.state != FoundCheckpoint::State::complete)
    throw Error(ErrorCode::resource, fmt::format("checkpoint {} cannot be used: {}", checkpoint, found.why));
  return std::move(found.manifest);
}

std::optional<std::string> damage_of(env::FileSystem& files, const std::string& checkpoint,
                                     const Manifest& manifest, Share share) {
  std::size_t count = 0;
  for (const Shard& shard : manifest.shards) {
    const auto damage = damage_of_shard(files, checkpoint + "/" + shard.name, shard, share, count);
    if (damage) return fmt::format("shard {} {}", shard.name, *damage);
  }
  return std::nullopt;
}

std::string describe_unusable(const std::vector<FoundCheckpoint>& checkpoints) {
  std::string text;
  for (const FoundCheckpoint& checkpoint : checkpoints)
    text += fmt::format("\n    {}: {}", checkpoint.path, checkpoint.why);
  return text;
}

std::optional<Manifest> newest_whole(env::FileSystem& files, const std::string& checkpoints,
                                     const FindDamage& damage) {
  using State = FoundCheckpoint::State;
  std::vector<FoundCheckpoint> unusable;
  for (FoundCheckpoint& checkpoint : find_checkpoints(files, checkpoints)) {
    if (checkpoint.state == State::refused)
      throw Error(ErrorCode::resource, fmt::format("checkpoint {} cannot be used: {}{}", checkpoint.path,
                                                   checkpoint.why, describe_unusable(unusable)));
    if (checkpoint.state == State::complete) {
      const auto found = damage(checkpoint);
      if (!found) {
        warn_of(unusable, "; trying the previous one");
        return std::move(checkpoint.manifest);
      }
      checkpoint.state = State::damaged;
      checkpoint.why = *found;
    }
    unusable.push_back(std::move(checkpoint));
  }
  const auto never_finished = [](const FoundCheckpoint& one) { return one.state == State::unfinished; };
  if (!std::ranges::all_of(unusable, never_finished))
    throw Error(ErrorCode::resource,
                fmt::format("there are checkpoints in {}, but none of them can be used:{}", checkpoints,
                            describe_unusable(unusable)));
  warn_of(unusable, "; there is none before it");
  return std::nullopt;
}

std::optional<Manifest> newest_whole(env::FileSystem& files, const std::string& checkpoints) {
  return newest_whole(files, checkpoints, [&](const FoundCheckpoint& checkpoint) {
    return damage_of(files, checkpoint.path, checkpoint.manifest);
  });
}

}  // namespace tailrace::checkpoint
