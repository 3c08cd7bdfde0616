// The contents of a file of input, whatever its format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "model/data_type.hpp"

namespace tailrace::input {

using AttributeValue = std::variant<std::string, std::vector<double>>;

struct VariableHeader {
  std::string name;  // with the path of its groups: "group/name"
  std::vector<std::string> dims;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> chunk;  // empty: contiguous
  // None for types without a number, such as compound ones; those cannot be read. Unsigned numbers of 16 bits
  // and more have the next larger signed type, in which they are delivered; uint64 has float64 for want of
  // one.
  std::string type_name;  // as the format calls it
  bool is_text = false;   // of characters, delivered as uint8
  bool is_number = false;
  model::DataType type = model::DataType::float64;  // of the bytes that `read` delivers
  std::map<std::string, AttributeValue> attributes;

  const std::string* text(const std::string& attribute) const;             // null: none, or not a text
  const std::vector<double>* numbers(const std::string& attribute) const;  // null: none, or a text
};

struct FileHeader {
  std::vector<VariableHeader> variables;                      // in the order of the file
  const VariableHeader* find(const std::string& name) const;  // null: none
};

}  // namespace tailrace::input
