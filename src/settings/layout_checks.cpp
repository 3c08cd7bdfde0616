#include "settings/layout_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/attributes.hpp"

namespace tailrace::settings {
namespace {

using config::Problems;

// CF has rules for this attribute, which follow from the grid.
void check_cf(const OutputEntry& file, Problems& problems) {
  for (const VariableEntry& variable : file.variables)
    if (variable.coordinates_attribute.line > 0)
      problems.add(variable.coordinates_attribute, variable.config_path + ".attributes.coordinates",
                   *model::variable_attribute_complaint(model::coordinates_attribute));
}

std::string formats_with_dates() {
  std::vector<std::string> names;
  for (const output::Format* format : output::formats())
    if (format->has_growing_text() && format->makes_files()) names.push_back(format->name());
  return fmt::format("`{}`", fmt::join(names, "`, `"));
}

class WrfChecks {
 public:
  WrfChecks(const OutputEntry& file, Problems& problems) : file_(file), problems_(problems) {}

  void check_file() {
    const output::Format* format = file_.writer();
    if (format != nullptr && !format->has_growing_text())
      problems_.add(file_.format_location.line > 0 ? file_.format_location : file_.layout_location,
                    path() + ".format",
                    fmt::format("format \"{}\" has no texts that grow, such as `Times`; expected {}, or "
                                "`layout: cf`",
                                file_.format, formats_with_dates()));
    if (const points::PointSet* points = file_.points())
      refuse(points->location, points->config_path, "has no stations or trajectories");
    if (file_.pyramid) refuse(file_.pyramid->location, file_.pyramid->config_path, "has no coarser copies");
    if (file_.also_coordinates_location.line > 0)
      refuse(file_.also_coordinates_location, path() + ".also_coordinates", "has no coordinates of grids");
    if (!file_.time_attributes.empty())
      refuse(file_.location, path() + ".time_attributes", "has no coordinate of time");
    if (!file_.option_tables.empty())
      refuse(file_.location, path() + ".option_tables", "has no tables of options");
    if (file_.time_stamp == TimeStamp::middle)
      refuse(file_.location, path() + ".time_stamp",
             "has no bounds of windows, so a record has the time at which its window ends");
  }

  void check_variable(const VariableEntry& variable) {
    if (variable.regrid)  // variables that share it share the problem, which is reported once
      refuse(variable.regrid->location, (variable.says_regrid ? variable.config_path : path()) + ".regrid",
             "has no coordinates of the grid to which fields are regridded, so it needs `regrid: none`");
    if (variable.cmip) refuse(variable.location, variable.config_path + ".cmip", "has no attributes of CMIP");
    if (variable.cycle != time::Cycle::none)
      refuse(variable.every_location, variable.config_path + ".each", "has no bounds of climatologies");
    if (!variable.axis.empty())
      refuse(variable.location, variable.config_path + ".axis", "has one dimension of time, `Time`");
    if (!variable.coordinates.empty())
      refuse(variable.location, variable.config_path + ".coordinates",
             "has no scalar coordinates, only names of variables as the attribute `coordinates`");
  }

 private:
  std::string path() const { return "output." + file_.path; }
  void refuse(const config::Location& where, const std::string& option, const std::string& why) {
    problems_.add(
        where, option,
        fmt::format("a file with `layout: wrf` {}; expected this in another file, with `layout: cf`", why));
  }

  const OutputEntry& file_;
  Problems& problems_;
};

}  // namespace

void check_layout(const OutputEntry& file, Problems& problems) {
  if (file.layout == Layout::cf) return check_cf(file, problems);
  WrfChecks checks(file, problems);
  checks.check_file();
  for (const VariableEntry& variable : file.variables) checks.check_variable(variable);
}

}  // namespace tailrace::settings
