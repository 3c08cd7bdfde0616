#include "model/state.hpp"

#include <fmt/format.h>

#include "tailrace/error.hpp"

namespace tailrace::model {
namespace {

Region whole(const StateArray& array) {
  return Region::of_box({std::vector<std::int64_t>(array.shape.size(), 0), array.shape});
}

template <class T>
void save_number(StateSaver& saver, const std::string& name, DataType type, T value) {
  const StateArray array{name, type, {}, {}};
  saver.save(array, whole(array), std::as_bytes(std::span(&value, 1)));
}

template <class T>
T load_number(const StateLoader& loader, const std::string& name, DataType type) {
  T value{};
  const StateArray array{name, type, {}, {}};
  loader.load(array, whole(array), std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

}  // namespace

void save_values(StateSaver& saver, const std::string& name, DataType type,
                 std::span<const std::byte> values) {
  const auto count = static_cast<std::int64_t>(values.size() / size_of(type));
  const StateArray array{name, type, {name}, {count}};
  saver.save(array, whole(array), values);
}

std::vector<std::byte> load_values(const StateLoader& loader, const std::string& name, DataType type) {
  StateArray array = loader.find(name).value_or(StateArray{name, type, {name}, {0}});
  array.type = type;
  std::vector<std::byte> values(static_cast<std::size_t>(whole(array).size()) * size_of(type));
  loader.load(array, whole(array), values);
  return values;
}

void NumberSaver::put(const std::string& name, double value) {
  save_number(saver_, prefix_ + name, DataType::float64, value);
}

void NumberSaver::put(const std::string& name, std::int64_t value) {
  save_number(saver_, prefix_ + name, DataType::int64, value);
}

double NumberLoader::real(const std::string& name) const {
  return load_number<double>(loader_, prefix_ + name, DataType::float64);
}

std::int64_t NumberLoader::integer(const std::string& name) const {
  return load_number<std::int64_t>(loader_, prefix_ + name, DataType::int64);
}

}  // namespace tailrace::model
