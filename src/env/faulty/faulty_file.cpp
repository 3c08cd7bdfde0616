#include "env/faulty/faulty_file.hpp"

#include <fmt/format.h>

namespace tailrace::env {

FaultyFile::~FaultyFile() {
  const base::MutexLock lock(files_.mutex_);
  files_.open_.erase(this);
}

void FaultyFile::write(std::uint64_t address, std::span<const std::byte> bytes) {
  const base::MutexLock lock(files_.mutex_);
  files_.count_and_maybe_fail(fmt::format("write {} bytes at {}", bytes.size(), address));
  if (const std::string& name = files_.open_.at(this); !name.empty()) files_.remember(name);
  inner_->write(address, bytes);
}

void FaultyFile::finish_sync(std::uint64_t address, std::uint64_t size) {
  const base::MutexLock lock(files_.mutex_);
  files_.count_and_maybe_fail(fmt::format("flush {} bytes at {}", size, address));
  inner_->finish_sync(address, size);
}

void FaultyFile::truncate(std::uint64_t size) {
  const base::MutexLock lock(files_.mutex_);
  files_.count_and_maybe_fail(fmt::format("set the size to {}", size));
  if (const std::string& name = files_.open_.at(this); !name.empty()) files_.remember(name);
  inner_->truncate(size);
}

void FaultyFile::close() {
  const base::MutexLock lock(files_.mutex_);
  files_.count_and_maybe_fail("close");
  inner_->close();
}

// Contents whose name is not on the device are lost, even if they were synced.
void FaultyFile::sync() {
  const base::MutexLock lock(files_.mutex_);
  files_.count_and_maybe_fail("flush");
  inner_->sync();
  const auto found = files_.durable_.find(files_.open_.at(this));
  if (found == files_.durable_.end() || !found->second.contents || found->second.moved) return;
  files_.durable_.erase(found);
}

}  // namespace tailrace::env
