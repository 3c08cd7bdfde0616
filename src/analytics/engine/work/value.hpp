// The value of a node at a step, or the reason why it has none.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/data_type.hpp"

namespace tailrace::analytics::engine::work {

// A member of a bundle that has no value, and the reason.
struct Absence {
  int member = 0;
  std::string why;
};
using Absences = std::vector<Absence>;  // by member, ascending, at most one each

inline const Absence* find(const Absences& absences, int member) {
  for (const Absence& absence : absences)
    if (absence.member == member) return &absence;
  return nullptr;
}
void add(Absences& to, const Absences& more);

// A bundled value always has numbers; those of absent members are meaningless. Values are bytes with a type
// and not doubles: fields arrive in the model's type and are converted by the program that reads them, so
// that a step copies float32 as float32. A value keeps its memory when it is cleared.
struct Value {
  std::vector<std::byte> bytes;
  model::DataType type = model::DataType::float64;
  bool present = false;
  Absences absences;

  bool whole() const { return present && absences.empty(); }
  void clear() {
    present = false;
    absences.clear();
  }
  void absent(const Absences& why) {
    present = false;
    add(absences, why);
  }
  std::span<double> make(std::size_t size) {
    bytes.resize(size * sizeof(double));
    type = model::DataType::float64;
    present = true;
    return doubles();
  }
  std::span<double> doubles() {
    return {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)};
  }
  // Copies numbers in their type. If some may be missing (`fill`), converts them to float64 with NaN.
  void put(model::DataType of, std::span<const std::byte> from, std::optional<double> fill);
  std::size_t size() const { return bytes.size() / model::size_of(type); }
  std::vector<double> as_doubles() const;
  // A view of the numbers or, if they have another type, converts them into `room`.
  std::span<const double> doubles_in(std::vector<double>& room) const;
  void append_to(std::vector<double>& values, std::size_t first, std::size_t count) const;
};

void convert(model::DataType type, std::span<const std::byte> from, double* to);
// The same, with NaN for elements that equal `fill` in their type.
void convert(model::DataType type, std::span<const std::byte> from, std::optional<double> fill, double* to);

}  // namespace tailrace::analytics::engine::work
