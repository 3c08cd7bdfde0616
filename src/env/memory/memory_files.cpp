#include "env/memory/memory_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"

namespace tailrace::env {
namespace {

[[noreturn]] void fail(std::string_view action, const std::string& path, std::string_view why) {
  throw Error(ErrorCode::resource, fmt::format("cannot {} {}: {}", action, path, why));
}

std::string normal(const std::string& path) {
  std::string text = std::filesystem::path(path).lexically_normal().generic_string();
  if (text.size() > 1 && text.back() == '/') text.pop_back();
  return text.empty() ? "." : text;
}

std::string parent_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().generic_string();
  return parent.empty() ? "." : parent;
}

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

constexpr const char* no_such = "No such file or directory";

}  // namespace

std::uint64_t MemoryFiles::used() const {
  std::uint64_t bytes = 0;
  for (const auto& [path, contents] : files_) bytes += contents.size();
  return bytes;
}

bool MemoryFiles::is_directory(const std::string& path) const {
  return path == "." || path == "/" || directories_.contains(path);
}

void MemoryFiles::store(const std::string& path, std::string contents, const char* action) {
  if (is_directory(path)) fail(action, path, "Is a directory");
  if (!is_directory(parent_of(path))) fail(action, path, no_such);
  const auto old = files_.find(path);
  const std::uint64_t others = used() - (old == files_.end() ? 0 : old->second.size());
  if (others + contents.size() > capacity_) fail(action, path, "No space left on device");
  files_[path] = std::move(contents);
}

void MemoryFiles::write(const std::string& path, std::string_view contents) {
  const std::lock_guard lock(mutex_);
  store(normal(path), std::string(contents), "write");
}

void MemoryFiles::append(const std::string& path, std::string_view contents) {
  const std::lock_guard lock(mutex_);
  const auto old = files_.find(normal(path));
  store(normal(path), (old == files_.end() ? std::string() : old->second).append(contents), "append to");
}

std::string MemoryFiles::read(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(normal(path));
  if (found != files_.end()) return found->second;
  fail("read", path, is_directory(normal(path)) ? "Is a directory" : no_such);
}

bool MemoryFiles::exists(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return files_.contains(normal(path)) || is_directory(normal(path));
}

void MemoryFiles::make_directories(const std::string& path) {
  const std::lock_guard lock(mutex_);
  for (std::string at = normal(path); !is_directory(at); at = parent_of(at)) {
    if (files_.contains(at)) fail("make directory", path, "Not a directory");
    directories_.insert(at);
  }
}

void MemoryFiles::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const std::string at = normal(path);
  const auto inside = [&](const std::string& other) { return other != at && parent_of(other) == at; };
  if (std::ranges::any_of(directories_, inside) ||
      std::ranges::any_of(files_, [&](const auto& file) { return inside(file.first); }))
    fail("remove", path, "Directory not empty");
  files_.erase(at);
  directories_.erase(at);
}

void MemoryFiles::rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(normal(from));
  const std::string action = fmt::format("rename {} to", from);
  if (found == files_.end() || !is_directory(parent_of(normal(to)))) fail(action, to, no_such);
  if (is_directory(normal(to))) fail(action, to, "Is a directory");
  std::string contents = std::move(found->second);
  files_.erase(found);
  files_[normal(to)] = std::move(contents);
}

std::vector<std::string> MemoryFiles::list(const std::string& directory) const {
  const std::lock_guard lock(mutex_);
  const std::string at = normal(directory);
  if (!is_directory(at)) fail("list", directory, files_.contains(at) ? "Not a directory" : no_such);
  std::vector<std::string> names;
  const auto take = [&](const std::string& path) {
    if (parent_of(path) == at) names.push_back(name_of(path));
  };
  for (const auto& [path, contents] : files_) take(path);
  for (const auto& path : directories_) take(path);
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t MemoryFiles::free_bytes(const std::string& directory) const {
  const std::lock_guard lock(mutex_);
  if (!is_directory(normal(directory))) fail("ask for the free space of", directory, no_such);
  return capacity_ - used();
}

void MemoryFiles::sync(const std::string& path) {
  if (!exists(path)) fail("sync", path, no_such);
}

std::unique_ptr<FileSystem> make_memory_files(std::uint64_t capacity_bytes) {
  return std::make_unique<MemoryFiles>(capacity_bytes);
}

}  // namespace tailrace::env
