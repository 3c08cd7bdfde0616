#include "points/trajectories.hpp"

#include "config/read.hpp"

namespace tailrace::points {
namespace {

using namespace config;

Type trajectories_type() {
  return section({
      {.name = "file",
       .type = text(),
       .description =
           "A table of positions, relative to the configuration file that names it: values with commas "
           "between "
           "them, the first line with the names of the columns: `time` (dates, or seconds of model time), "
           "`latitude` and `longitude` or two coordinates of the grid, and, where there are several, the "
           "`trajectory`. Or a file of NetCDF-4 with trajectories by CF (its discrete sampling geometries).",
       .example = "ship.csv",
       .required = true},
      {.name = "method",
       .type = choice({"nearest", "bilinear"}),
       .description =
           "Whether a point gets the value of the nearest cell, or one between the cells around it.",
       .example = "bilinear",
       .default_value = "nearest"},
      {.name = "vertical",
       .type = text(),
       .description =
           "The column of the table with the levels of the points, given by the name or standard_name of "
           "the grid's coordinate along its levels. Without it the file has all levels.",
       .example = "height"},
  });
}

Trajectories read(const Value& value, Problems&) {
  Trajectories all;
  all.location = value.location();
  all.config_path = value.path();
  all.method = choice_of<Sampling>(value, "method",
                                   {{"nearest", Sampling::nearest}, {"bilinear", Sampling::bilinear}});
  if (const Value* method = value.find("method")) all.method_location = method->location();
  if (const Value* file = value.find("file")) {
    all.file = file->text();
    all.file_location = file->location();
  }
  if (const Value* vertical = value.find("vertical")) {
    all.vertical = vertical->text();
    all.vertical_location = vertical->location();
  }
  return all;
}

}  // namespace

config::Section<Trajectories> trajectories_section() {
  return {
      .option = {.name = "trajectories",
                 .type = trajectories_type(),
                 .description = "Moving points at which the file holds its variables, at each step that is "
                                "sampled, in place of the horizontal dimensions of the grid.",
                 .example = "{file: ship.csv, method: bilinear}"},
      .read = read};
}

}  // namespace tailrace::points
