// What a library writes into a file, held back until somebody lets it go to the disk. Large pieces that stay
// where they are in memory are not copied.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "env/file.hpp"
#include "output/netcdf/metadata/overlay.hpp"

namespace tailrace::output::netcdf {

class CollectedWrites {
 public:
  // Bytes within these stay as they are until clear(). For one span at a time. Only those of `wanted`, which
  // is a part of them, go to the disk.
  void refer_to(std::span<const std::byte> bytes) { refer_to(bytes, bytes); }
  void refer_to(std::span<const std::byte> bytes, std::span<const std::byte> wanted) {
    lasting_ = bytes;
    wanted_ = wanted;
  }
  void put(std::uint64_t address, std::span<const std::byte> bytes);
  // Puts what was written last over `bytes`, which are those of the file at `address`.
  void cover(std::uint64_t address, std::span<std::byte> bytes) const;
  void write_to(env::File& file) const;
  void clear() noexcept;

 private:
  using References = std::map<std::uint64_t, std::span<const std::byte>>;  // by address; they do not overlap
  void copy_references(std::uint64_t begin, std::uint64_t end);

  References references_;
  Overlay copies_;  // nowhere where a reference is
  std::span<const std::byte> lasting_, wanted_;
};

}  // namespace tailrace::output::netcdf
