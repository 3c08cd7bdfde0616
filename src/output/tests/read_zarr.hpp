// An independent reader of Zarr stores, written from the specifications of Zarr v3 and of Blosc frames.
#pragma once

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/testing/sample_dataset.hpp"

namespace tailrace::output::testing {

inline std::string zarr_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::uint32_t frame_number(const std::string& frame, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, frame.data() + at, sizeof value);
  return value;
}

inline std::string inflated(const std::string& stream, unsigned kind, std::size_t size) {
  std::string out(size, '\0');
  std::size_t made = 0;
  if (kind == 4) {
    made = ZSTD_decompress(out.data(), size, stream.data(), stream.size());
  } else {
    libdeflate_decompressor* inflater = libdeflate_alloc_decompressor();
    libdeflate_zlib_decompress(inflater, stream.data(), stream.size(), out.data(), size, &made);
    libdeflate_free_decompressor(inflater);
  }
  if (made != size) throw std::runtime_error("a stream is damaged");
  return out;
}

// Decodes a frame with one block in one stream.
inline std::string unblosced(const std::string& frame) {
  const auto flags = static_cast<unsigned char>(frame.at(2));
  const auto element = static_cast<unsigned char>(frame.at(3));
  const std::size_t size = frame_number(frame, 4);
  if (frame_number(frame, 12) != frame.size()) throw std::runtime_error("a frame is cut off");
  if ((flags & 2) != 0) return frame.substr(16);
  const std::size_t block = frame_number(frame, 16);
  const std::string bytes = inflated(frame.substr(block + 4, frame_number(frame, block)), flags >> 5, size);
  if ((flags & 1) == 0) return bytes;
  std::string cells(size, '\0');
  const std::size_t count = size / element;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t b = 0; b < element; ++b) cells[i * element + b] = bytes[b * count + i];
  return cells;
}

inline std::string fill_cell(const nlohmann::json& array) {
  const nlohmann::json& type = array.at("data_type");
  const auto cell = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const nlohmann::json& fill = array.at("fill_value");
  if (!type.is_string()) return std::string(1, '\0');
  if (type == "float64") return cell(fill.get<double>());
  if (type == "float32") return cell(static_cast<float>(fill.get<double>()));
  if (type == "int64") return cell(fill.get<std::int64_t>());
  if (type == "int32") return cell(fill.get<std::int32_t>());
  if (type == "int16") return cell(fill.get<std::int16_t>());
  if (type == "uint8") return cell(fill.get<std::uint8_t>());
  return cell(fill.get<std::int8_t>());
}

// Castagnoli's CRC-32 of RFC 3720, bit by bit.
inline std::uint32_t checksum_of_index(std::string_view bytes) {
  std::uint32_t rest = 0xffffffff;
  for (const char byte : bytes) {
    rest ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) rest = rest % 2 != 0 ? rest / 2 ^ 0x82f63b78 : rest / 2;
  }
  return ~rest;
}

// The bytes of a chunk in a shard; empty where the shard does not have it. Throws for a damaged index.
inline std::string chunk_in_shard(const std::string& file, std::size_t chunks, std::size_t number) {
  if (file.size() < 16 * chunks + 4) throw std::runtime_error("a shard is too short for its index");
  const std::string_view index = std::string_view(file).substr(file.size() - 16 * chunks - 4);
  std::uint32_t checksum = 0;
  std::memcpy(&checksum, index.data() + 16 * chunks, sizeof checksum);
  if (checksum != checksum_of_index(index.substr(0, 16 * chunks)))
    throw std::runtime_error("the checksum of an index is wrong");
  std::uint64_t place[2];
  std::memcpy(place, index.data() + 16 * number, sizeof place);
  return place[0] == UINT64_MAX && place[1] == UINT64_MAX ? "" : file.substr(place[0], place[1]);
}

// The outer and inner chunk shapes of an array (equal without shards), and whether its chunks are frames.
struct ZarrChunks {
  explicit ZarrChunks(const nlohmann::json& array)
      : file(array.at("chunk_grid").at("configuration").at("chunk_shape").get<std::vector<std::int64_t>>()),
        chunk(file) {
    nlohmann::json codecs = array.at("codecs");
    is_sharded = codecs[0].at("name") == "sharding_indexed";
    if (is_sharded) {
      const nlohmann::json configuration = codecs[0].at("configuration");
      EXPECT_EQ(codecs.size(), 1u);
      EXPECT_EQ(configuration.at("index_location"), "end");
      EXPECT_EQ(configuration.at("index_codecs").at(1).at("name"), "crc32c");
      chunk = configuration.at("chunk_shape").get<std::vector<std::int64_t>>();
      codecs = configuration.at("codecs");
    }
    is_framed = codecs.size() > 1;
  }
  std::vector<std::int64_t> file, chunk;
  bool is_sharded = false, is_framed = false;
};

// `array`: the metadata of the array.
inline Bytes read_zarr_array(const std::string& path, const std::string& name, const nlohmann::json& array) {
  using Shape = std::vector<std::int64_t>;
  const auto shape = array.at("shape").get<Shape>();
  const ZarrChunks chunks(array);
  const std::string fill = fill_cell(array);
  std::int64_t cells = 1;
  for (const std::int64_t extent : shape) cells *= extent;
  std::string values;
  std::map<std::string, std::string> files;                            // by name
  std::map<std::pair<std::string, std::size_t>, std::string> decoded;  // by file and number in the shard
  Shape at(shape.size(), 0);
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    std::int64_t rest = cell, inside = 0;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) at[d] = rest % shape[d];
    std::string file = path + "/" + name + "/c";
    const auto separator =
        array.at("chunk_key_encoding").at("configuration").at("separator").get<std::string>();
    std::size_t number = 0, in_shard = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t extent = chunks.chunk[d], outer = chunks.file[d];
      file += separator + std::to_string(at[d] / outer);
      number = number * static_cast<std::size_t>(outer / extent) +
               static_cast<std::size_t>(at[d] % outer / extent);
      in_shard *= static_cast<std::size_t>(outer / extent);
      inside = inside * extent + at[d] % extent;
    }
    const bool is_there = files.contains(file) || std::filesystem::exists(file);
    if (is_there && !files.contains(file)) files[file] = zarr_file(file);
    if (!decoded.contains({file, number})) {
      std::string bytes = !is_there           ? ""
                          : chunks.is_sharded ? chunk_in_shard(files[file], in_shard, number)
                                              : files[file];
      decoded[{file, number}] = bytes.empty() || !chunks.is_framed ? bytes : unblosced(bytes);
    }
    const std::string& from = decoded[{file, number}];
    values += from.empty() ? fill : from.substr(static_cast<std::size_t>(inside) * fill.size(), fill.size());
  }
  Bytes bytes(values.size());
  std::ranges::copy(std::as_bytes(std::span(values)), bytes.begin());
  return bytes;
}

inline nlohmann::json zarr_json(const std::string& path) {
  return nlohmann::json::parse(zarr_file(path + "/zarr.json"));
}

inline std::optional<double> zarr_attribute(const std::string& path, const std::string& variable,
                                            const std::string& name) {
  const nlohmann::json group = zarr_json(path);
  const auto attributes =
      (variable.empty() ? group : group.at("consolidated_metadata").at("metadata").at(variable))
          .at("attributes");
  return attributes.contains(name) ? attributes.at(name).get<double>() : std::optional<double>();
}

// Reads with the consolidated metadata, and checks that the array's own metadata are equal, as they must be
// between commits.
inline Bytes read_zarr(const std::string& path, const std::string& name) {
  const auto array = zarr_json(path).at("consolidated_metadata").at("metadata").at(name);
  EXPECT_EQ(array, zarr_json(path + "/" + name)) << name;
  return read_zarr_array(path, name, array);
}

}  // namespace tailrace::output::testing
