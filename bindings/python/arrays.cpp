#include "arrays.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

namespace nb = nanobind;

namespace tailrace::bindings {

namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

constexpr const char* known_types = "float32, float64, int32 or int64";

const char* name_of(Type type) {
  switch (type) {
    case Type::float32: return "float32";
    case Type::float64: return "float64";
    case Type::int32: return "int32";
    case Type::int64: return "int64";
  }
  return "unknown";
}

nb::dlpack::dtype dtype_of(Type type) {
  switch (type) {
    case Type::float32: return nb::dtype<float>();
    case Type::float64: return nb::dtype<double>();
    case Type::int32: return nb::dtype<std::int32_t>();
    case Type::int64: return nb::dtype<std::int64_t>();
  }
  return nb::dtype<double>();
}

std::string describe(nb::handle object) {
  if (nb::hasattr(object, "dtype"))
    return "an array of " + std::string(nb::str(nb::getattr(object, "dtype")).c_str());
  return "a " + std::string(nb::type_name(object.type()).c_str());
}

[[noreturn]] void refuse(const LocalShape& field, nb::handle object) {
  throw Error(ErrorCode::usage, "put of field \"" + field.name + "\": expected an array of " +
                                    name_of(field.type) + ", not " + describe(object));
}

// Devices of DLPack: 1 is the processor; 3, 11 and 13 are memory of GPUs that the processor can read.
bool is_on_a_device(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack_device__")) return nb::hasattr(object, "__cuda_array_interface__");
  const auto device = nb::cast<int>(object.attr("__dlpack_device__")()[nb::int_(0)]);
  return device != 1 && device != 3 && device != 11 && device != 13;
}

void copy_extents(const auto& array, auto& view) {
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    view.shape.push_back(static_cast<std::int64_t>(array.shape(i)));
    view.strides.push_back(array.stride(i));
  }
}

template <class T>
std::vector<T> elements(nb::handle array, const char* dtype) {
  const auto dense = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(
      nb::module_::import_("numpy").attr("ascontiguousarray")(array, dtype));
  return {dense.data(), dense.data() + dense.size()};
}

// Keeps NumPy's types that files support. Integers of Python become int32 if they fit, otherwise int64.
Attribute numbers_from(nb::handle value, const std::string& what) {
  const nb::object array = nb::module_::import_("numpy").attr("asarray")(value);
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const auto size = nb::cast<std::size_t>(array.attr("dtype").attr("itemsize"));
  const bool is_number = kind == "f" || kind == "i" || kind == "u";
  if (!is_number || nb::cast<std::size_t>(array.attr("ndim")) > 1)
    throw Error(ErrorCode::usage, what + ": expected text, a number or a list of numbers, not " +
                                      (is_number ? "an array of more dimensions" : describe(value)));
  if (kind == "f") {
    if (size <= sizeof(float)) return elements<float>(array, "float32");
    return elements<double>(array, "float64");
  }
  const auto whole = elements<std::int64_t>(array, "int64");
  const bool narrow = (kind == "i" && size <= sizeof(std::int32_t)) || !nb::hasattr(value, "dtype");
  if (!narrow || !std::ranges::all_of(whole, [](std::int64_t n) { return std::in_range<std::int32_t>(n); }))
    return whole;
  return std::vector<std::int32_t>(whole.begin(), whole.end());
}

}  // namespace

Type type_from_dtype(nb::handle dtype) {
  std::string name;
  if (nb::isinstance<nb::str>(dtype)) {
    name = nb::cast<std::string>(dtype);
  } else {
    // Everything that NumPy accepts as a type: float, np.float32, an array's dtype.
    name = nb::cast<std::string>(nb::module_::import_("numpy").attr("dtype")(dtype).attr("name"));
  }
  for (const Type type : {Type::float32, Type::float64, Type::int32, Type::int64}) {
    if (name == name_of(type)) return type;
  }
  throw Error(ErrorCode::usage, "type \"" + name + "\" is not one of " + known_types);
}

PythonArray::PythonArray(nb::handle object, const LocalShape& field) {
  view_.type = field.type;
  const bool is_int = PyLong_Check(object.ptr());
  if (PyFloat_CheckExact(object.ptr()) || is_int) {
    const bool wants_float = field.type == Type::float32 || field.type == Type::float64;
    if (!wants_float && !is_int) refuse(field, object);
    view_.data = &number_;
    if (!read_number(object)) refuse(field, object);
    return;
  }
  AnyArray array;
  if (!nb::try_cast(object, array, false)) {
    if (is_on_a_device(object))
      throw Error(ErrorCode::usage, "put of field \"" + field.name +
                                        "\": the array lies on another device than the "
                                        "processor; copy it to the host first");
    refuse(field, object);
  }
  bool known = false;
  for (const Type type : {Type::float32, Type::float64, Type::int32, Type::int64}) {
    if (array.dtype() == dtype_of(type)) {
      view_.type = type;
      known = true;
    }
  }
  if (!known) refuse(field, object);
  view_.data = array.data();
  copy_extents(array, view_);
  std::int64_t dense = 1;
  bool is_dense = true;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    is_dense = is_dense && (view_.strides[i] == dense || view_.shape[i] == 1);
    dense *= view_.shape[i];
  }
  if (is_dense) view_.strides.clear();
  owner_ = nb::borrow(object);
}

bool PythonArray::read_number(nb::handle object) {
  switch (view_.type) {
    case Type::float32: return nb::try_cast(object, number_.float32);
    case Type::float64: return nb::try_cast(object, number_.float64);
    case Type::int32: return nb::try_cast(object, number_.int32);
    case Type::int64: return nb::try_cast(object, number_.int64);
  }
  return false;
}

std::map<std::string, Attribute> attributes_from(nb::handle values, const std::string& owner) {
  std::map<std::string, Attribute> attributes;
  for (const nb::handle item : values.attr("items")()) {
    const auto name = nb::cast<std::string>(item[nb::int_(0)]);
    const nb::object value = item[nb::int_(1)];
    if (nb::isinstance<nb::str>(value))
      attributes[name] = nb::cast<std::string>(value);
    else
      attributes[name] = numbers_from(value, owner + ": attribute \"" + name + "\"");
  }
  return attributes;
}

MutableArray::MutableArray(nb::handle object, const LocalShape& field) {
  using Writable = nb::ndarray<nb::device::cpu>;
  Writable array;
  if (!nb::try_cast(object, array, false) || !(array.dtype() == dtype_of(field.type)))
    throw Error(ErrorCode::usage, "get of field \"" + field.name + "\": expected a writable array of " +
                                      name_of(field.type) + ", not " + describe(object));
  view_.data = array.data();
  view_.type = field.type;
  copy_extents(array, view_);
  owner_ = nb::borrow(object);
}

nb::object empty_array(const LocalShape& field) {
  return nb::module_::import_("numpy").attr("empty")(nb::cast(field.extents), name_of(field.type));
}

Value value_from(nb::handle object, const std::string& what) {
  if (nb::isinstance<nb::str>(object)) return nb::cast<std::string>(object);
  const nb::object array = nb::module_::import_("numpy").attr("atleast_1d")(object);
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool is_list = nb::cast<std::size_t>(array.attr("ndim")) == 1;
  if (is_list && (kind == "i" || kind == "u" || kind == "b")) return elements<std::int64_t>(array, "int64");
  if (is_list && kind == "f") return elements<double>(array, "float64");
  throw Error(ErrorCode::usage,
              what + ": expected a number, text or a list of numbers, not " + describe(object));
}

nb::object value_to(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return nb::cast(*text);
  return std::visit(
      [](const auto& values) -> nb::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::string>)
          return nb::none();
        else
          return values.size() == 1 ? nb::cast(values.front()) : nb::cast(values);
      },
      value);
}

nb::object slot_array(std::span<std::byte> slot, const LocalShape& field, nb::handle session) {
  const std::vector<std::size_t> shape(field.extents.begin(), field.extents.end());
  return nb::cast(
      nb::ndarray<nb::numpy>(slot.data(), shape.size(), shape.data(), session, nullptr, dtype_of(field.type)),
      nb::rv_policy::reference);
}

}  // namespace tailrace::bindings
