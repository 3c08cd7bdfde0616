// Whether a variable's wishes can be met: its period by the field's samples, its chunk by the grid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "output/format.hpp"
#include "settings/configuration.hpp"
#include "time/accumulator.hpp"
#include "time/period.hpp"

namespace tailrace::plan {

// What keeps records of `every` from being made of samples that come at `cadence`; nothing where it can be
// done. Steps and lengths of time cannot be compared before the run, so together they pass.
std::optional<std::string> period_complaint(const std::string& field, time::ReductionKind reduction,
                                            const time::Period& every, const time::Period& cadence);

// A period that works, but not as one might think: instants that fall between the samples.
std::optional<std::string> period_warning(const std::string& field, time::ReductionKind reduction,
                                          const time::Period& every, const time::Period& cadence);

// `chunk` is the user's: records, then the grid's dims.
std::optional<std::string> chunk_complaint(const std::vector<std::int64_t>& chunk, const model::Grid& grid);

// A format of which two threads must not write at once, in a mode where one of them may be the model's.
std::optional<std::string> danger_complaint(const output::Format& format,
                                            const settings::ServersOptions& servers);

// Whether every point of `every` is one of `cadence` too, as far as periods of the same kind can tell.
bool is_multiple(const time::Period& every, const time::Period& cadence);

// What is wrong with the attributes of a variable of that type, the user's and the field's.
std::optional<std::string> attributes_complaint(const output::Attributes& own, const model::Field& field,
                                                model::DataType type);

// A name that the coordinates of the field's grid have already, or that of a variable's own field.
std::optional<std::string> coordinates_complaint(const std::vector<model::Coordinate>& own,
                                                 const model::Field& field,
                                                 const model::Declarations& declarations);

// What the variables are called into which one is split along a dim of its grid: by the meanings that the
// dim's coordinate gives to its cells (CF's flag_meanings, one word each), or by number.
std::vector<std::string> names_of_parts(const std::string& variable, const model::Grid& grid, int dim);

// Of a variable that names no type.
model::DataType default_type(const model::Field& field, time::ReductionKind reduction);
// Where real values are rounded to whole numbers; a word of warning.
std::optional<std::string> type_warning(const settings::VariableEntry& entry, const model::Field& field);

}  // namespace tailrace::plan
