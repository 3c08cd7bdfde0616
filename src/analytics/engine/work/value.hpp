// The numbers of a node at a step, or the reason why there are none.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/data_type.hpp"

namespace tailrace::analytics::engine::work {

// One of what lies side by side has no value, and why.
struct Absence {
  int member = 0;
  std::string why;
};
using Absences = std::vector<Absence>;  // by member, ascending, each once

inline const Absence* find(const Absences& absences, int member) {
  for (const Absence& absence : absences)
    if (absence.member == member) return &absence;
  return nullptr;
}
void add(Absences& to, const Absences& more);

// Where several lie side by side there are always numbers; those of absent members mean nothing. Bytes with a
// type, and not doubles: fields arrive in the model's type and are read once, by the program that converts
// them on the way, so that a step copies float32 as float32. A value keeps its memory when it is cleared.
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
  // Numbers as they were put; where some may be missing, as they are read.
  void put(model::DataType of, std::span<const std::byte> from, std::optional<double> fill);
  std::size_t size() const { return bytes.size() / model::size_of(type); }
  std::vector<double> as_doubles() const;
  // As they lie here, or, of another type, converted into `room`.
  std::span<const double> doubles_in(std::vector<double>& room) const;
  void append_to(std::vector<double>& values, std::size_t first, std::size_t count) const;
};

void convert(model::DataType type, std::span<const std::byte> from, double* to);
// The same; elements of the value `fill`, in their type, become NaN.
void convert(model::DataType type, std::span<const std::byte> from, std::optional<double> fill, double* to);

}  // namespace tailrace::analytics::engine::work
