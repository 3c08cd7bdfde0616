#include "checkpoint/burst/buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "checkpoint/burst/shard_copy.hpp"
#include "checkpoint/checkpoint_store.hpp"

namespace tailrace::checkpoint {
namespace {

std::string part_of(const std::string& path) { return path + unfinished_copy; }

// Fails silently if others still use the directory, since it is not empty then.
void remove_if_empty(env::FileSystem& files, const std::string& directory) noexcept {
  try {
    files.remove(directory);
  } catch (const Error&) {
  }
}

void remove_shards(env::FileSystem& files, const std::string& directory,
                   const std::set<std::string>& kept) noexcept {
  try {
    for (const std::string& name : files.list(directory))
      if (is_checkpoint_file(name) && !kept.contains(name)) files.remove(directory + "/" + name);
  } catch (const Error&) {
  }
  remove_if_empty(files, directory);
}

// False if another process has started to copy.
bool copy_under_its_name(env::FileSystem& files, const Shard& shard, const std::string& target,
                         const std::function<bool()>& stops) {
  const std::string part = part_of(target);
  if (files.exists(part)) return false;
  try {
    copy_shard(files, shard.buffered->path, part, shard, stops);
    files.rename(part, target);
  } catch (const Error&) {
    if (files.exists(target)) return true;  // another process has copied it
    files.remove(part);
    throw;
  }
  files.sync(target);
  return true;
}

// Not so in a copy of the directory: what is in the buffer belongs to the original.
bool was_buffered_for(const Shard& shard, const std::string& checkpoint) {
  return shard.buffered->path.ends_with(
      (std::filesystem::absolute(checkpoint) / shard.name).lexically_normal().string());
}

}  // namespace

std::string buffered_path(const std::string& buffer, const std::string& checkpoints) {
  return buffer + std::filesystem::absolute(checkpoints).lexically_normal().string();
}

void try_buffer(env::FileSystem& files, const std::string& buffered, const std::string& writer) {
  const std::string path = fmt::format("{}/.{}", buffered, writer);
  make_durable_directories(files, buffered);
  files.write(path, "can be written\n");
  files.remove(path);
}

void clean_buffer(env::FileSystem& files, const std::string& buffered, std::int64_t step,
                  int servers) noexcept {
  std::set<std::string> now;
  for (int server = 0; server < servers; ++server) now.insert(shard_name(server));
  try {
    for (const std::string& name : files.list(buffered)) {
      const std::string path = buffered + "/" + name;
      if (step_of_name(name) < 0 || files.entry(path) != env::Entry::other) continue;
      remove_shards(files, path, step_of_name(name) == step ? now : std::set<std::string>{});
    }
  } catch (const Error&) {
  }
}

bool drain_shard(env::FileSystem& files, const Shard& shard, const std::string& checkpoint,
                 const std::function<bool()>& stops) {
  const std::string target = checkpoint + "/" + shard.name;
  if (!shard.buffered) return files.exists(target);
  try {
    if (!files.exists(target)) {
      if (files.entry(shard.buffered->path) != env::Entry::file) return false;
      if (!copy_under_its_name(files, shard, target, stops)) return false;
    }
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("shard {} in the burst buffer ({} on {}): {}", shard.name,
                                          shard.buffered->path, shard.buffered->host, error.what()));
  }
  if (was_buffered_for(shard, checkpoint)) drop_shard(files, shard);
  return true;
}

void drop_shard(env::FileSystem& files, const Shard& shard) noexcept {
  if (!shard.buffered) return;
  try {
    files.remove(shard.buffered->path);
  } catch (const Error&) {
  }
  remove_if_empty(files, std::filesystem::path(shard.buffered->path).parent_path().string());
}

void remove_parts(env::FileSystem& files, const std::string& checkpoint) {
  for (const std::string& name : files.list(checkpoint))
    if (is_checkpoint_file(name) && name.ends_with(unfinished_copy)) files.remove(checkpoint + "/" + name);
}

std::string describe_waiting(const env::FileSystem& files, const std::string& checkpoint,
                             const std::vector<Shard>& shards) {
  std::string text;
  for (const Shard& shard : shards) {
    if (files.exists(checkpoint + "/" + shard.name)) continue;
    const std::string where = shard.buffered ? fmt::format("waits in the burst buffer of node {} ({})",
                                                           shard.buffered->host, shard.buffered->path)
                                             : "is missing";
    text += fmt::format("{}shard {} {}", text.empty() ? "" : ", ", shard.name, where);
  }
  return text;
}

}  // namespace tailrace::checkpoint
