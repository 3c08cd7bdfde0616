#include "arrays.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
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

// The way to make numbers of what NumPy stores as objects or times.
std::string remedy_of(nb::handle object, Type type) {
  if (!nb::hasattr(object, "dtype") || !nb::hasattr(object.attr("dtype"), "kind")) return "";
  const auto kind = nb::cast<std::string>(object.attr("dtype").attr("kind"));
  if (kind == "O")
    return std::string("; make numbers of it, numpy.asarray(a, \"") + name_of(type) +
           "\"), or numpy.ma.masked_array where values are missing";
  if (kind == "M" || kind == "m")
    return "; make numbers of times, with units: (times - start) / numpy.timedelta64(1, \"s\")";
  return "";
}

[[noreturn]] void refuse(const LocalShape& field, nb::handle object) {
  throw Error(ErrorCode::usage, "put of field \"" + field.name + "\": expected an array of " +
                                    name_of(field.type) + ", not " + describe(object) +
                                    remedy_of(object, field.type));
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

template <class To>
bool all_fit(const std::vector<std::int64_t>& whole) {
  return std::ranges::all_of(whole, [](std::int64_t n) { return std::in_range<To>(n); });
}

template <class To>
std::vector<To> narrowed(const std::vector<std::int64_t>& whole) {
  return {whole.begin(), whole.end()};
}

// uint64 is the only type of whole numbers that int64 does not hold.
std::vector<std::int64_t> whole_elements(nb::handle array, const std::string& what) {
  if (nb::cast<std::string>(array.attr("dtype").attr("name")) == "uint64") {
    const auto limit = std::numeric_limits<std::int64_t>::max();
    if (nb::cast<std::size_t>(array.attr("size")) > 0 &&
        nb::cast<bool>(array.attr("max")() > nb::int_(limit)))
      throw Error(ErrorCode::usage, what + ": expected whole numbers of at most " + std::to_string(limit));
  }
  return elements<std::int64_t>(array, "int64");
}

bool has_mask(nb::handle object) { return nb::hasattr(object, "mask") && nb::hasattr(object, "filled"); }

// NumPy would drop the mask.
void refuse_masked(nb::handle object, const std::string& what) {
  if (has_mask(object) && nb::cast<bool>(nb::module_::import_("numpy.ma").attr("is_masked")(object)))
    throw Error(ErrorCode::usage, what + ": expected numbers, but some of them are masked");
}

nb::object in_python(const std::optional<FillValue>& fill, Type type) {
  if (!fill) return nb::none();
  const bool is_real = type == Type::float32 || type == Type::float64;
  return is_real ? nb::object(nb::float_(fill->number)) : nb::object(nb::int_(fill->whole));
}

bool is_plain(nb::handle object) {
  // Never released, as the type lives as long as NumPy.
  static PyTypeObject* const ndarray = reinterpret_cast<PyTypeObject*>(
      nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr());
  return Py_TYPE(object.ptr()) == ndarray;
}

std::string put_of(const LocalShape& field) { return "put of field \"" + field.name + "\""; }

// Keeps NumPy's types that files support; an unsigned one that they lack becomes the next longer one.
// Integers of Python become int32 if they fit, otherwise int64.
Attribute numbers_from(nb::handle value, const std::string& what) {
  refuse_masked(value, what);
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
  auto whole = whole_elements(array, what);
  if (!nb::hasattr(value, "dtype")) {
    if (all_fit<std::int32_t>(whole)) return narrowed<std::int32_t>(whole);
    return whole;
  }
  if (kind == "u" && size == 1) return narrowed<std::uint8_t>(whole);
  if (kind == "i" && size == 1) return narrowed<std::int8_t>(whole);
  if (kind == "i" && size == 2) return narrowed<std::int16_t>(whole);
  if ((kind == "i" && size == 4) || (kind == "u" && size == 2)) return narrowed<std::int32_t>(whole);
  return whole;
}

}  // namespace

Type type_from_dtype(nb::handle dtype) {
  // Everything that NumPy accepts as a type: float, "f", "f4", np.float32, an array's dtype.
  std::string name;
  try {
    name = nb::cast<std::string>(nb::module_::import_("numpy").attr("dtype")(dtype).attr("name"));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    name = nb::str(dtype).c_str();
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
  if (is_plain(object)) {
    view_array(object, field);
    return;
  }
  const nb::object values =
      converter("plain")(object, name_of(field.type), in_python(field.fill_value, field.type), put_of(field));
  view_array(values, field);
}

void PythonArray::view_array(nb::handle object, const LocalShape& field) {
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
  if (has_mask(object))  // the mask would stay as it is
    throw Error(ErrorCode::usage,
                "get of field \"" + field.name +
                    "\": expected an array without a mask; give the `data` of the masked array");
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
  refuse_masked(object, what);
  const nb::object array = nb::module_::import_("numpy").attr("atleast_1d")(object);
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  const bool is_list = nb::cast<std::size_t>(array.attr("ndim")) == 1;
  if (is_list && (kind == "i" || kind == "u" || kind == "b")) return whole_elements(array, what);
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
  const nb::object memory = nb::cast(
      nb::ndarray<nb::numpy>(slot.data(), shape.size(), shape.data(), session, nullptr, dtype_of(field.type)),
      nb::rv_policy::reference);
  return converter("slot")(memory, in_python(field.fill_value, field.type),
                           "array of field \"" + field.name + "\"");
}

nb::object converter(const char* name) { return nb::module_::import_("tailrace._arrays").attr(name); }

FillValue fill_value_from(nb::handle value, Type type, const std::string& what) {
  std::int64_t whole = 0;
  if (PyIndex_Check(value.ptr())) {
    const nb::int_ number(value);
    if (nb::try_cast(number, whole) &&
        (type == Type::int64 || static_cast<std::int64_t>(static_cast<double>(whole)) == whole))
      return whole;
  }
  double number = 0.0;
  refuse_masked(value, what);
  if (nb::hasattr(value, "__float__") && nb::try_cast(nb::float_(value), number)) return number;
  throw Error(ErrorCode::usage, what + ": expected a number, not " + describe(value));
}

}  // namespace tailrace::bindings
