#include "env/faulty/faulty_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "env/delays.hpp"
#include "env/faulty/faulty_file.hpp"

namespace tailrace::env {

void FaultyFiles::count_and_maybe_fail(const std::string& doing) {
  maybe_delay("file");
  ++writes_;
  if (faults_.fail_write == 0 || writes_ < faults_.fail_write) return;
  if (writes_ - faults_.fail_write >= faults_.fail_times) return;
  throw Error(ErrorCode::resource, fmt::format("cannot {}: {}", doing, faults_.reason));
}

void FaultyFiles::remember(const std::string& path) {
  if (durable_.contains(path)) return;
  if (!inner_.exists(path)) {
    durable_[path] = {};
    return;
  }
  try {
    durable_[path].contents = inner_.read(path);
  } catch (const Error&) {  // a directory: the operation on it fails, or has no contents that could be lost
  }
}

std::uint64_t FaultyFiles::writes() const {
  const base::MutexLock lock(mutex_);
  return writes_;
}

void FaultyFiles::lose_power() {
  const base::MutexLock lock(mutex_);
  for (auto& [file, name] : open_) name.clear();
  for (const auto& [path, durable] : durable_) {
    if (durable.contents)
      inner_.write(path, *durable.contents);
    else
      inner_.remove(path);
  }
  durable_.clear();
}

void FaultyFiles::write(const std::string& path, std::string_view contents) {
  const base::MutexLock lock(mutex_);
  count_and_maybe_fail("write " + path);
  remember(path);
  inner_.write(path, contents);
  follow(path, {});  // the name belongs to another file now
}

void FaultyFiles::append(const std::string& path, std::string_view contents) {
  const base::MutexLock lock(mutex_);
  count_and_maybe_fail("append to " + path);
  remember(path);
  inner_.append(path, contents);
}

void FaultyFiles::remove(const std::string& path) {
  const base::MutexLock lock(mutex_);
  remember(path);
  inner_.remove(path);
  follow(path, {});
}

void FaultyFiles::note_move(const std::string& from, const std::string& to) {
  count_and_maybe_fail(fmt::format("rename {} to {}", from, to));
  remember(from);
  remember(to);
}

void FaultyFiles::rename(const std::string& from, const std::string& to) {
  const base::MutexLock lock(mutex_);
  note_move(from, to);
  inner_.rename(from, to);
  follow(from, to);
}

void FaultyFiles::rename_new(const std::string& from, const std::string& to) {
  const base::MutexLock lock(mutex_);
  note_move(from, to);
  inner_.rename_new(from, to);
  follow(from, to);
}

// Open files stay the same files when their names change.
void FaultyFiles::follow(const std::string& from, const std::string& to) {
  for (auto& [file, name] : open_) {
    if (name == to) name.clear();
    if (name == from) name = to;
  }
  if (!to.empty()) durable_[to].moved = true;
}

std::unique_ptr<File> FaultyFiles::open(const std::string& path, Access access) {
  const base::MutexLock lock(mutex_);
  if (access == Access::create || access == Access::create_new) remember(path);
  auto file = std::make_unique<FaultyFile>(*this, inner_.open(path, access));
  open_[file.get()] = path;
  return file;
}

void FaultyFiles::sync(const std::string& path) {
  const base::MutexLock lock(mutex_);
  count_and_maybe_fail("flush " + path);
  inner_.sync(path);
  durable_.erase(path);
  const auto directory = std::filesystem::path(path).parent_path();
  std::erase_if(durable_, [&](const auto& file) {
    return std::filesystem::path(file.first).parent_path() == directory && !inner_.exists(file.first);
  });
}

}  // namespace tailrace::env
