// Records on the horizontal cells of the files to records on those of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "input/regridding/source_rows.hpp"
#include "model/data_type.hpp"
#include "regrid/apply.hpp"

namespace tailrace::input {

// The dims of a result: those of the grid of the model, with the file's levels if they are interpolated.
struct ResultDims {
  std::vector<std::int64_t> shape;
  std::vector<bool> is_horizontal;  // one or two of them
};

// The shape of the array that is regridded to it: first the other dims of the result in their order, then
// the cells of the file that are needed, by its horizontal dims.
std::vector<std::int64_t> source_shape(const SourceRows& rows, const ResultDims& result);

// `type`: float32 or float64. Missing values are NaN in both. Returns how many are missing in the result.
std::int64_t regrid_record(const SourceRows& rows, const regrid::Rule& rule, model::DataType type,
                           std::span<const std::byte> from, const ResultDims& dims, std::span<std::byte> to);

}  // namespace tailrace::input
