// Encodes the bytes of a chunk for a Zarr store.
//
// The chunks of an uncompressed variable hold its cells unchanged (codec `bytes`). A codec that needs a
// plugin of Tailrace marks its chunks itself. All other chunks are Blosc frames (the `blosc` codec of the
// Zarr v3 specification; README_CHUNK_FORMAT.rst of c-blosc 1 describes the frame). Blosc is the only codec
// of the specification that shuffles, and its frame can wrap the stream that `codecs` has already made,
// without decoding it. Outside shards a chunk that is not full is a frame with uncompressed cells, so that
// records can be added to it in place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "output/dataset.hpp"

namespace tailrace::output::zarr {

// The file of a chunk: `front`, then `body`, which may refer to the bytes of the chunk.
struct Frame {
  std::vector<std::byte> front;
  std::span<const std::byte> body;
  std::vector<std::byte> decoded;  // owns what `body` refers to if compression did not make the chunk smaller
  bool holds_cells = true;         // `body` is the uncompressed cells
};

bool is_framed(const VariableSpec& variable);
std::size_t bytes_of_chunk(const DatasetSpec& spec, const VariableSpec& variable);  // of decoded cells
// The chunk shape of a variable: its whole shape if the spec gives none.
std::vector<std::int64_t> chunk_of(const DatasetSpec& spec, const VariableSpec& variable);

// The frame of a chunk with `size` bytes of cells. `bytes` are encoded by the variable's codec, or unencoded
// if `filtered` is false; the frame refers to them.
Frame framed(const VariableSpec& variable, std::size_t size, std::span<const std::byte> bytes, bool filtered);
// The front of a chunk whose cells follow uncompressed.
std::vector<std::byte> raw_front(const VariableSpec& variable, std::size_t size);
// Decodes the cells. Throws Error(resource) for anything that framed() cannot have made of `size` bytes.
std::vector<std::byte> unframed(const VariableSpec& variable, std::size_t size,
                                std::span<const std::byte> file);

}  // namespace tailrace::output::zarr
