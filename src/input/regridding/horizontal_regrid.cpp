#include "input/regridding/horizontal_regrid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::input {
namespace {

std::int64_t product_of(const ResultDims& dims, bool horizontal) {
  std::int64_t product = 1;
  for (std::size_t d = 0; d < dims.shape.size(); ++d)
    if (dims.is_horizontal[d] == horizontal) product *= dims.shape[d];
  return product;
}

// The distances from the begin of the result of all combinations of the horizontal dims, or of the others.
std::vector<std::int64_t> distances(const ResultDims& dims, bool horizontal) {
  std::vector<std::int64_t> all{0};
  std::int64_t stride = 1;
  for (const std::int64_t length : dims.shape) stride *= length;
  for (std::size_t d = 0; d < dims.shape.size(); ++d) {
    stride /= std::max<std::int64_t>(dims.shape[d], 1);
    if (dims.is_horizontal[d] != horizontal) continue;
    std::vector<std::int64_t> next;
    for (const std::int64_t at : all)
      for (std::int64_t i = 0; i < dims.shape[d]; ++i) next.push_back(at + i * stride);
    all = std::move(next);
  }
  return all;
}

// Whether the cells of a level lie one after the other.
bool is_packed(const ResultDims& dims) { return std::ranges::is_sorted(dims.is_horizontal); }

template <class Value>
std::int64_t missing_in(std::span<const std::byte> values) {
  const std::span numbers(reinterpret_cast<const Value*>(values.data()), values.size() / sizeof(Value));
  return std::ranges::count_if(numbers, [](Value value) { return std::isnan(value); });
}

template <class Value>
void scatter(std::span<const std::byte> levels, const ResultDims& dims, std::span<std::byte> to) {
  const std::vector<std::int64_t> cells = distances(dims, true), others = distances(dims, false);
  const auto* from = reinterpret_cast<const Value*>(levels.data());
  auto* const result = reinterpret_cast<Value*>(to.data());
  for (const std::int64_t level : others)
    for (const std::int64_t cell : cells) result[level + cell] = *from++;
}

}  // namespace

std::vector<std::int64_t> source_shape(const SourceRows& rows, const ResultDims& result) {
  std::vector<std::int64_t> shape;
  for (std::size_t d = 0; d < result.shape.size(); ++d)
    if (!result.is_horizontal[d]) shape.push_back(result.shape[d]);
  for (const auto& used : rows.used) shape.push_back(static_cast<std::int64_t>(used.size()));
  return shape;
}

std::int64_t regrid_record(const SourceRows& rows, const regrid::Rule& rule, model::DataType type,
                           std::span<const std::byte> from, const ResultDims& dims, std::span<std::byte> to) {
  const bool packed = is_packed(dims);
  std::vector<std::byte> apart(packed ? 0 : to.size());
  regrid::Arrays arrays;
  arrays.type = type;
  arrays.from = from;
  arrays.to = packed ? to : std::span<std::byte>(apart);
  arrays.levels = product_of(dims, false);
  arrays.source_stride = 1;
  for (const auto& used : rows.used) arrays.source_stride *= static_cast<std::int64_t>(used.size());
  arrays.target_stride = product_of(dims, true);
  arrays.missing = model::FillValue(std::numeric_limits<double>::quiet_NaN());
  TAILRACE_ASSERT(rows.rows.rows() == arrays.target_stride, "a row for each cell of the model");
  regrid::apply(rows.rows, rule, arrays, 0, rows.rows.rows());
  const bool is_single = type == model::DataType::float32;
  if (!packed) is_single ? scatter<float>(apart, dims, to) : scatter<double>(apart, dims, to);
  return is_single ? missing_in<float>(to) : missing_in<double>(to);
}

}  // namespace tailrace::input
