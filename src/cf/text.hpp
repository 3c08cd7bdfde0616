// Attributes of time coordinates, variables and files by the CF conventions.
#pragma once

#include <string>

#include "model/declarations.hpp"
#include "output/dataset.hpp"
#include "plan/plan.hpp"

namespace tailrace::cf {

// Replaces the attribute of that name, or appends it.
void set_attribute(output::Attributes& attributes, const std::string& name,
                   const output::AttributeValue& value);
// Appends units, standard_name, long_name and further attributes, if they are given. CF recommends a
// standard_name or long_name, so the name becomes the long_name if there is neither.
void describe(output::Attributes& attributes, const model::Field& field);
void describe(output::Attributes& attributes, const model::Coordinate& coordinate);

output::Attributes time_attributes(const plan::AxisPlan& axis, settings::TimeStamp stamp,
                                   const calendar::Calendar& calendar, const std::string& bounds);
// Appends `time: mean` to the cell_methods of the model or the user (`area: mean`), unless these mention the
// axis.
void add_cell_methods(output::Attributes& attributes, const std::string& axis, time::ReductionKind reduction,
                      time::Cycle cycle = time::Cycle::none);
// Converts attributes that readers compare with values to the type of the values. Limits of the values are
// removed if the written values are of another kind (sums, deviations) or packed (readers would compare them
// with the packed numbers).
void give_own_types(output::Attributes& attributes, const plan::VariablePlan& plan);
output::Attributes global_attributes(const output::DatasetSpec& dataset, const plan::DatasetPlan& file,
                                     const settings::Configuration& configuration,
                                     const model::Declarations& declarations, const std::string& history);
// Those that the model and the user give to the file.
output::Attributes given_attributes(const plan::DatasetPlan& file, const model::Declarations& declarations,
                                    const std::string& history);
// The first version of CF that has all features of the dataset, and that of UGRID if it has a mesh.
std::string conventions(const output::DatasetSpec& dataset);

}  // namespace tailrace::cf
