// A bit set: which cells of an array have arrived.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tailrace::checkpoint {

// It tests 64 cells at a time, since an array of a model may have a hundred million.
class CellMarks {
 public:
  CellMarks() = default;
  explicit CellMarks(std::size_t cells) : words_((cells + 63) / 64, 0) {}
  bool empty() const { return words_.empty(); }
  bool has(std::size_t cell) const { return (words_[cell / 64] >> (cell % 64) & 1) != 0; }
  void mark(std::size_t from, std::size_t end) {
    while (from < end && from % 64 != 0) set(from++);
    for (; end - from >= 64; from += 64) words_[from / 64] = ~std::uint64_t{0};
    while (from < end) set(from++);
  }
  // The first cell in [from, end) whose mark equals `as`; `end` if there is none.
  std::size_t find(bool as, std::size_t from, std::size_t end) const {
    while (from < end) {
      const std::uint64_t word = as ? words_[from / 64] : ~words_[from / 64];
      const std::uint64_t rest = word >> (from % 64);
      if (rest != 0) {
        const std::size_t found = from + static_cast<std::size_t>(std::countr_zero(rest));
        return found < end ? found : end;
      }
      from = (from / 64 + 1) * 64;
    }
    return end;
  }

 private:
  void set(std::size_t cell) { words_[cell / 64] |= std::uint64_t{1} << (cell % 64); }
  std::vector<std::uint64_t> words_;
};

}  // namespace tailrace::checkpoint
