#include "env/faulty/faulty_files.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "env/delays.hpp"

namespace tailrace::env {

void FaultyFiles::count_and_maybe_fail(const char* action, const std::string& path) {
  maybe_delay("file");
  ++writes_;
  if (faults_.fail_write == 0 || writes_ < faults_.fail_write) return;
  if (writes_ - faults_.fail_write >= faults_.fail_times) return;
  throw Error(ErrorCode::resource, fmt::format("cannot {} {}: {}", action, path, faults_.reason));
}

void FaultyFiles::remember(const std::string& path) {
  if (durable_.contains(path)) return;
  if (!inner_.exists(path)) {
    durable_[path] = std::nullopt;
    return;
  }
  try {
    durable_[path] = inner_.read(path);
  } catch (const Error&) {  // a directory: what is done to it fails by itself or leaves no contents to lose
  }
}

std::uint64_t FaultyFiles::writes() const {
  const std::lock_guard lock(mutex_);
  return writes_;
}

void FaultyFiles::lose_power() {
  const std::lock_guard lock(mutex_);
  for (const auto& [path, contents] : durable_) {
    if (contents)
      inner_.write(path, *contents);
    else
      inner_.remove(path);
  }
  durable_.clear();
}

void FaultyFiles::write(const std::string& path, std::string_view contents) {
  const std::lock_guard lock(mutex_);
  count_and_maybe_fail("write", path);
  remember(path);
  inner_.write(path, contents);
}

void FaultyFiles::append(const std::string& path, std::string_view contents) {
  const std::lock_guard lock(mutex_);
  count_and_maybe_fail("append to", path);
  remember(path);
  inner_.append(path, contents);
}

void FaultyFiles::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  remember(path);
  inner_.remove(path);
}

void FaultyFiles::rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  count_and_maybe_fail(fmt::format("rename {} to", from).c_str(), to);
  remember(from);
  remember(to);
  inner_.rename(from, to);
}

void FaultyFiles::sync(const std::string& path) {
  const std::lock_guard lock(mutex_);
  inner_.sync(path);
  durable_.erase(path);
}

}  // namespace tailrace::env
