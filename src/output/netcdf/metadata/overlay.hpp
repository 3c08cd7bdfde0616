// Pieces of bytes that lie over a file: what was written last is what is read.
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
  // Puts what it has over `bytes`, which are those of the file at `address`.
  void cover(std::uint64_t address, std::span<std::byte> bytes) const;
  bool has_all(std::uint64_t begin, std::uint64_t end) const;  // of the bytes in between
  bool touches(std::uint64_t begin, std::uint64_t end) const;  // has any of them
  const Pieces& pieces() const { return pieces_; }
  void clear() { pieces_.clear(); }

 private:
  void cut(std::uint64_t begin, std::uint64_t end);  // makes room

  Pieces pieces_;
};

}  // namespace tailrace::output::netcdf
