#include "output/netcdf/repack/stored.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "codecs/find_codec.hpp"
#include "output/checks.hpp"
#include "output/netcdf/attributes.hpp"
#include "output/netcdf/header.hpp"
#include "output/netcdf/metadata/snapshot.hpp"
#include "output/netcdf/repack/extensible_array.hpp"

namespace tailrace::output::netcdf {
namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};
constexpr const char* doing = "cannot query how a variable is stored";

// Attributes and links in HDF5's dense storage, which Tailrace does not write but for attributes that no
// header can hold.
bool has_dense_storage(const ObjectHeader& header) {
  for (const HeaderMessage& message : header.messages) {
    if (message.type != MessageType::link_info && message.type != MessageType::attribute_info) continue;
    const bool has_order = (number_at(message.data, 1, 1) & 1) != 0;
    const std::size_t order = message.type == MessageType::link_info ? 8 : 2;
    if (number_at(message.data, has_order ? 2 + order : 2, 8) != nowhere) return true;
  }
  return false;
}

// Nothing for types that only dimensions without a variable and texts have: their values are never raw.
std::optional<model::DataType> type_of(hid_t type) TAILRACE_REQUIRES(hdf5_mutex) {
  using model::DataType;
  for (const DataType one : {DataType::float32, DataType::float64, DataType::int32, DataType::int64,
                             DataType::int16, DataType::int8, DataType::uint8})
    if (H5Tequal(type, memory_type(one)) > 0) return one;
  return std::nullopt;
}

std::vector<codecs::Filter> filters_of(hid_t properties) TAILRACE_REQUIRES(hdf5_mutex) {
  std::vector<codecs::Filter> filters;
  const int count = H5Pget_nfilters(properties);
  for (int i = 0; i < count; ++i) {
    std::vector<unsigned> parameters(32);
    unsigned flags = 0, configuration = 0;
    std::size_t found = parameters.size();
    const H5Z_filter_t id = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &found,
                                           parameters.data(), 0, nullptr, &configuration);
    parameters.resize(std::min(found, parameters.size()));
    filters.push_back({id, std::move(parameters)});
  }
  return filters;
}

// Version 4: version, class, flags, number of extents, their width, the extents, the type of the index, its
// parameters, its address.
std::uint64_t index_address(const Bytes& layout) { return number_at(layout, layout.size() - 8, 8); }
bool is_extensible_array(const Bytes& layout) {
  constexpr std::uint64_t chunked = 2, extensible_array = 4;
  if (number_at(layout, 0, 1) != 4 || number_at(layout, 1, 1) != chunked) return false;
  const auto extents = static_cast<std::size_t>(number_at(layout, 3, 1) * number_at(layout, 4, 1));
  return number_at(layout, 5 + extents, 1) == extensible_array;
}

// The corner of the chunk with this number, in C order over the chunks of the variable.
std::vector<std::int64_t> corner_of(const StoredVariable& variable, std::uint64_t number) {
  std::vector<std::int64_t> corner(variable.chunk.size());
  auto rest = static_cast<std::int64_t>(number);
  for (std::size_t d = variable.chunk.size(); d-- > 1;) {
    const std::int64_t count = (variable.shape[d] + variable.chunk[d] - 1) / variable.chunk[d];
    corner[d] = rest % count * variable.chunk[d];
    rest /= count;
  }
  corner[0] = rest * variable.chunk[0];
  return corner;
}

void find_growing_chunks(StoredVariable& variable, const ReadBytes& read) {
  if (index_address(variable.layout) == nowhere) return;
  for_each_element(read, index_address(variable.layout), [&](const ArrayElement& element) {
    StoredChunk chunk{.offset = corner_of(variable, element.number),
                      .address = element.address,
                      .size = variable.filters > 0 ? element.size : variable.chunk_bytes(),
                      .skipped = element.skipped};
    if (chunk.offset[0] < variable.shape[0]) variable.chunks.push_back(std::move(chunk));
  });
}

void find_fixed_chunks(StoredVariable& variable, hid_t dataset) TAILRACE_REQUIRES(hdf5_mutex) {
  std::uint64_t count = 1;
  for (std::size_t d = 0; d < variable.chunk.size(); ++d)
    count *= static_cast<std::uint64_t>((variable.shape[d] + variable.chunk[d] - 1) / variable.chunk[d]);
  for (std::uint64_t number = 0; number < count; ++number) {
    StoredChunk chunk{.offset = corner_of(variable, number)};
    const std::vector<hsize_t> offset(chunk.offset.begin(), chunk.offset.end());
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    check(H5Dget_chunk_info_by_coord(dataset, offset.data(), &chunk.skipped, &address, &size), doing);
    if (address == HADDR_UNDEF) continue;
    chunk.address = address;
    chunk.size = size;
    variable.chunks.push_back(std::move(chunk));
  }
}

void describe_shape(StoredVariable& variable, hid_t dataset) TAILRACE_REQUIRES(hdf5_mutex) {
  const Id space(H5Dget_space(dataset), &H5Sclose, doing);
  hsize_t size[H5S_MAX_RANK] = {}, most[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space, size, most);
  if (rank < 0) throw_hdf5_error(doing);
  variable.shape.assign(size, size + rank);
  variable.grows = rank > 0 && most[0] == H5S_UNLIMITED;
  if (H5Pget_layout(variable.properties) != H5D_CHUNKED) return;
  hsize_t chunk[H5S_MAX_RANK] = {};
  check(H5Pget_chunk(variable.properties, rank, chunk), doing);
  variable.chunk.assign(chunk, chunk + rank);
}

StoredVariable describe(hid_t file, const std::string& name, std::uint64_t header, const ReadBytes& read)
    TAILRACE_REQUIRES(hdf5_mutex) {
  const Id dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), &H5Dclose, doing);
  StoredVariable variable;
  variable.name = name;
  variable.header = header;
  variable.layout = message_of(read_object_header(read, header), MessageType::layout).data;
  variable.properties = Id(H5Dget_create_plist(dataset), &H5Pclose, doing);
  const Id type(H5Dget_type(dataset), &H5Tclose, doing);
  variable.data_type = Id(H5Tcopy(type), &H5Tclose, doing);
  describe_shape(variable, dataset);
  if (variable.chunk.empty()) {
    const haddr_t address = H5Dget_offset(dataset);
    variable.address = address;
    variable.size = address == HADDR_UNDEF ? 0 : H5Dget_storage_size(dataset);
    return variable;
  }
  const auto filters = filters_of(variable.properties);
  variable.filters = filters.size();
  const std::size_t element = H5Tget_size(type);
  variable.fill.resize(element);
  if (const auto known = type_of(type)) {
    variable.type = *known;
    variable.codec = codecs::find_codec(filters, element);
    check(H5Pget_fill_value(variable.properties, memory_type(*known), variable.fill.data()), doing);
    double fill = 0.0;
    check(H5Pget_fill_value(variable.properties, H5T_NATIVE_DOUBLE, &fill), doing);
    if (H5Aexists(dataset, "_FillValue") > 0) variable.fill_value = fill;
  }
  if (is_extensible_array(variable.layout))
    find_growing_chunks(variable, read);
  else
    find_fixed_chunks(variable, dataset);
  return variable;
}

}  // namespace

std::size_t StoredVariable::chunk_bytes() const {
  return static_cast<std::size_t>(cells_of(chunk)) * fill.size();
}

std::size_t StoredVariable::valid_bytes(const StoredChunk& one) const {
  if (!grows) return chunk_bytes();
  const std::int64_t records = std::clamp<std::int64_t>(shape[0] - one.offset[0], 0, chunk[0]);
  return chunk_bytes() / static_cast<std::size_t>(chunk[0]) * static_cast<std::size_t>(records);
}

std::uint64_t StoredFile::raw_chunks() const {
  std::uint64_t count = 0;
  for (const StoredVariable& variable : variables)
    count += static_cast<std::uint64_t>(std::ranges::count_if(
        variable.chunks, [&](const StoredChunk& chunk) { return variable.is_raw(chunk); }));
  return count;
}

StoredFile stored_variables(AtomicFile& file) {
  const ReadBytes read = [&file](std::uint64_t address, std::span<std::byte> bytes) {
    file.read(address, bytes);
  };
  StoredFile stored;
  Superblock superblock;
  file.read(0, superblock.bytes);
  const ObjectHeader root = read_object_header(read, superblock.root());
  const auto note = [&stored](const ObjectHeader& header) {
    for (const HeaderChunk& chunk : header.chunks) stored.header_bytes += chunk.size;
    stored.is_movable = stored.is_movable && !has_dense_storage(header);
  };
  note(root);
  const Hdf5Lock lock;
  Id hdf5 = open_in(file);
  stored.is_of_tailrace = read_text_attribute(hdf5, "_NCProperties").find("tailrace=") != std::string::npos;
  for (const auto& [name, header] : linked_objects(root)) {
    note(read_object_header(read, header));
    stored.variables.push_back(describe(hdf5, name, header, read));
  }
  hdf5.close("cannot close");
  return stored;
}

}  // namespace tailrace::output::netcdf
