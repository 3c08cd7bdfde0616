// One open file, read and written at any place: for those who keep their own order in it, as formats of
// datasets do. FileSystem::open (file_system.hpp) gives it.
//
// A failure is an Error(resource) that says what was being done and what the system said, and leaves the path
// to the caller, whose user may know the file by another name. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tailrace::env {

class File {
 public:
  virtual ~File() = default;  // closes it; what was written stays

  // Fills what lies past the end of the file with zero.
  virtual void read(std::uint64_t address, std::span<std::byte> bytes) const = 0;
  // All bytes or an error, after which any first part of them may be there. Past the end the file grows, and
  // holds zeros in between.
  virtual void write(std::uint64_t address, std::span<const std::byte> bytes) = 0;
  // Written bytes begin their way to the device, beside what the caller does next; may wait while the device
  // has much to do. Promises nothing.
  virtual void start_sync(std::uint64_t address, std::uint64_t size);
  // Waits until these are there, and gives back the system's memory of them. `sync` stays needed, and does
  // not tell this error again.
  virtual void finish_sync(std::uint64_t address, std::uint64_t size);
  virtual void truncate(std::uint64_t size) = 0;  // cuts off or adds zeros
  virtual std::uint64_t size() const = 0;
  virtual void sync() = 0;  // contents and size are on the device when it returns; not the name
  // Network file systems may report only here what they could not write. Nothing else may be called after it.
  virtual void close() = 0;

  // Marks this open file as the one that writes. False if another one is marked; the mark goes with the last
  // descriptor, so a killed writer leaves none. Readers never see it, and where the file system knows no such
  // marks everybody gets one.
  virtual bool mark_as_writer() = 0;
  virtual bool other_writer() const = 0;  // some other open file is marked

  // False when the name now belongs to another file, or to none.
  virtual bool is_file_at(const std::string& path) const = 0;
};

inline void File::start_sync(std::uint64_t, std::uint64_t) {}
inline void File::finish_sync(std::uint64_t, std::uint64_t) {}

}  // namespace tailrace::env
