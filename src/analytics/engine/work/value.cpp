#include "analytics/engine/work/value.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tailrace::analytics::engine::work {

void add(Absences& to, const Absences& more) {
  for (const Absence& absence : more) {
    const auto place =
        std::lower_bound(to.begin(), to.end(), absence.member,
                         [](const Absence& known, int member) { return known.member < member; });
    if (place == to.end() || place->member != absence.member) to.insert(place, absence);
  }
}

void convert(model::DataType type, std::span<const std::byte> from, double* to) {
  model::dispatch(type, [&](auto zero) {
    using Type = decltype(zero);
    for (std::size_t i = 0; i < from.size() / sizeof(Type); ++i) {
      Type element;
      std::memcpy(&element, from.data() + i * sizeof(Type), sizeof(Type));
      to[i] = static_cast<double>(element);
    }
  });
}

void convert(model::DataType type, std::span<const std::byte> from, std::optional<double> fill, double* to) {
  if (!fill || std::isnan(*fill)) return convert(type, from, to);
  model::dispatch(type, [&](auto zero) {
    using Type = decltype(zero);
    const auto hidden = static_cast<Type>(*fill);
    for (std::size_t i = 0; i < from.size() / sizeof(Type); ++i) {
      Type element;
      std::memcpy(&element, from.data() + i * sizeof(Type), sizeof(Type));
      to[i] = element == hidden ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(element);
    }
  });
}

void Value::put(model::DataType of, std::span<const std::byte> from, std::optional<double> fill) {
  if (fill && !std::isnan(*fill)) {
    convert(of, from, fill, make(from.size() / model::size_of(of)).data());
    return;
  }
  bytes.assign(from.begin(), from.end());
  type = of;
  present = true;
}

std::vector<double> Value::as_doubles() const {
  std::vector<double> doubles;
  append_to(doubles, 0, size());
  return doubles;
}

std::span<const double> Value::doubles_in(std::vector<double>& room) const {
  if (type == model::DataType::float64) return {reinterpret_cast<const double*>(bytes.data()), size()};
  room = as_doubles();
  return room;
}

void Value::append_to(std::vector<double>& values, std::size_t first, std::size_t count) const {
  const std::size_t element = model::size_of(type), before = values.size();
  if (type == model::DataType::float64) {
    const auto* const doubles = reinterpret_cast<const double*>(bytes.data()) + first;
    values.insert(values.end(), doubles, doubles + count);
    return;
  }
  values.resize(before + count);
  convert(type, std::span(bytes).subspan(first * element, count * element), values.data() + before);
}

}  // namespace tailrace::analytics::engine::work
