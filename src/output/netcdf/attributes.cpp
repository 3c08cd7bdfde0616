#include "output/netcdf/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <type_traits>

namespace tailrace::output::netcdf {
namespace {

Id scalar_space() { return {H5Screate(H5S_SCALAR), &H5Sclose, "cannot make a dataspace"}; }

Id list_space(hsize_t count) {
  return {H5Screate_simple(1, &count, nullptr), &H5Sclose, "cannot make a dataspace"};
}

// The value of an attribute: `data` of `memory_type` (null: empty), stored as `file_type`.
struct Contents {
  hid_t file_type;
  hid_t memory_type;
  hid_t space;
  const void* data;
};

void write(hid_t object, const std::string& name, const Contents& contents) {
  const std::string doing = fmt::format("cannot write attribute \"{}\"", name);
  const Id attribute(
      H5Acreate2(object, name.c_str(), contents.file_type, contents.space, H5P_DEFAULT, H5P_DEFAULT),
      &H5Aclose, doing);
  if (contents.data != nullptr) check(H5Awrite(attribute, contents.memory_type, contents.data), doing);
}

void write_value(hid_t object, const std::string& name, const std::string& text) {
  const Id type(H5Tcopy(H5T_C_S1), &H5Tclose, "cannot make a text type");
  check(H5Tset_size(type, std::max<std::size_t>(text.size(), 1)), "cannot size a text type");
  check(H5Tset_strpad(type, H5T_STR_NULLTERM), "cannot pad a text type");
  const bool ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
  check(H5Tset_cset(type, ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8), "cannot encode a text type");
  if (text.empty()) {
    const Id nothing(H5Screate(H5S_NULL), &H5Sclose, "cannot make a dataspace");
    return write(object, name, {.file_type = type, .memory_type = type, .space = nothing, .data = nullptr});
  }
  write(object, name, {.file_type = type, .memory_type = type, .space = scalar_space(), .data = text.data()});
}
template <class T>
void write_numbers(hid_t object, const std::string& name, std::span<const T> values) {
  hid_t file = H5T_IEEE_F64LE, memory = H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, float>) {
    file = H5T_IEEE_F32LE;
    memory = H5T_NATIVE_FLOAT;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    file = H5T_STD_I64LE;
    memory = H5T_NATIVE_INT64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    file = H5T_STD_I32LE;
    memory = H5T_NATIVE_INT32;
  } else if constexpr (std::is_same_v<T, std::int16_t>) {
    file = H5T_STD_I16LE;
    memory = H5T_NATIVE_INT16;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    file = H5T_STD_I8LE;
    memory = H5T_NATIVE_INT8;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    file = H5T_STD_U8LE;
    memory = H5T_NATIVE_UINT8;
  }
  write(
      object, name,
      {.file_type = file, .memory_type = memory, .space = list_space(values.size()), .data = values.data()});
}

template <class T>
requires std::is_arithmetic_v<T>
void write_value(hid_t object, const std::string& name, T value) {
  write_numbers(object, name, std::span<const T>(&value, 1));
}
template <class T>
void write_value(hid_t object, const std::string& name, const std::vector<T>& values) {
  write_numbers(object, name, std::span<const T>(values));
}

}  // namespace

void write_attribute(hid_t object, const std::string& name, const AttributeValue& value) {
  std::visit([&](const auto& held) { write_value(object, name, held); }, value);
}

void replace_attribute(hid_t object, const std::string& name, const AttributeValue& value) {
  const htri_t exists = H5Aexists(object, name.c_str());
  check(exists, fmt::format("cannot look for attribute \"{}\"", name));
  if (exists > 0) check(H5Adelete(object, name.c_str()), fmt::format("cannot remove attribute \"{}\"", name));
  write_attribute(object, name, value);
}

void write_scalar(hid_t object, const char* name, int value) {
  write(object, name,
        {.file_type = H5T_STD_I32LE, .memory_type = H5T_NATIVE_INT, .space = scalar_space(), .data = &value});
}

void write_list(hid_t object, const char* name, const std::vector<int>& values) {
  write(object, name,
        {.file_type = H5T_STD_I32LE,
         .memory_type = H5T_NATIVE_INT,
         .space = list_space(values.size()),
         .data = values.data()});
}

std::string read_text_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return "";
  const Id attribute(H5Aopen(object, name, H5P_DEFAULT), &H5Aclose, "cannot open an attribute");
  const Id type(H5Aget_type(attribute), &H5Tclose, "cannot read an attribute");
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) return "";
  std::string text(H5Tget_size(type), '\0');
  check(H5Aread(attribute, type, text.data()), "cannot read an attribute");
  return text.substr(0, text.find('\0'));
}

std::optional<double> read_number_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Id attribute(H5Aopen(object, name, H5P_DEFAULT), &H5Aclose, "cannot open an attribute");
  const Id space(H5Aget_space(attribute), &H5Sclose, "cannot read an attribute");
  const Id type(H5Aget_type(attribute), &H5Tclose, "cannot read an attribute");
  const H5T_class_t kind = H5Tget_class(type);
  if (H5Sget_simple_extent_npoints(space) != 1 || (kind != H5T_INTEGER && kind != H5T_FLOAT))
    return std::nullopt;
  double number = 0.0;
  check(H5Aread(attribute, H5T_NATIVE_DOUBLE, &number), "cannot read an attribute");
  return number;
}

}  // namespace tailrace::output::netcdf
