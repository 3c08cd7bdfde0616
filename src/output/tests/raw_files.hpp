// Datasets as plain bytes, to inspect and to damage them.
#pragma once

#include <random>
#include <span>
#include <string>

#include "env/file_system.hpp"
#include "output/testing/dataset_conformance.hpp"
#include "output/tests/read_back.hpp"

namespace tailrace::output::testing {

using env::Access;

inline const Format& netcdf_format() { return *find_format("netcdf"); }

inline std::unique_ptr<env::File> open(const std::string& path, Access access) {
  return env::system_files().open(path, access);
}

inline Bytes contents(const std::string& path) {
  const auto file = open(path, Access::read);
  Bytes bytes(file->size());
  file->read(0, bytes);
  return bytes;
}

inline void put_contents(const std::string& path, std::span<const std::byte> bytes) {
  const auto file = open(path, Access::create);
  file->truncate(0);
  file->write(0, bytes);
}

inline Bytes pattern(std::size_t size, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Checks all values of the records that the file has. Returns their number.
inline std::int64_t check_whole(const std::string& path) {
  const auto records = static_cast<std::int64_t>(read_with_hdf5(path, "time").size() / sizeof(double));
  const auto spec = sample_spec(path);
  check_records(spec, &read_with_hdf5, records);
  return records;
}

}  // namespace tailrace::output::testing
