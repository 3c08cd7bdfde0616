#include "env/memory/memory_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "env/memory/memory_file.hpp"

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

// As in env/posix/reason.hpp. REQUIRES: the caller holds the mutex, and the folder of the path is missing.
std::string MemoryFiles::missing_folder(const std::string& path) const {
  std::string missing = parent_of(path);
  for (std::string at = missing; !is_directory(at); at = parent_of(at)) missing = at;
  return files_.contains(missing) ? fmt::format("{} is a file, not a folder", missing)
                                  : fmt::format("the folder {} does not exist", missing);
}

std::uint64_t MemoryFiles::used() const {
  std::uint64_t bytes = 0;
  for (const auto& [path, contents] : files_) bytes += contents->bytes.size();
  return bytes;
}

// Whether contents of `now` bytes may become `then` bytes.
bool MemoryFiles::has_room(std::uint64_t now, std::uint64_t then) const {
  return then <= now || used() - now + then <= capacity_;
}

bool MemoryFiles::is_directory(const std::string& path) const {
  return path == "." || path == "/" || directories_.contains(path);
}

void MemoryFiles::store(const std::string& path, std::string contents, const char* action) {
  if (is_directory(path)) fail(action, path, "Is a directory");
  if (!is_directory(parent_of(path))) fail(action, path, missing_folder(path));
  const auto old = files_.find(path);
  if (!has_room(old == files_.end() ? 0 : old->second->bytes.size(), contents.size()))
    fail(action, path, MemoryFile::no_space);
  files_[path] = std::make_shared<Contents>(Contents{.bytes = std::move(contents)});
}

void MemoryFiles::write(const std::string& path, std::string_view contents) {
  const base::MutexLock lock(mutex_);
  store(normal(path), std::string(contents), "write");
}

void MemoryFiles::append(const std::string& path, std::string_view contents) {
  const base::MutexLock lock(mutex_);
  const std::string at = normal(path);
  const auto old = files_.find(at);
  if (old == files_.end()) return store(at, std::string(contents), "append to");
  std::string& bytes = old->second->bytes;
  if (!has_room(bytes.size(), bytes.size() + contents.size())) fail("append to", at, MemoryFile::no_space);
  bytes.append(contents);
}

std::string MemoryFiles::read(const std::string& path) const {
  const base::MutexLock lock(mutex_);
  const auto found = files_.find(normal(path));
  if (found != files_.end()) return found->second->bytes;
  fail("read", path, is_directory(normal(path)) ? "Is a directory" : no_such);
}

bool MemoryFiles::exists(const std::string& path) const {
  const base::MutexLock lock(mutex_);
  return files_.contains(normal(path)) || is_directory(normal(path));
}

void MemoryFiles::make_directories(const std::string& path) {
  const base::MutexLock lock(mutex_);
  for (std::string at = normal(path); !is_directory(at); at = parent_of(at)) {
    if (files_.contains(at)) fail("make the folder", path, fmt::format("{} is a file, not a folder", at));
    directories_.insert(at);
  }
}

void MemoryFiles::remove(const std::string& path) {
  const base::MutexLock lock(mutex_);
  const std::string at = normal(path);
  const auto inside = [&](const std::string& other) { return other != at && parent_of(other) == at; };
  if (std::ranges::any_of(directories_, inside) ||
      std::ranges::any_of(files_, [&](const auto& file) { return inside(file.first); }))
    fail("remove", path, "Directory not empty");
  files_.erase(at);
  directories_.erase(at);
}

void MemoryFiles::move(const std::string& from, const std::string& to, bool replace) {
  const base::MutexLock lock(mutex_);
  const auto found = files_.find(normal(from));
  const std::string action = fmt::format("rename {} to", from);
  if (found == files_.end()) fail(action, to, no_such);
  if (!is_directory(parent_of(normal(to)))) fail(action, to, missing_folder(normal(to)));
  if (is_directory(normal(to))) fail(action, to, "Is a directory");
  if (!replace && files_.contains(normal(to))) fail(action, to, "File exists");
  std::shared_ptr<Contents> contents = std::move(found->second);
  files_.erase(found);
  files_[normal(to)] = std::move(contents);
}

void MemoryFiles::rename(const std::string& from, const std::string& to) { move(from, to, true); }
void MemoryFiles::rename_new(const std::string& from, const std::string& to) { move(from, to, false); }

bool MemoryFiles::leads_to(const std::string& path, const Contents& contents) const {
  const base::MutexLock lock(mutex_);
  const auto found = files_.find(normal(path));
  return found != files_.end() && found->second.get() == &contents;
}

Entry MemoryFiles::entry(const std::string& path) const {
  const base::MutexLock lock(mutex_);
  if (files_.contains(normal(path))) return Entry::file;
  return is_directory(normal(path)) ? Entry::other : Entry::none;
}

std::unique_ptr<File> MemoryFiles::open(const std::string& path, Access access) {
  const base::MutexLock lock(mutex_);
  const std::string at = normal(path);
  const bool creates = access == Access::create || access == Access::create_new;
  const char* const doing = creates ? "cannot create" : "cannot open";
  if (is_directory(at)) MemoryFile::refuse(doing, "Is a directory");
  auto found = files_.find(at);
  if (found != files_.end() && access == Access::create_new) MemoryFile::refuse(doing, "File exists");
  if (found == files_.end()) {
    if (!is_directory(parent_of(at))) MemoryFile::refuse(doing, missing_folder(at).c_str());
    if (!creates) MemoryFile::refuse(doing, no_such);
    found = files_.emplace(at, std::make_shared<Contents>()).first;
  }
  return std::make_unique<MemoryFile>(*this, found->second);
}

std::vector<std::string> MemoryFiles::list(const std::string& directory) const {
  const base::MutexLock lock(mutex_);
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
  const base::MutexLock lock(mutex_);
  if (!is_directory(normal(directory))) fail("query the free space of", directory, no_such);
  return capacity_ - used();
}

void MemoryFiles::sync(const std::string& path) {
  if (!exists(path)) fail("sync", path, no_such);
}

std::unique_ptr<FileSystem> make_memory_files(std::uint64_t capacity_bytes) {
  return std::make_unique<MemoryFiles>(capacity_bytes);
}

}  // namespace tailrace::env
