// The bytes of a chunk as a Zarr store has them.
//
// A variable that is not compressed has its cells as they are (codec `bytes`). Any other one has Blosc frames
// (the `blosc` codec of the Zarr v3 specification; the frame is described in README_CHUNK_FORMAT.rst of
// c-blosc 1): Blosc is the only codec of the specification that shuffles, and its frame goes around the
// stream that `codecs` made, which need not be decoded for it. A chunk that is not full is a frame that holds
// its cells uncompressed, so that records can be added to it in place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "output/dataset.hpp"

namespace tailrace::output::zarr {

// `front` and then `body`, which may refer to the bytes of the chunk.
struct Frame {
  std::vector<std::byte> front;
  std::span<const std::byte> body;
  std::vector<std::byte> decoded;  // what `body` refers to where the chunk did not get smaller
  bool holds_cells = true;         // `body` is the cells as they are
};

bool is_framed(const VariableSpec& variable);
std::size_t bytes_of_chunk(const DatasetSpec& spec, const VariableSpec& variable);  // its cells, decoded
std::vector<std::int64_t> chunk_of(const DatasetSpec& spec,
                                   const VariableSpec& variable);  // of one without: all of it

// Of a chunk of `size` bytes of cells, encoded by the variable's codec or (`filtered` false) not at all.
// Refers to `bytes`.
Frame framed(const VariableSpec& variable, std::size_t size, std::span<const std::byte> bytes, bool filtered);
// The front of a chunk whose cells lie uncompressed behind it.
std::vector<std::byte> raw_front(const VariableSpec& variable, std::size_t size);
// The cells. Throws Error(resource) for anything but what framed() makes of `size` bytes.
std::vector<std::byte> unframed(const VariableSpec& variable, std::size_t size,
                                std::span<const std::byte> file);

}  // namespace tailrace::output::zarr
