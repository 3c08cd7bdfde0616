// A checked configuration: values of the declared types, with defaults, each with its place.
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

// Made by `check`, then read-only. Asking for a type other than the declared one is a bug: Error(internal).
class Value {
 public:
  Kind kind() const { return kind_; }  // for `plain` and `either`, the actual one
  const Location& location() const { return location_; }
  const std::string& path() const { return path_; }
  // True if it still contains a placeholder. It then reads as the first value of its type, except that texts
  // stay as written.
  bool open() const { return open_; }

  bool quoted() const { return quoted_; }        // a scalar in quotes
  bool inherited() const { return inherited_; }  // it is from `defaults` of an enclosing section

  const std::string& text() const;  // text, checked, choice, and the words of integer_or
  bool flag() const;
  bool is_integer() const { return std::holds_alternative<std::int64_t>(data_); }
  std::int64_t integer() const;
  double real() const;  // of integers too
  std::size_t bytes() const;

  const Value* find(std::string_view name) const;  // of a section or map; null if absent and without default
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
