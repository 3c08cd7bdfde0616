// The levels of a file: of one dimension, or computed from each record's field of the surface.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "input/entry/file_coordinates.hpp"
#include "input/entry/record_reader.hpp"
#include "input/entry/value_plan.hpp"
#include "input/prepared.hpp"
#include "input/regridding/field_regridding.hpp"

namespace tailrace::input {

// The terms of hybrid levels, in Pa but for the coefficients without units.
struct HybridRecipe {
  HybridLevels formula;
  std::map<std::string, std::vector<double>> terms;  // of all but the surface
  std::shared_ptr<const VariableRecipe> surface;     // over the grid's dims without the vertical one
  Linear to_target;                                  // from Pa
};

struct LevelsOfFile {
  FileLevels levels;
  std::optional<HybridRecipe> hybrid;
};

struct LevelsWanted {
  const std::vector<AxisDim>& columns;  // the dims of the model's grid without the vertical one
  const Selected& select;
  const std::string& units;                              // of the target
  std::shared_ptr<const VariableRecipe> surface_before;  // of the file before; null: none
  const FieldRegridding* regridding =
      nullptr;  // of the columns, which then end in the file's horizontal dims
};

// The levels along the dim `vertical` of a variable. Throws Error(resource) or Error(configuration), without
// the name of the file.
LevelsOfFile levels_of(FileCoordinates& file, const VariableHeader& variable, std::size_t vertical,
                       const LevelsWanted& wanted);

// `surface`: of each column. `result`: numbers of float64 over the dims of the grid with the file's levels,
// in C order, where `inner` is the product of the dims behind the vertical one; it need not be aligned.
void fill_levels(const HybridRecipe& recipe, std::span<const double> surface, std::int64_t levels,
                 std::int64_t inner, std::span<std::byte> result);

}  // namespace tailrace::input
