// State that is saved and loaded: named global arrays, with the names of their dims and their global sizes,
// never the bytes of a rank. So a run can be loaded on other numbers of ranks and servers than it was saved
// on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "model/data_type.hpp"
#include "model/region.hpp"

namespace tailrace::model {

// The description of a saved array. Without dims it is one number.
struct StateArray {
  std::string name;  // unique in a component; its parts are separated by /
  DataType type = DataType::float64;
  std::vector<std::string> dims;
  std::vector<std::int64_t> shape;  // global, slowest dim first
  bool operator==(const StateArray&) const = default;
};

class StateSaver {
 public:
  virtual ~StateSaver() = default;
  // Saves the values of the cells of `region`, in its order; copies them. Parts of an array may come from
  // several servers. Each may save a cell that several have, with the same value. Throws Error(resource) if
  // it fails.
  virtual void save(const StateArray& array, const Region& region, std::span<const std::byte> values) = 0;
};

class StateLoader {
 public:
  virtual ~StateLoader() = default;
  virtual std::optional<StateArray> find(const std::string& name) const = 0;
  // Fills `values`. Throws Error(resource) that names the array if it is missing, differs from the
  // description `array`, or lacks some of the cells.
  virtual void load(const StateArray& array, const Region& region, std::span<std::byte> values) const = 0;
};

// A class whose state is saved in checkpoints. Both functions are called while no work is in progress.
class Stateful {
 public:
  virtual ~Stateful() = default;
  virtual void save(StateSaver& saver) const = 0;
  // Restores the saved state in an object that was made from the same configuration.
  virtual void load(const StateLoader& loader) = 0;
};

void save_values(StateSaver& saver, const std::string& name, DataType type,
                 std::span<const std::byte> values);
std::vector<std::byte> load_values(const StateLoader& loader, const std::string& name, DataType type);

// Save and load numbers, lists of numbers and texts (lists of character codes) by name. A class lists its
// members once, in a function that takes either of the two. Other integers and booleans are saved as int64.
class NumberSaver {
 public:
  NumberSaver(StateSaver& saver, std::string prefix) : saver_(saver), prefix_(std::move(prefix)) {}
  template <class T>
  void operator()(const std::string& name, const T& value) {
    put(name, wide(value));
  }
  template <class T>
  void operator()(const std::string& name, const std::vector<T>& values);
  void operator()(const std::string& name, const std::string& text) {
    (*this)(name, std::vector<std::int64_t>(text.begin(), text.end()));
  }
  // The saver of a part that lists its own members; both classes have this function.
  NumberSaver in(const std::string& part) const { return {saver_, prefix_ + part + "/"}; }

 private:
  template <class T>
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  template <class T>
  static Wide<T> wide(T value) {
    return static_cast<Wide<T>>(value);
  }
  void put(const std::string& name, double value);
  void put(const std::string& name, std::int64_t value);

  StateSaver& saver_;
  std::string prefix_;
};

class NumberLoader {
 public:
  NumberLoader(const StateLoader& loader, std::string prefix) : loader_(loader), prefix_(std::move(prefix)) {}
  template <class T>
  void operator()(const std::string& name, T& value) {
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(real(name));
    else
      value = static_cast<T>(integer(name));
  }
  template <class T>
  void operator()(const std::string& name, std::vector<T>& values);
  void operator()(const std::string& name, std::string& text) {
    std::vector<std::int64_t> codes;
    (*this)(name, codes);
    text.assign(codes.begin(), codes.end());
  }
  NumberLoader in(const std::string& part) const { return {loader_, prefix_ + part + "/"}; }
  bool has(const std::string& name) const { return loader_.find(prefix_ + name).has_value(); }

 private:
  double real(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;

  const StateLoader& loader_;
  std::string prefix_;
};

template <class T>
void NumberSaver::operator()(const std::string& name, const std::vector<T>& values) {
  std::vector<Wide<T>> all(values.begin(), values.end());
  save_values(saver_, prefix_ + name, std::is_floating_point_v<T> ? DataType::float64 : DataType::int64,
              std::as_bytes(std::span(all)));
}

template <class T>
void NumberLoader::operator()(const std::string& name, std::vector<T>& values) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  const auto bytes =
      load_values(loader_, prefix_ + name, std::is_floating_point_v<T> ? DataType::float64 : DataType::int64);
  values.clear();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Wide)) {
    Wide value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    values.push_back(static_cast<T>(value));
  }
}

// A list of structs. `members` calls its second argument for each number of the first.
template <class Item, class Members>
void visit_list(const std::vector<Item>& items, NumberSaver saver, const Members& members) {
  saver("count", items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    NumberSaver one = saver.in(std::to_string(i));
    members(items[i], one);
  }
}

template <class Item, class Members>
void visit_list(std::vector<Item>& items, NumberLoader loader, const Members& members) {
  std::size_t count = 0;
  loader("count", count);
  items.assign(count, Item{});
  for (std::size_t i = 0; i < count; ++i) {
    NumberLoader one = loader.in(std::to_string(i));
    members(items[i], one);
  }
}

}  // namespace tailrace::model
