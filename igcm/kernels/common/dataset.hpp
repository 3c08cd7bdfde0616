// Named arrays and attributes, as in the exchange files of the kernels (igcm/kernels/README.md).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace igcm {

enum class Type { real64, real32, int32 };

// Values are kept as doubles whatever the type in the file: float and int32 fit exactly.
struct Field {
  std::vector<std::size_t> shape;  // C order: the last index is the fastest
  Type type = Type::real64;
  std::vector<double> values;
};

class Dataset {
 public:
  // Throws std::runtime_error with the path and the reason. The file is opened for reading only.
  static Dataset read(const std::string& path);
  // Writes the named fields in this order, and all attributes, to a new file: one that is there is refused.
  // Dimensions are called n<length>, each length once. After an error no file is left.
  void write(const std::string& path, const std::vector<std::string>& names) const;

  Field& add(const std::string& name, std::vector<std::size_t> shape, Type type = Type::real64);
  [[nodiscard]] bool has(const std::string& name) const { return fields_.contains(name); }
  // Both throw with the names that are there if the field is missing, or has another shape.
  Field& field(const std::string& name);
  [[nodiscard]] const Field& field(const std::string& name) const;
  double* values(const std::string& name, const std::vector<std::size_t>& shape);
  double* values(const std::string& name) { return field(name).values.data(); }

  void set(const std::string& attribute, std::string text) { texts_[attribute] = std::move(text); }
  void set(const std::string& attribute, std::vector<double> numbers, Type type = Type::int32);
  [[nodiscard]] const std::vector<double>& numbers(const std::string& attribute) const;
  // Throws if one of them is no whole number of 32 bits.
  [[nodiscard]] std::vector<int> integers(const std::string& attribute) const;
  [[nodiscard]] std::string text(const std::string& attribute) const;
  // A constant of the attributes const_names (blanks between) and const_values; throws if it is missing.
  [[nodiscard]] double constant(std::string_view name) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::map<std::string, Field> fields_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::vector<double>> numbers_;
  std::map<std::string, Type> number_types_;
  std::string path_ = "the made input";
};

}  // namespace igcm
