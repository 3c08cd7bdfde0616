// Objects as files: one that is being made, in memory, and one in a bucket that is read piece by piece.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "env/file.hpp"
#include "output/object_store/client.hpp"

namespace tailrace::output::zarr {

// A file without a name in a file system: nobody else has it open.
class DetachedFile : public env::File {
 public:
  void sync() override {}
  void close() override {}
  bool mark_as_writer() override { return true; }
  bool other_writer() const override { return false; }
  bool is_file_at(const std::string&) const override { return false; }
};

class BufferFile final : public DetachedFile {
 public:
  void read(std::uint64_t address, std::span<std::byte> bytes) const override;
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void truncate(std::uint64_t size) override { bytes_.resize(size); }
  std::uint64_t size() const override { return bytes_.size(); }
  std::vector<std::byte> take() { return std::exchange(bytes_, {}); }

 private:
  std::vector<std::byte> bytes_;
};

// Read-only. Reads ahead, since a shard is copied in small pieces.
class ObjectFile final : public DetachedFile {
 public:
  ObjectFile(std::shared_ptr<const object_store::Client> client, std::string key, std::uint64_t size)
      : client_(std::move(client)), key_(std::move(key)), size_(size) {}
  void read(std::uint64_t address, std::span<std::byte> bytes) const override;
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void truncate(std::uint64_t size) override;
  std::uint64_t size() const override { return size_; }

 private:
  std::shared_ptr<const object_store::Client> client_;
  std::string key_;
  std::uint64_t size_;
  mutable std::uint64_t first_ = 0;  // of the bytes that were read ahead
  mutable std::vector<std::byte> ahead_;
};

}  // namespace tailrace::output::zarr
