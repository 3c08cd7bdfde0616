#include "output/netcdf/header.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/index.hpp"
#include "codecs/codec.hpp"
#include "output/checks.hpp"
#include "output/netcdf/attributes.hpp"
#include "output/netcdf/header_only_driver/dimension_lists.hpp"

namespace tailrace::output::netcdf {
namespace {

constexpr unsigned tracked = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
// Links and attributes are stored in object headers, however many there are, since a commit copies only
// object headers (snapshot.hpp) and no dense storage.
constexpr unsigned no_limit = 65535;

template <class T>
T fill_as(const VariableSpec& variable, const model::FillValue& fill) {
  if (!model::can_hold(variable.type, fill.number)) {
    throw Error(ErrorCode::configuration,
                fmt::format("variable \"{}\": fill value {} is not a value of type {}", variable.name,
                            fill.number, model::name_of(variable.type)));
  }
  return fill.as<T>();
}

AttributeValue fill_attribute(const VariableSpec& variable) {
  AttributeValue value;
  model::dispatch(variable.type,
                  [&](auto sample) { value = fill_as<decltype(sample)>(variable, *variable.fill_value); });
  return value;
}

hid_t file_type(const VariableSpec& variable) {
  if (variable.is_text) return H5T_C_S1;  // NC_CHAR as netCDF-C stores it: strings of one character each
  switch (variable.type) {
    case model::DataType::float32: return H5T_IEEE_F32LE;
    case model::DataType::float64: return H5T_IEEE_F64LE;
    case model::DataType::int32: return H5T_STD_I32LE;
    case model::DataType::int64: return H5T_STD_I64LE;
    case model::DataType::int16: return H5T_STD_I16LE;
    case model::DataType::int8: return H5T_STD_I8LE;
    case model::DataType::uint8: return H5T_STD_U8LE;
  }
  base::assertion_failed("type", __FILE__, __LINE__, "unknown DataType");
}

Id dataset_properties() {
  Id properties(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, "cannot make dataset properties");
  check(H5Pset_attr_creation_order(properties, tracked), "cannot track the order of attributes");
  check(H5Pset_attr_phase_change(properties, no_limit, no_limit), "cannot set the place of attributes");
  check(H5Pset_obj_track_times(properties, false),
        "cannot omit times");  // so that equal runs write equal files
  return properties;
}

Id make_space(const std::vector<std::int64_t>& shape, bool unlimited) {
  if (shape.empty()) return {H5Screate(H5S_SCALAR), &H5Sclose, "cannot make a dataspace"};
  const std::vector<hsize_t> size(shape.begin(), shape.end());
  std::vector<hsize_t> most = size;
  if (unlimited) most[0] = H5S_UNLIMITED;
  return {H5Screate_simple(static_cast<int>(size.size()), size.data(), most.data()), &H5Sclose,
          "cannot make a dataspace"};
}

// The HDF5 of this process need not have the filters, since chunks arrive encoded.
void add_filters(hid_t properties, const VariableSpec& variable) {
  for (const codecs::Filter& filter :
       codecs::make_codec(variable.codec)->filters(model::size_of(variable.type))) {
    check(H5Pset_filter(properties, filter.hdf5_id, H5Z_FLAG_OPTIONAL, filter.parameters.size(),
                        filter.parameters.data()),
          fmt::format("cannot name filter {}", filter.hdf5_id));
  }
}

// The space of the values is allocated now and not filled: they are written without HDF5.
void place_at_once(hid_t properties) {
  check(H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY), "cannot choose when values get their place");
  check(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), "cannot leave values as they are");
}

Id variable_properties(const VariableSpec& variable) {
  Id properties = dataset_properties();
  if (!variable.chunk.empty()) {
    const std::vector<hsize_t> chunk(variable.chunk.begin(), variable.chunk.end());
    check(H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data()),
          "cannot set the chunk shape");
    add_filters(properties, variable);
  }
  if (variable.is_text) return properties;  // HDF5's own fill value, 0, is that of NC_CHAR
  model::dispatch(variable.type, [&](auto sample) {
    using T = decltype(sample);
    const T fill = fill_as<T>(variable, variable.fill_value.value_or(model::default_fill(variable.type)));
    check(H5Pset_fill_value(properties, memory_type(variable.type), &fill), "cannot set the fill value");
  });
  return properties;
}

// The dim for which a variable is the dimension scale: its first dim, if that has the variable's name.
std::optional<int> scale_of(const DatasetSpec& spec, const VariableSpec& variable) {
  if (variable.dims.empty() || spec.dims[base::index(variable.dims[0])].name != variable.name) return {};
  return variable.dims[0];
}

Id create_dataset(hid_t file, const std::string& name, hid_t type, hid_t space, hid_t properties) {
  return {H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), &H5Dclose,
          fmt::format("cannot create variable \"{}\"", name)};
}

Id create_bare_dimension(hid_t file, const DatasetSpec& spec, std::size_t dim) TAILRACE_REQUIRES(hdf5_mutex) {
  const DimensionSpec& described = spec.dims[dim];
  const std::int64_t size = described.unlimited ? 0 : described.size;
  const Id properties = dataset_properties();
  const hsize_t chunk = 1024;
  if (described.unlimited) check(H5Pset_chunk(properties, 1, &chunk), "cannot set the chunk shape");
  Id dataset = create_dataset(file, described.name, H5T_IEEE_F32BE, make_space({size}, described.unlimited),
                              properties);
  const std::string label = fmt::format("{} {:10d}", bare_dimension, size);
  check(H5DSset_scale(dataset, label.c_str()), "cannot make a dimension scale");
  write_scalar(dataset, "_Netcdf4Dimid", static_cast<int>(dim));
  return dataset;
}

Id create_variable(hid_t file, const DatasetSpec& spec, std::size_t index, const BeforeVariable& before)
    TAILRACE_REQUIRES(hdf5_mutex) {
  const VariableSpec& variable = spec.variables[index];
  const auto shape = shape_of(variable, first_lengths(spec));
  const Id properties = variable_properties(variable);
  if (before && before(index)) place_at_once(properties);
  Id dataset = create_dataset(file, variable_link(spec, index), file_type(variable),
                              make_space(shape, grows(spec, variable)), properties);
  if (const auto dim = scale_of(spec, variable)) {
    check(H5DSset_scale(dataset, variable.name.c_str()), "cannot make a dimension scale");
    write_scalar(dataset, "_Netcdf4Dimid", *dim);
  }
  if (!variable.dims.empty()) write_list(dataset, "_Netcdf4Coordinates", variable.dims);
  if (variable.fill_value) write_attribute(dataset, "_FillValue", fill_attribute(variable));
  for (const auto& [name, value] : variable.attributes) write_attribute(dataset, name, value);
  return dataset;
}

// NC_CHAR as netCDF-C stores it: strings of one character each.
Id create_text(hid_t file, const DatasetSpec& spec, const TextSpec& text) TAILRACE_REQUIRES(hdf5_mutex) {
  const Id type(H5Tcopy(H5T_C_S1), &H5Tclose, "cannot make a text type");
  std::vector<std::int64_t> shape;
  for (const int dim : text.dims) shape.push_back(spec.dims[base::index(dim)].size);
  Id dataset = create_dataset(file, text.name, type, make_space(shape, false), dataset_properties());
  write_list(dataset, "_Netcdf4Coordinates", text.dims);
  for (const auto& [name, value] : text.attributes) write_attribute(dataset, name, value);
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded(spec, text).data()),
        fmt::format("cannot write \"{}\"", text.name));
  return dataset;
}

void write_properties(hid_t file) TAILRACE_REQUIRES(hdf5_mutex) {
  unsigned major = 0, minor = 0, release = 0;
  check(H5get_libversion(&major, &minor, &release), "cannot query HDF5's version");
  write_attribute(file, "_NCProperties",
                  fmt::format("version=2,tailrace=1,hdf5={}.{}.{}", major, minor, release));
}

}  // namespace

Id header_creation_properties() {
  Id properties(H5Pcreate(H5P_FILE_CREATE), &H5Pclose, "cannot make file properties");
  check(H5Pset_link_creation_order(properties, tracked), "cannot track the order of variables");
  check(H5Pset_link_phase_change(properties, no_limit, no_limit), "cannot set the place of variables");
  check(H5Pset_attr_creation_order(properties, tracked), "cannot track the order of attributes");
  check(H5Pset_attr_phase_change(properties, no_limit, no_limit), "cannot set the place of attributes");
  check(H5Pset_obj_track_times(properties, false), "cannot omit times");
  // The space of a replaced chunk is not reused: a reader that opened the file earlier still reads it.
  check(H5Pset_file_space_strategy(properties, H5F_FSPACE_STRATEGY_NONE, false, 1),
        "cannot switch reuse of space off");
  return properties;
}

bool is_bare(const DatasetSpec& spec, std::size_t dim) {
  for (const VariableSpec& variable : spec.variables)
    if (scale_of(spec, variable) == static_cast<int>(dim)) return false;
  return true;
}

std::string variable_link(const DatasetSpec& spec, std::size_t index) {
  const VariableSpec& variable = spec.variables[index];
  for (const DimensionSpec& dim : spec.dims)
    if (dim.name == variable.name && !scale_of(spec, variable)) return "_nc4_non_coord_" + variable.name;
  return variable.name;
}

hid_t memory_type(model::DataType type) {
  switch (type) {
    case model::DataType::float32: return H5T_NATIVE_FLOAT;
    case model::DataType::float64: return H5T_NATIVE_DOUBLE;
    case model::DataType::int32: return H5T_NATIVE_INT32;
    case model::DataType::int64: return H5T_NATIVE_INT64;
    case model::DataType::int16: return H5T_NATIVE_INT16;
    case model::DataType::int8: return H5T_NATIVE_INT8;
    case model::DataType::uint8: return H5T_NATIVE_UINT8;
  }
  base::assertion_failed("type", __FILE__, __LINE__, "unknown DataType");
}

hid_t memory_type(const VariableSpec& variable) {
  return variable.is_text ? H5T_C_S1 : memory_type(variable.type);
}

void write_header(hid_t file, const DatasetSpec& spec, const BeforeVariable& before) {
  write_properties(file);
  for (const auto& [name, value] : spec.attributes) write_attribute(file, name, value);

  std::vector<Id> scales(spec.dims.size());
  std::vector<Id> variables;
  for (std::size_t dim = 0; dim < spec.dims.size(); ++dim)
    if (is_bare(spec, dim)) scales[dim] = create_bare_dimension(file, spec, dim);
  for (std::size_t i = 0; i < spec.variables.size(); ++i)
    variables.push_back(create_variable(file, spec, i, before));

  std::vector<hid_t> scale_of_dim(scales.begin(), scales.end());
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (const auto dim = scale_of(spec, spec.variables[i])) scale_of_dim[base::index(*dim)] = variables[i];
  std::vector<Dimensioned> dimensioned;
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (!scale_of(spec, spec.variables[i]))  // a scale cannot have scales
      dimensioned.push_back({variables[i], spec.variables[i].dims});
  std::vector<Id> texts;
  for (const TextSpec& text : spec.texts)
    dimensioned.push_back({texts.emplace_back(create_text(file, spec, text)), text.dims});
  write_dimension_lists(dimensioned, scale_of_dim);
}

}  // namespace tailrace::output::netcdf
