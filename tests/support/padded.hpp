// Values as arrays of a type: dense, or inside an array with a halo.
#pragma once

#include <cstdint>
#include <vector>

#include "tailrace/tailrace.hpp"

namespace player {

inline constexpr std::int64_t halo = 2;

template <class T>
std::vector<T> dense_values(const std::vector<double>& values) {
  std::vector<T> converted(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) converted[i] = static_cast<T>(values[i]);
  return converted;
}

// The same values inside an array with a halo around every dimension, like a model's own arrays.
template <class T>
struct Padded {
  std::vector<T> storage;
  std::vector<std::size_t> places;  // of the values
  tailrace::MutableArrayView target;
  tailrace::ArrayView view;

  Padded(const std::vector<double>& values, const std::vector<std::int64_t>& count) {
    std::vector<std::int64_t> strides(count.size(), 1);
    std::int64_t size = 1, first = 0;
    for (std::size_t dim = count.size(); dim-- > 0;) {
      strides[dim] = size;
      first += halo * size;
      size *= count[dim] + 2 * halo;
    }
    storage.assign(static_cast<std::size_t>(size), static_cast<T>(-777));
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::int64_t rest = static_cast<std::int64_t>(i), where = first;
      for (std::size_t dim = count.size(); dim-- > 0;) {
        where += rest % count[dim] * strides[dim];
        rest /= count[dim];
      }
      places.push_back(static_cast<std::size_t>(where));
      storage[places.back()] = static_cast<T>(values[i]);
    }
    view = {
        .data = storage.data() + first, .type = tailrace::type_of<T>(), .shape = count, .strides = strides};
    target = {storage.data() + first, view.type, view.shape, view.strides};
  }

  std::vector<T> inside() const {
    std::vector<T> values;
    for (const std::size_t place : places) values.push_back(storage[place]);
    return values;
  }
};

}  // namespace player
