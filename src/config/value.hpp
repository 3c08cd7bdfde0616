// A configuration that was checked: values of the declared types, defaults filled in, each with its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/location.hpp"
#include "config/schema.hpp"

namespace tailrace::config {

struct ValueEntry;

// Read-only once made by `check`. Asking for a type that the declaration does not have is a bug:
// Error(internal).
class Value {
 public:
  Kind kind() const { return kind_; }  // of `plain` and `either` the one that it turned out to be
  const Location& location() const { return location_; }
  const std::string& path() const { return path_; }
  // Still holds a `{name}` that nobody filled in. It then reads as the first value its type allows (the text
  // of a text or checked text stays as it was written).
  bool open() const { return open_; }

  bool quoted() const { return quoted_; }        // a scalar that was written in quotes
  bool inherited() const { return inherited_; }  // it stands in `defaults` around the section

  const std::string& text() const;  // text, checked, choice, and the words of integer_or
  bool flag() const;
  bool is_integer() const { return std::holds_alternative<std::int64_t>(data_); }
  std::int64_t integer() const;
  double real() const;  // of integers too
  std::size_t bytes() const;

  const Value* find(
      std::string_view name) const;  // of a section or map; nullptr where absent and without default
  const Value& at(std::string_view name) const;
  const std::vector<Value>& items() const { return items_; }  // of a list
  const std::vector<ValueEntry>& entries() const {
    return entries_;
  }  // of a map or section, in the user's order

 private:
  friend class Checker;
  Kind kind_ = Kind::text;
  bool open_ = false;
  bool quoted_ = false;
  bool inherited_ = false;
  Location location_;
  std::string path_;
  std::variant<std::monostate, std::string, bool, std::int64_t, double, std::size_t> data_;
  std::vector<Value> items_;
  std::vector<ValueEntry> entries_;
};

struct ValueEntry {
  std::string key;
  Location location;  // of the key; line 0 for a default
  Value value;
};

}  // namespace tailrace::config
