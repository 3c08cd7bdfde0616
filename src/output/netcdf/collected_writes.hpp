// The writes of HDF5 between AtomicFile::begin() and commit(), buffered. Small pieces are copied; large ones
// that the caller promises not to change (refer_to) are kept by reference, so that a chunk is never copied on
// its way to the disk. Without this buffer HDF5 would wait for the disk under its global lock.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "env/file.hpp"
#include "output/netcdf/metadata/overlay.hpp"

namespace tailrace::output::netcdf {

class CollectedWrites {
 public:
  // Writes from within `bytes` are kept by reference: the caller must not change these bytes until clear().
  // Holds one span at a time. Only the part within `wanted` is written to disk.
  void refer_to(std::span<const std::byte> bytes) { refer_to(bytes, bytes); }
  void refer_to(std::span<const std::byte> bytes, std::span<const std::byte> wanted) {
    lasting_ = bytes;
    wanted_ = wanted;
  }
  void put(std::uint64_t address, std::span<const std::byte> bytes);
  // `bytes` are those of the file at `address`; overwrites them with the buffered writes.
  void cover(std::uint64_t address, std::span<std::byte> bytes) const;
  void write_to(env::File& file) const;
  void clear() noexcept;

 private:
  using References = std::map<std::uint64_t, std::span<const std::byte>>;  // by address; they do not overlap
  void copy_references(std::uint64_t begin, std::uint64_t end);

  References references_;
  Overlay copies_;  // never overlaps a reference
  std::span<const std::byte> lasting_, wanted_;
};

}  // namespace tailrace::output::netcdf
