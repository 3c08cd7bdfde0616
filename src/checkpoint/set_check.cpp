#include "checkpoint/set_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "checkpoint/burst/buffer.hpp"
#include "checkpoint/checksums.hpp"
#include "checkpoint/manifest.hpp"

namespace tailrace::checkpoint {
namespace {

std::string_view last_word(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Directories may be copied and renamed by people: what is whole but not what its name says is left to them.
void check_place(const std::string& set, const SetHead& head) {
  const std::string_view name = last_word(set);
  const std::string_view component = last_word(std::string_view(set).substr(0, set.size() - name.size() - 1));
  if (head.step != step_of_name(name)) throw Refused{fmt::format("has the manifest of step {}", head.step)};
  if (head.component != component)
    throw Refused{fmt::format("has the manifest of component \"{}\"", head.component)};
}

// None where there is no such note, or half of one: then the job did not come so far.
std::optional<Manifest> noted_on_nodes(env::FileSystem& files, const std::string& set) {
  const std::string path = fmt::format("{}/{}", set, manifest_on_nodes_name);
  if (!files.exists(path)) return std::nullopt;
  try {
    return manifest_of(files.read(path));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Of a set without a manifest.
void look_at_note(env::FileSystem& files, FoundSet& found) {
  if (auto manifest = noted_on_nodes(files, found.path)) {
    check_place(found.path, manifest->head);
    found.state = FoundSet::State::on_nodes;
    found.why = describe_waiting(files, found.path, manifest->members);
    if (found.why.empty()) found.why = "all members are drained, but the job ended before it said so";
    found.manifest = std::move(*manifest);
  } else {
    found.why = fmt::format("it has no {}, so it was never finished", manifest_name);
  }
}

FoundSet look_at(env::FileSystem& files, const std::string& set) {
  FoundSet found{.step = step_of_name(last_word(set)), .path = set, .manifest = {}, .why = {}};
  const std::string path = fmt::format("{}/{}", set, manifest_name);
  try {
    if (!files.exists(path)) {
      look_at_note(files, found);
      return found;
    }
    found.manifest = manifest_of(files.read(path));
    check_place(set, found.manifest.head);
    found.state = FoundSet::State::complete;
  } catch (const Refused& refused) {
    found.state = FoundSet::State::refused;
    found.why = fmt::format("it {}", refused.why);
  } catch (const Error& error) {
    found.state = FoundSet::State::damaged;
    found.why = fmt::format("{} {}", manifest_name, error.what());
  }
  return found;
}

// First wrong region of this share, with the place in the file.
std::optional<std::string> wrong_region(const env::File& file, const Member& member, Share share,
                                        std::size_t& count) {
  std::vector<std::byte> region(region_bytes);
  for (std::size_t i = 0; i < member.checksums.size(); ++i) {
    if (count++ % share.of != share.index) continue;
    const std::uint64_t begin = i * region_bytes;
    file.read(begin, region);  // zeros behind the end
    if (checksum(region) == member.checksums[i]) continue;
    return fmt::format("is damaged: its bytes {} to {} have another checksum", begin,
                       std::min(begin + region_bytes, member.bytes) - 1);
  }
  return std::nullopt;
}

std::optional<std::string> damage_of_member(env::FileSystem& files, const std::string& path,
                                            const Member& member, Share share, std::size_t& count) {
  if (files.entry(path) == env::Entry::none) return "is missing";
  try {
    const auto file = files.open(path, env::Access::read);
    if (const std::uint64_t size = file->size(); size != member.bytes)
      return fmt::format("is {}: {} of {} bytes exist",
                         size < member.bytes ? "truncated" : "longer than it was", size, member.bytes);
    return wrong_region(*file, member, share, count);
  } catch (const Error& error) {
    return fmt::format("cannot be read: {}", error.what());
  }
}

}  // namespace

std::vector<FoundSet> find_sets(env::FileSystem& files, const std::string& sets) {
  std::vector<FoundSet> found;
  if (!files.exists(sets)) return found;
  for (const std::string& name : files.list(sets))
    if (step_of_name(name) >= 0) found.push_back(look_at(files, sets + "/" + name));
  std::ranges::sort(found, std::greater{}, &FoundSet::step);
  return found;
}

Manifest read_manifest(env::FileSystem& files, const std::string& set) {
  FoundSet found = look_at(files, set);
  if (found.state != FoundSet::State::complete)
    throw Error(ErrorCode::resource, fmt::format("checkpoint {} cannot be used: {}", set, found.why));
  return std::move(found.manifest);
}

std::optional<std::string> damage_of(env::FileSystem& files, const std::string& set, const Manifest& manifest,
                                     Share share) {
  std::size_t count = 0;
  for (const Member& member : manifest.members) {
    const auto damage = damage_of_member(files, set + "/" + member.name, member, share, count);
    if (damage) return fmt::format("member {} {}", member.name, *damage);
  }
  return std::nullopt;
}

std::optional<Manifest> newest_whole(env::FileSystem& files, const std::string& sets,
                                     const FindDamage& damage) {
  for (FoundSet& set : find_sets(files, sets)) {
    if (set.state == FoundSet::State::refused)
      throw Error(ErrorCode::resource, fmt::format("checkpoint {} cannot be used: {}", set.path, set.why));
    if (set.state == FoundSet::State::complete) {
      const auto found = damage(set);
      if (!found) return std::move(set.manifest);
      set.why = *found;
    }
    base::log_warning(
        fmt::format("checkpoint {} is not used: {}; the one before is looked at", set.path, set.why));
  }
  return std::nullopt;
}

std::optional<Manifest> newest_whole(env::FileSystem& files, const std::string& sets) {
  return newest_whole(files, sets,
                      [&](const FoundSet& set) { return damage_of(files, set.path, set.manifest); });
}

}  // namespace tailrace::checkpoint
