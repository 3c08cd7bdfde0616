#include "output/zarr/frame.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/error.hpp"
#include "codecs/lorenzo/chunk.hpp"
#include "codecs/own_plugin.hpp"
#include "output/checks.hpp"

namespace tailrace::output::zarr {
namespace {

constexpr std::size_t header_size = 16;
constexpr std::uint8_t frame_version = 2, stream_version = 1;
constexpr std::uint8_t shuffled = 0x1, stored = 0x2, one_stream = 0x10;  // flags
constexpr unsigned zlib_streams = 3, zstd_streams = 4;

void put(std::vector<std::byte>& into, std::size_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) into.push_back(static_cast<std::byte>(value >> shift));
}

std::size_t get(std::span<const std::byte> from, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::to_integer<std::size_t>(from[at + i]) << 8 * i;
  return value;
}

std::uint8_t flags_of(const VariableSpec& variable) {
  const unsigned streams = variable.codec.codec == "zstd" ? zstd_streams : zlib_streams;
  const std::uint8_t shuffle =
      variable.codec.shuffle && model::size_of(variable.type) > 1 ? shuffled : std::uint8_t{0};
  return static_cast<std::uint8_t>(shuffle | one_stream | streams << 5);
}

// The header of a frame: `size` bytes of cells, in a frame of `frame_size` bytes.
std::vector<std::byte> header(const VariableSpec& variable, std::uint8_t flags, std::size_t size,
                              std::size_t frame_size) {
  std::vector<std::byte> front{std::byte{frame_version}, std::byte{stream_version}, std::byte{flags},
                               static_cast<std::byte>(model::size_of(variable.type))};
  put(front, size);
  put(front, size);  // the block size: there is one block
  put(front, frame_size);
  return front;
}

// The codec `lorenzo` marks cells that are not encoded itself.
bool has_own_frame(const VariableSpec& variable) { return codecs::needs_own_plugin(variable.codec.codec); }

[[noreturn]] void damaged(std::size_t found, std::size_t size) {
  throw Error(ErrorCode::resource,
              fmt::format("a chunk is damaged: its {} bytes are not a frame of {} bytes", found, size));
}

}  // namespace

bool is_framed(const VariableSpec& variable) {
  return !variable.chunk.empty() && variable.codec.codec != "none";
}

std::vector<std::int64_t> chunk_of(const DatasetSpec& spec, const VariableSpec& variable) {
  return variable.chunk.empty() ? shape_of(variable, first_lengths(spec)) : variable.chunk;
}

std::size_t bytes_of_chunk(const DatasetSpec& spec, const VariableSpec& variable) {
  return static_cast<std::size_t>(cells_of(chunk_of(spec, variable))) * model::size_of(variable.type);
}

std::vector<std::byte> raw_front(const VariableSpec& variable, std::size_t size) {
  if (!is_framed(variable)) return {};
  if (has_own_frame(variable)) return codecs::lorenzo::raw_header(size, model::size_of(variable.type));
  return header(variable, static_cast<std::uint8_t>(flags_of(variable) | stored), size, size + header_size);
}

Frame framed(const VariableSpec& variable, std::size_t size, std::span<const std::byte> bytes,
             bool filtered) {
  Frame frame;
  if (!is_framed(variable) || !filtered) {
    frame.front = raw_front(variable, size);
    frame.body = bytes;
  } else if (has_own_frame(variable)) {
    frame.body = bytes;
    frame.holds_cells = false;
  } else if (bytes.size() >= size) {  // a reader would mistake a stream of this length for uncompressed cells
    frame.decoded = codecs::make_codec(variable.codec)->decode(bytes, size, model::size_of(variable.type));
    frame.front = raw_front(variable, size);
    frame.body = frame.decoded;
  } else {
    constexpr std::size_t front_size = header_size + 8;
    frame.front = header(variable, flags_of(variable), size, front_size + bytes.size());
    put(frame.front, header_size + 4);  // offset of the block
    put(frame.front, bytes.size());     // the length of the block's stream
    frame.body = bytes;
    frame.holds_cells = false;
  }
  return frame;
}

std::vector<std::byte> unframed(const VariableSpec& variable, std::size_t size,
                                std::span<const std::byte> file) {
  if (!is_framed(variable)) {
    if (file.size() != size) damaged(file.size(), size);
    return {file.begin(), file.end()};
  }
  if (has_own_frame(variable))
    return codecs::make_codec(variable.codec)->decode(file, size, model::size_of(variable.type));
  if (file.size() < header_size || get(file, 4) != size || get(file, 12) != file.size())
    damaged(file.size(), size);
  const auto flags = std::to_integer<std::uint8_t>(file[2]);
  if ((flags & stored) != 0) {
    if (file.size() != header_size + size) damaged(file.size(), size);
    return {file.begin() + header_size, file.end()};
  }
  constexpr std::size_t front_size = header_size + 8;
  if (flags != flags_of(variable) || file.size() < front_size ||
      get(file, header_size + 4) != file.size() - front_size)
    damaged(file.size(), size);
  return codecs::make_codec(variable.codec)
      ->decode(file.subspan(front_size), size, model::size_of(variable.type));
}

}  // namespace tailrace::output::zarr
