#include "env/memory/memory_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace tailrace::env {

void MemoryFile::refuse(std::string_view doing, std::string_view why) {
  throw Error(ErrorCode::resource, fmt::format("{}: {}", doing, why));
}

MemoryFile::~MemoryFile() { close(); }

void MemoryFile::close() {
  const base::MutexLock lock(files_.mutex_);
  if (contents_->writer == this) contents_->writer = nullptr;
}

void MemoryFile::read(std::uint64_t address, std::span<std::byte> bytes) const {
  const base::MutexLock lock(files_.mutex_);
  const std::string& all = contents_->bytes;
  const std::uint64_t begin = std::min<std::uint64_t>(all.size(), address);
  const std::size_t count = std::min<std::size_t>(all.size() - begin, bytes.size());
  if (count > 0) std::memcpy(bytes.data(), all.data() + begin, count);
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(count), bytes.end(), std::byte{0});
}

void MemoryFile::write(std::uint64_t address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const base::MutexLock lock(files_.mutex_);
  std::string& all = contents_->bytes;
  const std::uint64_t end = std::max<std::uint64_t>(all.size(), address + bytes.size());
  if (!files_.has_room(all.size(), end))
    refuse(fmt::format("cannot write {} bytes at {}", bytes.size(), address), no_space);
  all.resize(end);
  std::memcpy(all.data() + address, bytes.data(), bytes.size());
}

void MemoryFile::truncate(std::uint64_t size) {
  const base::MutexLock lock(files_.mutex_);
  if (!files_.has_room(contents_->bytes.size(), size))
    refuse(fmt::format("cannot set the size to {}", size), no_space);
  contents_->bytes.resize(size);
}

std::uint64_t MemoryFile::size() const {
  const base::MutexLock lock(files_.mutex_);
  return contents_->bytes.size();
}

bool MemoryFile::mark_as_writer() {
  const base::MutexLock lock(files_.mutex_);
  if (contents_->writer == nullptr) contents_->writer = this;
  return contents_->writer == this;
}

bool MemoryFile::other_writer() const {
  const base::MutexLock lock(files_.mutex_);
  return contents_->writer != nullptr && contents_->writer != this;
}

}  // namespace tailrace::env
