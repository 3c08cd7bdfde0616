// Sparse modifications of a file in memory. Reads see the last write to each byte, and the file elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tailrace::output::netcdf {

using Pieces = std::map<std::uint64_t, std::vector<std::byte>>;  // by address; they do not overlap

class Overlay {
 public:
  void put(std::uint64_t address, std::span<const std::byte> bytes);
  // `bytes` are those of the file at `address`; overwrites them with the pieces of the overlay.
  void cover(std::uint64_t address, std::span<std::byte> bytes) const;
  bool has_all(std::uint64_t begin, std::uint64_t end) const;  // every byte in between is in the overlay
  bool touches(std::uint64_t begin, std::uint64_t end) const;  // at least one of them is
  const Pieces& pieces() const { return pieces_; }
  void clear() { pieces_.clear(); }

 private:
  void cut(std::uint64_t begin, std::uint64_t end);  // removes this range from the pieces

  Pieces pieces_;
};

}  // namespace tailrace::output::netcdf
