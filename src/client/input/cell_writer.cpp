#include "client/input/cell_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <new>

#include "base/error.hpp"

namespace tailrace::client {
namespace {

using Kind = input::MissingRequest::Kind;

model::FillValue replacement_of(const input::FieldRequest& request, const model::Field& field) {
  if (request.missing.kind == Kind::keep)
    return field.fill_value.value_or(std::numeric_limits<double>::quiet_NaN());
  return request.missing.value;
}

bool is_finite(double value) { return std::abs(value) <= std::numeric_limits<double>::max(); }

template <class T>
bool holds(double value, T stored) {
  if constexpr (std::is_same_v<T, float>)
    return std::abs(stored) <= std::numeric_limits<float>::max() || !is_finite(value);
  else
    return true;
}

}  // namespace

CellWriter::CellWriter(const input::FieldRequest& request, const model::Field& field)
    : type_(field.type),
      refuses_missing_(request.missing.kind == Kind::refuse || request.missing.kind == Kind::nearest),
      rounds_(request.may_lose_bits),
      replacement_(replacement_of(request, field)) {
  const bool is_whole = model::is_integer(type_);
  keeps_nan_ = !refuses_missing_ && !is_whole && std::isnan(replacement_.number);
  if (refuses_missing_ || !is_whole) return;
  if (std::isnan(replacement_.number))
    throw Error(ErrorCode::configuration,
                fmt::format("{}: `missing: keep` of \"{}\", which has whole numbers ({}) and no fill value; "
                            "expected a field with a fill value, or `missing: <value>`",
                            request.location.text(), request.name, model::name_of(type_)));
  if (!model::can_hold(type_, replacement_.number))
    throw Error(
        ErrorCode::configuration,
        fmt::format("{}: \"{}\" has the type {}, which cannot hold the value {} that stands for "
                    "missing ones",
                    request.location.text(), request.name, model::name_of(type_), replacement_.number));
}

std::optional<CellWriter::Refusal> CellWriter::write(std::span<const double> values,
                                                     std::byte* results) const {
  if (refuses_missing_) {
    int missing = 0;
    for (const double value : values) missing |= value != value;
    for (std::size_t i = 0; missing != 0 && i < values.size(); ++i)
      if (std::isnan(values[i]))
        return Refusal{i, "is missing; expected `missing: <value>`, `missing: nearest` or `missing: keep`"};
  }
  return model::dispatch(type_, [&]<class T>(T) -> std::optional<Refusal> {
    T* const to = std::launder(reinterpret_cast<T*>(results));
    const T replacement = replacement_.as<T>();
    const auto refused = [&](std::size_t i) {
      return Refusal{
          i, fmt::format("is {}, which does not fit the model's type, {}", values[i], model::name_of(type_))};
    };
    if constexpr (std::is_floating_point_v<T>) {
      for (std::size_t i = 0; i < values.size(); ++i)
        to[i] = values[i] != values[i] ? replacement : static_cast<T>(values[i]);
      for (std::size_t i = 0; std::is_same_v<T, float> && i < values.size(); ++i)
        if (values[i] == values[i] && !holds(values[i], to[i])) return refused(i);
    } else {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = rounds_ ? std::nearbyint(values[i]) : values[i];
        if (values[i] == values[i] && !model::can_hold(type_, value)) return refused(i);
        to[i] = values[i] != values[i] ? replacement : static_cast<T>(value);
      }
    }
    return std::nullopt;
  });
}

}  // namespace tailrace::client
