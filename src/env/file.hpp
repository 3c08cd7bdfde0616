// An open file with random access, for callers that manage its layout, such as formats of datasets. Made by
// FileSystem::open (file_system.hpp).
//
// A failure is an Error(resource) with the operation and the system's message. The caller adds the path,
// since the user may know the file by another name. Not safe from several threads at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tailrace::env {

class File {
 public:
  virtual ~File() = default;  // closes it and keeps what was written

  // Bytes past the end of the file are read as zero.
  virtual void read(std::uint64_t address, std::span<std::byte> bytes) const = 0;
  // Writes all bytes, or throws; then any first part of them may have been written. Past the end the file
  // grows, with zeros in between.
  virtual void write(std::uint64_t address, std::span<const std::byte> bytes) = 0;
  // Starts to transfer written bytes to the device in the background; may block while the device is busy. A
  // hint without a guarantee.
  virtual void start_sync(std::uint64_t address, std::uint64_t size);
  // Waits until these bytes are on the device, and frees the page cache that held them. `sync` is still
  // necessary, and does not report the same error again.
  virtual void finish_sync(std::uint64_t address, std::uint64_t size);
  virtual void truncate(std::uint64_t size) = 0;  // shortens the file, or extends it with zeros
  virtual std::uint64_t size() const = 0;
  virtual void sync() = 0;  // contents and size, but not the name, are on the device when it returns
  // Network file systems may report failed writes only here. Nothing else may be called after it.
  virtual void close() = 0;

  // Marks this open file as the one that writes. False if another one is marked. The mark is a lock that the
  // system removes with the last descriptor, so a killed writer leaves none. It does not affect readers. If
  // the file system has no such locks, the call always succeeds.
  virtual bool mark_as_writer() = 0;
  virtual bool other_writer() const = 0;  // whether another open file is marked

  // False if the name now belongs to another file, or to none.
  virtual bool is_file_at(const std::string& path) const = 0;
};

inline void File::start_sync(std::uint64_t, std::uint64_t) {}
inline void File::finish_sync(std::uint64_t, std::uint64_t) {}

}  // namespace tailrace::env
