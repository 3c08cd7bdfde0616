// The size of a rank's buffer if the configuration does not set it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "client/declarer.hpp"

namespace tailrace::client {

// Returns space for several steps in which this rank puts all fields that are used, but at most `at_most`
// bytes. `used`: by field, whether any file needs it.
std::size_t suitable_buffer(const Declarer& declarer, const std::vector<bool>& used, std::size_t at_most);
// The same for a rank that holds so many cells of each grid.
std::size_t suitable_buffer(std::span<const model::Field> fields,
                            const std::function<std::int64_t(std::size_t grid)>& cells,
                            const std::vector<bool>& used, std::size_t at_most);

// An input of which records travel to this rank.
struct ExpectedInput {
  int field = -1;
  std::int64_t records = 0;  // those that are used at a time, and those that are read ahead
  int levels_dim = -1;       // of its grid, along which a file has another number of levels, not known yet
};

// The size of the buffer from the server to this rank, which is made before the files are opened. Returns
// space for these records, as far as their number of levels can be guessed, but at most `at_most` bytes; and
// in any case space for two of the largest. Records for which it does not suffice are read less far ahead.
std::size_t input_buffer(const Declarer& declarer, std::span<const ExpectedInput> inputs,
                         std::size_t at_most);

}  // namespace tailrace::client
