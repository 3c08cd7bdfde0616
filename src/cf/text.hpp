// The words of the CF conventions: attributes of time coordinates, variables and files.
#pragma once

#include <string>

#include "model/declarations.hpp"
#include "output/dataset.hpp"
#include "plan/plan.hpp"

namespace tailrace::cf {

// Replaces the attribute of that name, or appends it.
void set_attribute(output::Attributes& attributes, const std::string& name,
                   const output::AttributeValue& value);
// Appends units, standard_name, long_name and the further attributes, where they are given. CF asks for a
// standard_name or a long_name, so without either the name becomes the long_name.
void describe(output::Attributes& attributes, const model::Field& field);
void describe(output::Attributes& attributes, const model::Coordinate& coordinate);

output::Attributes time_attributes(const plan::AxisPlan& axis, settings::TimeStamp stamp,
                                   const calendar::Calendar& calendar, const std::string& bounds);
// Appends `time: mean` to what the model or the user says of the cells (`area: mean`), unless that speaks of
// the axis too.
void add_cell_methods(output::Attributes& attributes, const std::string& axis, time::ReductionKind reduction,
                      time::Cycle cycle = time::Cycle::none);
// What readers hold against the values gets their type; limits of the values are dropped where those that are
// written are of another kind (sums, deviations), or packed (readers hold them against the packed numbers).
void give_own_types(output::Attributes& attributes, const plan::VariablePlan& plan);
output::Attributes global_attributes(const output::DatasetSpec& dataset, const plan::DatasetPlan& file,
                                     const settings::Configuration& configuration,
                                     const std::string& component, const std::string& history);
// The first version of CF that has all that the dataset uses, and UGRID's where it has a mesh.
std::string conventions(const output::DatasetSpec& dataset);

}  // namespace tailrace::cf
