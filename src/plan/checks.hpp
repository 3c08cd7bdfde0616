// Checks of a variable: its period against the field's samples, its chunk against the grid, its names and
// attributes.
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

// Why records of period `every` cannot be made from samples of period `cadence`; none if they can. Steps and
// lengths of time cannot be compared before the run, so their combination passes.
std::optional<std::string> period_complaint(const std::string& field, time::ReductionKind reduction,
                                            const time::Period& every, const time::Period& cadence);

// A warning for a period that works but may surprise: instants that fall between the samples.
std::optional<std::string> period_warning(const std::string& field, time::ReductionKind reduction,
                                          const time::Period& every, const time::Period& cadence);

// `chunk` is given by the user: records, then the grid's dims.
std::optional<std::string> chunk_complaint(const std::vector<std::int64_t>& chunk, const model::Grid& grid);

// Refuses a format that two threads must not write at once, in a mode in which one of them may be the
// model's.
std::optional<std::string> danger_complaint(const output::Format& format,
                                            const settings::ServersOptions& servers);

// True if each multiple of `every` is one of `cadence` too, as far as periods of the same kind tell.
bool is_multiple(const time::Period& every, const time::Period& cadence);

// Finds what is wrong with the attributes, from the user and the field, of a variable of that type.
std::optional<std::string> attributes_complaint(const output::Attributes& own, const model::Field& field,
                                                model::DataType type);

// A name that a coordinate of the field's grid, or the variable's own field, has already.
std::optional<std::string> coordinates_complaint(const std::vector<model::Coordinate>& own,
                                                 const model::Field& field,
                                                 const model::Declarations& declarations);

// The names of the variables into which one is split along a dim of its grid: the meanings of the dim's
// coordinate (CF's flag_meanings, one word each), or numbers.
std::vector<std::string> names_of_parts(const std::string& variable, const model::Grid& grid, int dim);

// The type of a variable for which the user gives none.
model::DataType default_type(const model::Field& field, time::ReductionKind reduction);
// A warning if real values are rounded to whole numbers.
std::optional<std::string> type_warning(const settings::VariableEntry& entry, const model::Field& field);

}  // namespace tailrace::plan
