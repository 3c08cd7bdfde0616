// An overflow queue on disk, for packets that find the ring full (when_full: spill): a file on a disk of the
// node, appended at its end and read from its start. Its space is freed by punching holes as it is read.
// Without it the model would wait for a slow server, or fail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transport/ring/ring_layout.hpp"

namespace tailrace::transport {

// An open file, which has no name once it is unlinked.
class SpillFile {
 public:
  static SpillFile create(const std::string& directory);  // throws Error(resource) with the path
  static SpillFile open(const std::string& path);
  SpillFile(SpillFile&& other) noexcept;
  SpillFile& operator=(SpillFile&&) = delete;
  ~SpillFile();

  void unlink();                // after it, a crash leaves nothing behind
  SpillFile duplicate() const;  // the same file, for the other end in this process
  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }

 private:
  SpillFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_;
  std::string path_;
};

// Producer's end. Positions count up like those of the ring, in the words spill_* of the control block.
class SpillWriter {
 public:
  SpillWriter(RingControl& control, SpillFile file) : control_(control), file_(std::move(file)) {}
  // Memory for a payload; allocates the space on the disk, so that publish cannot fail. Throws
  // Error(resource).
  std::byte* reserve(std::size_t payload);
  void publish(const model::PacketHeader& header, std::uint64_t sequence);
  bool drained() const;

 private:
  void claim(std::uint64_t offset, std::uint64_t bytes);
  [[noreturn]] void refuse(int error, std::uint64_t bytes) const;
  RingControl& control_;
  SpillFile file_;
  std::vector<PacketHead> packet_;  // head and payload, in units of the alignment
  std::size_t payload_ = 0;
  std::uint64_t claimed_ = 0;  // allocated bytes of the file
};

// Consumer's end.
class SpillReader {
 public:
  SpillReader(RingControl& control, SpillFile file) : control_(control), file_(std::move(file)) {}
  void unlink() { file_.unlink(); }
  const PacketHead* peek();       // the next packet's head, or null
  void take(std::byte* payload);  // reads the payload of the peeked packet and frees its space

 private:
  void read(std::uint64_t position, void* place, std::size_t bytes);
  RingControl& control_;
  SpillFile file_;
  std::optional<PacketHead> head_;
  std::uint64_t position_ = 0;
  std::uint64_t unpunched_ = 0;  // read, but still on the disk
};

}  // namespace tailrace::transport
