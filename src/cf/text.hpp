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
// `time: mean`, after what the model itself says of the cells (`area: mean`).
std::string cell_methods(const std::string& of_field, const std::string& axis, time::ReductionKind reduction);
output::Attributes global_attributes(const plan::FilePlan& file, const settings::Configuration& configuration,
                                     const std::string& component, bool with_mesh,
                                     const std::string& history);

}  // namespace tailrace::cf
