// HDF5's byte shuffle: first the first byte of every element, then every second byte, ... Bytes after the
// last whole element keep their place at the end. Smooth fields have equal high bytes, which then lie side by
// side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tailrace::codecs {

inline constexpr std::int32_t shuffle_filter_id = 2;  // H5Z_FILTER_SHUFFLE

std::vector<std::byte> shuffle(std::span<const std::byte> bytes, std::size_t element_size);
std::vector<std::byte> unshuffle(std::span<const std::byte> bytes, std::size_t element_size);

}  // namespace tailrace::codecs
