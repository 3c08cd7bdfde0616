// A dataset for tests, in which each value is a function of its place, and the commits that extend it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "codecs/codec.hpp"
#include "output/format.hpp"

namespace tailrace::output::testing {

using Bytes = std::vector<std::byte>;

// Dims and variables of the sample, by index.
enum Dim { time_dim, snap_dim, z_dim, x_dim, bounds_dim, entry_dim, character_dim };
enum Variable { time_var, bounds_var, z_var, theta, flux, count, number, mask, bytes, numbers, shorts };

inline constexpr std::int64_t z_size = 5;
inline constexpr std::int64_t x_size = 7;  // not a multiple of the chunk
inline constexpr std::int64_t x_chunk = 4;
inline constexpr std::int64_t flux_records = 3;  // records of a chunk, which is committed while partly filled

inline DatasetSpec sample_spec(const std::string& path, codecs::CodecOptions codec = {"zlib", 1, true}) {
  using model::DataType;
  const codecs::CodecOptions none;
  DatasetSpec spec;
  spec.path = path;
  spec.attributes = {{"Conventions", std::string("CF-1.11")},
                     {"title", std::string("Sämple")},
                     {"empty", std::string()},
                     {"level", std::int32_t{3}},
                     {"seed", std::int64_t{1} << 40},
                     {"factor", 0.5},
                     {"single", 0.25F},
                     {"range", std::vector<double>{-1.0, 1.0}}};
  spec.dims = {{"time", 0, true}, {"time_snap", 0, true}, {"z", z_size, false},   {"x", x_size, false},
               {"nv", 2, false},  {"entry", 3, false},    {"character", 4, false}};
  spec.texts = {{"options",
                 {entry_dim, character_dim},
                 {"dt", "", "0.25"},
                 {{"long_name", std::string("what the model was given")}}}};
  spec.variables = {
      {"time",
       DataType::float64,
       {time_dim},
       {512},
       none,
       {},
       {{"units", std::string("seconds since 2000-01-01")}, {"bounds", std::string("time_bnds")}}},
      {"time_bnds", DataType::float64, {time_dim, bounds_dim}, {256, 2}, none, {}, {}},
      {"z",
       DataType::float64,
       {z_dim},
       {},
       none,
       {},
       {{"units", std::string("m")}, {"axis", std::string("Z")}}},
      {"theta",
       DataType::float32,
       {time_dim, z_dim, x_dim},
       {1, z_size, x_chunk},
       codec,
       -9e33,
       {{"units", std::string("K")}}},
      {"flux",
       DataType::float64,
       {snap_dim, x_dim},
       {flux_records, x_chunk},
       codec,
       {},
       {{"units", std::string("W m-2")}}},
      {"count", DataType::int32, {snap_dim}, {16}, none, -1.0, {}},
      {"number", DataType::int64, {}, {}, none, {}, {}},
      {"mask", DataType::int32, {z_dim, x_dim}, {2, x_chunk}, codec, {}, {}},
      {"bytes", DataType::int8, {snap_dim}, {16}, none, -127.0, {}},
      {"numbers", DataType::uint8, {snap_dim}, {16}, none, 255.0, {}},
      {"shorts",
       DataType::int16,
       {time_dim},
       {16},
       none,
       -32767.0,
       {{"scale_factor", 0.01F},
        {"add_offset", 250.0F},
        {"valid_min", std::int16_t{-300}},
        {"flag", std::int8_t{-3}},
        {"most", std::uint8_t{200}}}},
  };
  return spec;
}

inline Bytes sample_text() {
  const std::string text(
      "dt\0\0\0\0\0\0"
      "0.25",
      12);
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// The value at a place, a function of the place that differs between variables.
inline double sample_value(int variable, std::int64_t record, std::int64_t cell) {
  if (variable == bytes || variable == numbers || variable == shorts)
    return static_cast<double>(10 * (variable - mask) + record % 80);
  return 1000.0 * (variable + 1) + 10.0 * static_cast<double>(record) + 0.25 * static_cast<double>(cell % 40);
}

template <class Value>
Bytes as_bytes(model::DataType type, std::size_t cells, Value value) {
  return model::dispatch(type, [&](auto sample) {
    Bytes bytes(cells * sizeof(sample));
    for (std::size_t i = 0; i < cells; ++i) {
      sample = static_cast<decltype(sample)>(value(static_cast<std::int64_t>(i)));
      std::memcpy(bytes.data() + i * sizeof(sample), &sample, sizeof(sample));
    }
    return bytes;
  });
}

inline std::int64_t record_cells(const DatasetSpec& spec, int variable) {
  const VariableSpec& described = spec.variables[base::index(variable)];
  std::int64_t cells = 1;
  for (std::size_t i = 0; i < described.dims.size(); ++i) {
    const DimensionSpec& dim = spec.dims[base::index(described.dims[i])];
    cells *= dim.unlimited ? 1 : dim.size;
  }
  return cells;
}

// The values of a variable with so many records (1 for a variable of fixed size).
inline Bytes expected(const DatasetSpec& spec, int variable, std::int64_t records) {
  const std::int64_t cells = record_cells(spec, variable);
  return as_bytes(spec.variables[base::index(variable)].type, static_cast<std::size_t>(records * cells),
                  [&](std::int64_t i) { return sample_value(variable, i / cells, i % cells); });
}

inline PlainValues plain(const DatasetSpec& spec, int variable, std::int64_t record) {
  const auto cells = static_cast<std::size_t>(record_cells(spec, variable));
  return {variable, record, as_bytes(spec.variables[base::index(variable)].type, cells, [&](std::int64_t i) {
            return sample_value(variable, record, i);
          })};
}

inline EncodedChunk encoded(const DatasetSpec& spec, int variable, std::vector<std::int64_t> offset,
                            const Bytes& raw, bool filtered) {
  const VariableSpec& described = spec.variables[base::index(variable)];
  if (!filtered) return {variable, std::move(offset), raw, false};
  return {variable, std::move(offset),
          codecs::make_codec(described.codec)->encode(raw, describe_chunk(described)), true};
}

// Adds both chunks of a record of theta.
inline void add_theta(const DatasetSpec& spec, std::int64_t record, Commit& commit) {
  for (std::int64_t x0 = 0; x0 < x_size; x0 += x_chunk) {
    const Bytes raw = as_bytes(model::DataType::float32, z_size * x_chunk, [&](std::int64_t i) {
      const std::int64_t x = x0 + i % x_chunk;
      return x < x_size ? sample_value(theta, record, i / x_chunk * x_size + x) : -9e33;
    });
    commit.chunks.push_back(encoded(spec, theta, {record, 0, x0}, raw, true));
  }
}

// Adds the chunks of flux with `record` as the last record, unencoded unless they are full.
inline void add_flux(const DatasetSpec& spec, std::int64_t record, Commit& commit) {
  const std::int64_t first = record / flux_records * flux_records;
  for (std::int64_t x0 = 0; x0 < x_size; x0 += x_chunk) {
    const Bytes raw = as_bytes(model::DataType::float64, flux_records * x_chunk, [&](std::int64_t i) {
      const std::int64_t at = first + i / x_chunk, x = x0 + i % x_chunk;
      return at <= record && x < x_size ? sample_value(flux, at, x) : 0.0;
    });
    commit.chunks.push_back(encoded(spec, flux, {first, x0}, raw, record == first + flux_records - 1));
    commit.chunks.back().committed_records = record - first;
    commit.chunks.back().valid_records = record - first + 1;
  }
}

inline void add_mask(const DatasetSpec& spec, Commit& commit) {
  for (std::int64_t z0 = 0; z0 < z_size; z0 += 2) {
    for (std::int64_t x0 = 0; x0 < x_size; x0 += x_chunk) {
      const Bytes raw = as_bytes(model::DataType::int32, 2 * x_chunk, [&](std::int64_t i) {
        const std::int64_t z = z0 + i / x_chunk, x = x0 + i % x_chunk;
        return x < x_size && z < z_size ? sample_value(mask, 0, z * x_size + x) : 0.0;
      });
      commit.chunks.push_back(encoded(spec, mask, {z0, x0}, raw, true));
    }
  }
}

// The commit that extends both time axes to `record` + 1 records. The first one also has the variables of
// fixed size.
inline Commit sample_commit(const DatasetSpec& spec, std::int64_t record) {
  Commit commit;
  commit.lengths = {{time_dim, record + 1}, {snap_dim, record + 1}};
  for (const int variable : {time_var, bounds_var, count, bytes, numbers, shorts})
    commit.values.push_back(plain(spec, variable, record));
  add_theta(spec, record, commit);
  add_flux(spec, record, commit);
  if (record == 0) {
    for (const int variable : {z_var, number}) commit.values.push_back(plain(spec, variable, 0));
    add_mask(spec, commit);
  }
  return commit;
}

}  // namespace tailrace::output::testing
