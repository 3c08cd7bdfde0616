// Converts NumPy arrays and Python numbers to the arguments of the session, and slots to NumPy arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "../local_shapes.hpp"
#include "tailrace/tailrace.hpp"

namespace tailrace::bindings {

// "float64" and the like. Throws Error(usage).
Type type_from_dtype(nanobind::handle dtype);

// A view of a NumPy array (or of anything with DLPack or the buffer protocol), which it keeps alive but does
// not copy; or a Python number, which takes the type of the field. Missing values of masked arrays, pandas
// and xarray become the fill value of the field, in a copy. Throws Error(usage) if the type is not float32,
// float64, int32 or int64, or if values are missing and the field has no fill value.
class PythonArray {
 public:
  PythonArray(nanobind::handle object, const LocalShape& field);
  const ArrayView& view() const { return view_; }

 private:
  bool read_number(nanobind::handle object);  // false if it does not fit the type
  void view_array(nanobind::handle object, const LocalShape& field);

  nanobind::object owner_;
  ArrayView view_;
  union {
    double float64;
    float float32;
    std::int64_t int64;
    std::int32_t int32;
  } number_{};
};

// A writable NumPy array of the field's type. Throws Error(usage) for anything else.
class MutableArray {
 public:
  MutableArray(nanobind::handle object, const LocalShape& field);
  const MutableArrayView& view() const { return view_; }

 private:
  nanobind::object owner_;
  MutableArrayView view_;
};

// A function of tailrace._arrays, which converts what is not a plain NumPy array.
nanobind::object converter(const char* name);
// The value of a fill_value of Python. Throws Error(usage) with `what` if it is not a number, or a whole
// number that neither a double nor an int64 holds.
FillValue fill_value_from(nanobind::handle value, Type type, const std::string& what);

// A new NumPy array for this rank's part of the field.
nanobind::object empty_array(const LocalShape& field);

// A number, text or a list of numbers. Throws Error(usage) with `what` for anything else.
Value value_from(nanobind::handle object, const std::string& what);
nanobind::object value_to(const Value& value);

// Converts a mapping to texts and numbers. Throws Error(usage) with the owner and the name of a value that is
// neither.
std::map<std::string, Attribute> attributes_from(nanobind::handle values, const std::string& owner);

// A writable array over the slot, which fills in masked values that are assigned to it; `session` stays alive
// as long as the array.
nanobind::object slot_array(std::span<std::byte> slot, const LocalShape& field, nanobind::handle session);

}  // namespace tailrace::bindings
