#include "input/plain_file.hpp"

#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cstring>

#include "output/netcdf/hdf5.hpp"
#include "tailrace/error.hpp"

namespace tailrace::input {
namespace {

using output::netcdf::check;
using output::netcdf::Hdf5Lock;
using output::netcdf::Id;

constexpr std::string_view no_variable = "This is a netCDF dimension but not a netCDF variable";

Id open_image(std::string_view bytes) {
  Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "open a file in memory");
  check(H5Pset_fapl_core(access, std::size_t{1} << 16, 0), "open a file in memory");
  std::string copy(bytes);  // HDF5 needs a writable buffer, and copies it
  check(H5Pset_file_image(access, copy.data(), copy.size()), "open a file in memory");
  return {H5Fopen("table", H5F_ACC_RDONLY, access), H5Fclose, "read the file"};
}

std::vector<std::int64_t> shape_of(hid_t space) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  if (!extents.empty()) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

std::size_t size_of(const std::vector<std::int64_t>& shape) {
  std::size_t size = 1;
  for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
  return size;
}

std::string trimmed(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

// `read` fills memory of the given type. HDF5 owns texts of variable length and must free them.
template <class Read>
std::vector<std::string> texts_of(hid_t type, std::size_t count, hid_t space, const Read& read) {
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> given(count, nullptr);
    read(type, given.data());
    for (const char* text : given) texts.push_back(text == nullptr ? "" : trimmed(text));
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, given.data());
    return texts;
  }
  const std::size_t width = H5Tget_size(type);
  std::string all(width * count, '\0');
  read(type, all.data());
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(width == 1 ? all.substr(i, 1) : trimmed(std::string_view(all).substr(i * width, width)));
  return texts;
}

std::optional<std::string> text_attribute(hid_t owner, const char* name) {
  const Id attribute(H5Aopen(owner, name, H5P_DEFAULT), H5Aclose, "read an attribute");
  const Id type(H5Aget_type(attribute), H5Tclose, "read an attribute");
  const Id space(H5Aget_space(attribute), H5Sclose, "read an attribute");
  if (H5Tget_class(type) != H5T_STRING || size_of(shape_of(space)) != 1) return std::nullopt;
  return texts_of(type, 1, space,
                  [&](hid_t as, void* into) { check(H5Aread(attribute, as, into), "read an attribute"); })
      .front();
}

std::optional<double> number_attribute(hid_t owner, const char* name) {
  if (H5Aexists(owner, name) <= 0) return std::nullopt;
  const Id attribute(H5Aopen(owner, name, H5P_DEFAULT), H5Aclose, "read an attribute");
  const Id type(H5Aget_type(attribute), H5Tclose, "read an attribute");
  const Id space(H5Aget_space(attribute), H5Sclose, "read an attribute");
  const H5T_class_t kind = H5Tget_class(type);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || size_of(shape_of(space)) != 1) return std::nullopt;
  double number = 0.0;
  check(H5Aread(attribute, H5T_NATIVE_DOUBLE, &number), "read an attribute");
  return number;
}

void take_attributes(hid_t dataset, PlainVariable& variable) {
  const auto take = [](hid_t owner, const char* name, const H5A_info_t*, void* into) -> herr_t {
    auto& attributes = *static_cast<std::map<std::string, std::string>*>(into);
    if (std::strcmp(name, "DIMENSION_LIST") == 0 || std::strcmp(name, "REFERENCE_LIST") == 0) return 0;
    try {
      if (auto text = text_attribute(owner, name)) attributes[name] = std::move(*text);
      return 0;
    } catch (const Error&) {
      return -1;
    }
  };
  check(H5Aiterate2(dataset, H5_INDEX_NAME, H5_ITER_INC, nullptr, take, &variable.attributes),
        "read the attributes");
  variable.fill_value = number_attribute(dataset, "_FillValue");
}

std::string name_of(hid_t scale) {
  std::string path(static_cast<std::size_t>(std::max<ssize_t>(0, H5Iget_name(scale, nullptr, 0))), '\0');
  H5Iget_name(scale, path.data(), path.size() + 1);
  return path.substr(path.rfind('/') + 1);
}

// A dimension without a scale gets a unique name.
std::vector<std::string> dims_of(hid_t dataset, const std::string& name, std::size_t rank) {
  std::vector<std::string> dims;
  const bool is_scale = H5DSis_scale(dataset) > 0;
  for (std::size_t d = 0; d < rank; ++d) {
    std::string dim = is_scale && d == 0 ? name : name + "[" + std::to_string(d) + "]";
    const auto note = [](hid_t, unsigned, hid_t scale, void* into) -> herr_t {
      *static_cast<std::string*>(into) = name_of(scale);
      return 1;
    };
    if (!is_scale) H5DSiterate_scales(dataset, static_cast<unsigned>(d), nullptr, note, &dim);
    dims.push_back(std::move(dim));
  }
  return dims;
}

// Joins single characters along the last dimension to texts.
void join_characters(PlainVariable& variable) {
  const auto width = static_cast<std::size_t>(variable.shape.back());
  std::vector<std::string> joined;
  for (std::size_t i = 0; i + width <= variable.texts.size() && width > 0; i += width) {
    std::string text;
    for (std::size_t c = 0; c < width; ++c) text += variable.texts[i + c];
    joined.push_back(trimmed(text));
  }
  variable.texts = std::move(joined);
  variable.dims.pop_back();
  variable.shape.pop_back();
}

std::optional<PlainVariable> variable_of(hid_t file, const std::string& name) {
  const Id object(H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose, "read the file");
  if (H5Iget_type(object) != H5I_DATASET) return std::nullopt;
  PlainVariable variable;
  variable.name = name;
  const Id type(H5Dget_type(object), H5Tclose, "read a variable");
  const Id space(H5Dget_space(object), H5Sclose, "read a variable");
  take_attributes(object, variable);
  if (const auto says = variable.attributes.find("NAME");
      says != variable.attributes.end() && says->second.starts_with(no_variable))
    return std::nullopt;
  variable.shape = shape_of(space);
  variable.dims = dims_of(object, name, variable.shape.size());
  const std::size_t size = size_of(variable.shape);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
    variable.numbers.resize(size);
    if (size > 0)
      check(H5Dread(object, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, variable.numbers.data()),
            "read " + name);
  } else if (kind == H5T_STRING && size > 0) {
    variable.texts = texts_of(type, size, space, [&](hid_t as, void* into) {
      check(H5Dread(object, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, into), "read " + name);
    });
    const bool is_character = H5Tis_variable_str(type) == 0 && H5Tget_size(type) == 1;
    if (is_character && !variable.shape.empty()) join_characters(variable);
  }
  return variable;
}

}  // namespace

bool is_netcdf4(std::string_view bytes) { return bytes.starts_with("\x89HDF\r\n\x1a\n"); }

bool is_classic_netcdf(std::string_view bytes) {
  return bytes.size() > 3 && bytes.starts_with("CDF") && (bytes[3] == 1 || bytes[3] == 2 || bytes[3] == 5);
}

std::vector<PlainVariable> variables_of(std::string_view bytes) {
  const Hdf5Lock lock;
  const Id file = open_image(bytes);
  std::vector<std::string> names;
  const auto note = [](hid_t, const char* name, const H5L_info_t*, void* into) -> herr_t {
    static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    return 0;
  };
  check(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, note, &names), "read the file");
  std::vector<PlainVariable> variables;
  for (const std::string& name : names)
    if (auto variable = variable_of(file, name)) variables.push_back(std::move(*variable));
  return variables;
}

}  // namespace tailrace::input
