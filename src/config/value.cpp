#include "config/value.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::config {
namespace {

template <class T, class Data>
const T& get(const Data& data, const std::string& path, const char* type) {
  const T* value = std::get_if<T>(&data);
  TAILRACE_ASSERT(value != nullptr, path + " is not declared as " + type);
  return *value;
}

}  // namespace

const std::string& Value::text() const { return get<std::string>(data_, path_, "text"); }
bool Value::flag() const { return get<bool>(data_, path_, "flag"); }
std::int64_t Value::integer() const { return get<std::int64_t>(data_, path_, "integer"); }
std::size_t Value::bytes() const { return get<std::size_t>(data_, path_, "size"); }

double Value::real() const {
  return is_integer() ? static_cast<double>(integer()) : get<double>(data_, path_, "real");
}

const Value* Value::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const ValueEntry& entry) { return entry.key == name; });
  return found == entries_.end() ? nullptr : &found->value;
}

const Value& Value::at(std::string_view name) const {
  const Value* value = find(name);
  TAILRACE_ASSERT(value != nullptr, path_ + " holds no " + std::string(name));
  return *value;
}

}  // namespace tailrace::config
