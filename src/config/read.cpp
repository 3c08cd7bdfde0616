#include "config/read.hpp"

namespace tailrace::config {

std::string text_of(const Value& section, std::string_view name, const std::string& fallback) {
  const Value* value = section.find(name);
  return value != nullptr ? value->text() : fallback;
}

bool flag_of(const Value& section, std::string_view name, bool fallback) {
  const Value* value = section.find(name);
  return value != nullptr ? value->flag() : fallback;
}

int integer_of(const Value& section, std::string_view name, int fallback) {
  const Value* value = section.find(name);
  return value != nullptr && value->is_integer() ? static_cast<int>(value->integer()) : fallback;
}

std::size_t size_of(const Value& section, std::string_view name, std::size_t fallback, const LeastSize& least,
                    Problems& problems) {
  const Value* value = section.find(name);
  if (value == nullptr) return fallback;
  if (value->bytes() < least.bytes)
    problems.add(value->location(), value->path(), std::string("expected ") + least.words + " or more");
  return value->bytes();
}

}  // namespace tailrace::config
