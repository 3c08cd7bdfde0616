// The coordinates of the variables of one file, by CF 4, 5 and 7, and by the habits of WRF.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "input/entry/axis_dim.hpp"
#include "input/entry/source_files.hpp"
#include "input/timeline.hpp"

namespace tailrace::input {

// One thread at a time; calls block. All throw Error(resource), without the name of the file.
class FileCoordinates {
 public:
  FileCoordinates(SourceFiles& files, std::size_t file);

  // The variable of numbers with that name, with the path of its groups. Names the nearest if there is none.
  const VariableHeader& variable(const std::string& name) const;
  // A variable that another one names, in the group of that one or one above; null: none.
  const VariableHeader* find_near(const VariableHeader& from, const std::string& name) const;
  std::vector<AxisDim> dims_of(const VariableHeader& variable);
  // The variable with the coordinate of its dim; null: none.
  const VariableHeader* coordinate_of(const VariableHeader& variable, std::size_t dim) const;
  // Those of its dims and those that its attribute `coordinates` names.
  std::vector<const VariableHeader*> coordinates_of(const VariableHeader& variable) const;
  // The times of the variable's records, along its dim `time`; without one (Match::none) that of a scalar
  // coordinate. None if there is neither.
  std::optional<TimeAxis> time_axis(const VariableHeader& variable, int time);
  // The values of a variable, each read once. They stay valid.
  const std::vector<double>& numbers(const VariableHeader& variable);

 private:
  std::vector<const VariableHeader*> named_coordinates(const VariableHeader& variable) const;
  const VariableHeader* only_time_along(const VariableHeader& variable, const std::string& dim) const;
  const VariableHeader* scalar_time(const VariableHeader& variable) const;
  TimeAxis axis_of_numbers(const VariableHeader& time);
  TimeAxis axis_of_texts(const VariableHeader& time);

  SourceFiles& files_;
  std::size_t file_;
  FileHeader header_;
  std::map<std::string, std::vector<double>> values_;
};

}  // namespace tailrace::input
