// The section `variables` of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "config/section.hpp"
#include "mip_tables/request.hpp"
#include "model/data_type.hpp"
#include "model/declarations.hpp"
#include "output/dataset.hpp"
#include "output/packing.hpp"
#include "regrid/options.hpp"
#include "time/accumulator.hpp"
#include "time/axis.hpp"
#include "time/period.hpp"

namespace tailrace::settings {

struct VariableEntry {  // an entry under `variables:`
  config::Location location;
  std::string config_path;            // how messages name it: output.a.nc.variables[0]
  std::string field, group, pattern;  // exactly one is given
  config::Location target_location;   // of the field's or group's name
  std::string name;                   // in the file; empty: the field's own without its namespace
  std::string suffix;                 // appended to the name, or to each name of the group
  time::ReductionKind reduction = time::ReductionKind::snapshot;
  time::Period every = time::Period::of_steps(1);
  config::Location every_location;        // line 0: it contains a placeholder
  time::Cycle cycle = time::Cycle::none;  // `each` was given, which determines `every`
  bool whole_samples = false;             // windows end with a sample
  std::string axis;                       // the name of its time dimension; empty: chosen
  std::string split;                      // a dimension: one variable for each index along it
  bool propagates_missing = false;        // one missing sample makes the record missing
  std::optional<model::DataType> type;
  std::optional<output::PackOptions> pack;
  std::optional<codecs::CodecOptions> codec;
  std::vector<std::int64_t> chunk;
  config::Location chunk_location;
  output::Attributes attributes;
  config::Location coordinates_attribute = {};  // of `coordinates` among them; line 0: not given
  std::vector<model::Coordinate> coordinates;   // without dims
  std::optional<double> fill_value;             // replaces the field's
  std::shared_ptr<mip_tables::Request> cmip;    // null: the variable names no table
  // Null: it is written on its own grid. Variables share what is given for a group or the file.
  std::shared_ptr<regrid::Options> regrid;
  bool says_regrid = false;  // it, or a group of variables, has the option `regrid`
  config::Location split_location = {};
};

config::Section<std::vector<VariableEntry>> variables_section();  // part of a file
std::vector<config::Option> variable_defaults();                  // what `defaults` may give for variables

}  // namespace tailrace::settings
