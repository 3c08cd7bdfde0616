#include "output/netcdf/repack/new_indices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "output/netcdf/header.hpp"
#include "output/netcdf/header_only_driver/placing_driver.hpp"
#include "output/netcdf/metadata/snapshot.hpp"

namespace tailrace::output::netcdf {
namespace {

constexpr const char* doing = "cannot make an index of chunks";

void write_dataset(PlacedFile& placed, hid_t file, const std::string& name, const RepackedVariable& repacked,
                   Bytes& any) TAILRACE_REQUIRES(hdf5_mutex) {
  const StoredVariable& variable = *repacked.variable;
  const std::vector<hsize_t> shape(variable.shape.begin(), variable.shape.end());
  const std::vector<hsize_t> chunk(repacked.chunk.begin(), repacked.chunk.end());
  std::vector<hsize_t> most = shape;
  if (variable.grows) most[0] = H5S_UNLIMITED;
  const int rank = static_cast<int>(shape.size());
  const Id properties(H5Pcopy(variable.properties), &H5Pclose, doing);
  check(H5Pset_chunk(properties, rank, chunk.data()), doing);
  const Id space(H5Screate_simple(rank, shape.data(), most.data()), &H5Sclose, doing);
  const Id dataset(
      H5Dcreate2(file, name.c_str(), variable.data_type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
      &H5Dclose, doing);
  for (const StoredChunk& one : repacked.chunks) {
    const std::vector<hsize_t> offset(one.offset.begin(), one.offset.end());
    if (any.size() < one.size) any.resize(static_cast<std::size_t>(one.size));
    placed.place = one.address;
    check(H5Dwrite_chunk(dataset, H5P_DEFAULT, one.skipped, offset.data(), one.size, any.data()), doing);
  }
}

}  // namespace

NewIndices make_indices(std::span<const RepackedVariable> variables, std::uint64_t begin) {
  PlacedFile placed{.first_free = begin, .drops_values = true};
  {
    const Hdf5Lock lock;
    Id file = create_in(placed, header_creation_properties());
    Bytes any;  // HDF5 wants values, and the driver drops them
    for (std::size_t i = 0; i < variables.size(); ++i)
      write_dataset(placed, file, fmt::format("{}", i), variables[i], any);
    file.close("cannot close");
  }
  NewIndices indices{.pieces = std::move(placed.written), .end = placed.end, .layouts = {}};
  const ReadBytes read = [&indices](std::uint64_t address, std::span<std::byte> bytes) {
    std::ranges::fill(bytes, std::byte{0});
    indices.pieces.cover(address, bytes);
  };
  Superblock superblock;
  read(0, superblock.bytes);
  const ChangedChunk extension = without_times(read, superblock.extension());
  indices.pieces.put(extension.address, extension.bytes);
  const auto datasets = linked_objects(read_object_header(read, superblock.root()));
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const ObjectHeader header = read_object_header(read, datasets.at(fmt::format("{}", i)));
    indices.layouts.push_back(message_of(header, MessageType::layout).data);
  }
  return indices;
}

}  // namespace tailrace::output::netcdf
