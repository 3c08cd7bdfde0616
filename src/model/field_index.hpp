// Finds fields by name with a hash table, since a model may declare a hundred thousand.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "model/declarations.hpp"

namespace tailrace::model {

// The fields must neither move nor change while the index exists.
class FieldIndex {
 public:
  explicit FieldIndex(const Declarations& declarations) {
    numbers_.reserve(declarations.fields.size());
    for (std::size_t f = 0; f < declarations.fields.size(); ++f)
      numbers_.emplace(declarations.fields[f].name, static_cast<int>(f));
  }
  std::optional<int> find(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<std::string_view, int> numbers_;
};

}  // namespace tailrace::model
