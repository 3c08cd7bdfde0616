#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "codecs/lossy/rounding.hpp"
#include "config/problems.hpp"
#include "input/options.hpp"
#include "mip_tables/checks.hpp"
#include "model/field_index.hpp"
#include "plan/analysis.hpp"
#include "plan/append/write_amplification.hpp"
#include "plan/checks.hpp"
#include "plan/inputs.hpp"
#include "plan/masks.hpp"
#include "plan/memory_needs.hpp"
#include "plan/merging.hpp"
#include "plan/naming/axis_names.hpp"
#include "plan/naming/axis_warnings.hpp"
#include "plan/naming/dim_names.hpp"
#include "plan/naming/field_metadata.hpp"
#include "plan/naming/formula_terms.hpp"
#include "plan/naming/long_names.hpp"
#include "plan/naming/missing_fields.hpp"
#include "plan/naming/spelling_hints.hpp"
#include "plan/option_tables.hpp"
#include "plan/regridder.hpp"
#include "plan/restart/checkpointed_fields.hpp"
#include "plan/wrf_layout.hpp"
#include "settings/fields.hpp"

namespace tailrace::plan {
namespace {

std::string without_namespace(const std::string& name) { return name.substr(name.rfind('.') + 1); }

// The variables of a file that have an entry of their own, which a pattern leaves out.
std::set<std::string> names_of_single_fields(const settings::OutputEntry& file) {
  std::set<std::string> names;
  for (const settings::VariableEntry& variable : file.variables)
    if (!variable.field.empty())
      names.insert((variable.name.empty() ? without_namespace(variable.field) : variable.name) +
                   variable.suffix);
  return names;
}

class Planner {
 public:
  Planner(const settings::Configuration& configuration, const model::Declarations& declarations,
          const model::Decomposition* decomposition)
      : given_(configuration),
        vectors_(configuration, declarations, problems_),
        configuration_(vectors_.configuration()),
        plan_(begin(decomposition, declarations)),
        computed_(plan_.analysis ? plan_.analysis->declarations : declarations),
        regridder_(configuration, computed_, problems_),
        declarations_(regridder_.declarations()),
        index_(computed_) {
    plan_.fields.resize(declarations_.fields.size());
  }

  Plan make() {
    for (const settings::FieldGroup& group : configuration_.field_groups) {
      absent_.push_back({&group, {}});
      for (const auto& [name, where] : group.fields) plan_field(group, name, where);
    }
    tell_absent(absent_, plan_);
    if (std::string hint = hint_of_slips(absent_, configuration_, declarations_); !hint.empty())
      plan_.warnings.push_back(std::move(hint));
    plan_.masks = masks_of(configuration_, declarations_, problems_, plan_.warnings);
    for (const int mask : plan_.masks)
      if (mask >= 0) plan_.fields[base::index(mask)].used = true;
    mark_kept_fields(configuration_, declarations_, plan_, problems_);
    plan_inputs(configuration_, declarations_, plan_, problems_);
    problems_.throw_if_any();
    if (plan_.analysis) plan_diagnostics(*plan_.analysis);
    check_merging(configuration_, problems_);
    for (const settings::OutputEntry& file : configuration_.files)
      if (file.copy && file.copy->halvings > 0)
        plan_coarser(file);
      else
        plan_file(file);
    problems_.throw_if_any();
    plan_.regridding = regridder_.finish();
    plan_.masks.resize(declarations_.grids.size(), -1);
    share_out_open_chunks(configuration_, declarations_, plan_.files);
    writing::tell_waste(declarations_, plan_);
    return std::move(plan_);
  }

 private:
  Plan begin(const model::Decomposition* decomposition, const model::Declarations& declarations) {
    if (!configuration_.is_consistent) settings::check_consistency(configuration_, problems_);
    problems_.throw_if_any();
    Plan plan;
    plan.warnings = configuration_.warnings;
    for (std::string& line : misspelt_names(declarations, configuration_))
      plan.warnings.push_back(std::move(line));
    for (std::string& line : unmet_dims(configuration_.field_groups, declarations))
      plan.warnings.push_back(std::move(line));
    for (std::string& line : coordinate_warnings(declarations)) plan.warnings.push_back(std::move(line));
    plan.calendar = calendar::Calendar(configuration_.time.calendar, configuration_.time.start);
    plan.analysis = analyse(configuration_, declarations, decomposition, vectors_.coordinates(), problems_);
    return plan;
  }

  void plan_field(const settings::FieldGroup& group, const std::string& name, const config::Location& where) {
    const auto index = index_.find(name);
    if (index && declarations_.fields[base::index(*index)].is_put()) {
      FieldPlan& field = plan_.fields[base::index(*index)];
      field.cadence = group.every;
      field.once = group.once;
      field.at_end = group.every.is_never() && group.also_at_end;
      field.also_at_end = !group.every.is_never() && group.also_at_end;
      field.optional = group.optional || field.at_end;
      if (group.every.is_never() && !group.also_at_end && !group.once) {
        plan_.warnings.push_back(never_sent(group, {.name = name, .location = where}));
        return;
      }
      listed_[name] = *index;
      return;
    }
    const std::string path = "fields." + group.name + ".names";
    if (index && declarations_.fields[base::index(*index)].is_input) {
      problems_.add(where, path,
                    fmt::format("\"{0}\" is an input of the model, which the model does not put; expected "
                                "\"{1}{0}\", the values that the model gets",
                                name, input::name_space));
    } else if (index) {
      problems_.add(where, path,
                    fmt::format("\"{}\" is part of a grid (a coordinate or connectivity); it is written with "
                                "the fields of that grid and cannot be written by itself",
                                name));
    } else if (group.optional) {
      absent_.back().fields.push_back({.name = name, .location = where});
    } else {
      if (!hints_) hints_.emplace(declarations_.field_names());
      problems_.add(where, path,
                    fmt::format("the model declares no field \"{}\".{}", name, hints_->about(name)));
    }
  }

  // A diagnostic is sampled when all of its fields are: at the longest of their periods, of which the others
  // must be divisors.
  void plan_diagnostics(const Analysis& analysis) {
    plan_.warnings.insert(plan_.warnings.end(), analysis.warnings.begin(), analysis.warnings.end());
    plan_.details.insert(plan_.details.end(), analysis.details.begin(), analysis.details.end());
    for (std::size_t d = 0; d < analysis.field_of_diagnostic.size(); ++d) {
      const analytics::Diagnostic& diagnostic = analysis.graph.diagnostics[d];
      FieldPlan& plan = plan_.fields[base::index(analysis.field_of_diagnostic[d])];
      std::string slowest;
      for (const int input : diagnostic.inputs) {
        const int field = analysis.field_of_input[base::index(input)];
        if (field < 0 || declarations_.fields[base::index(field)].is_static) continue;
        const time::Period& cadence = plan_.fields[base::index(field)].cadence;
        const std::string& name = declarations_.fields[base::index(field)].name;
        if (plan_.fields[base::index(field)].at_end) {
          problems_.add(diagnostic.location, "diagnostics." + diagnostic.name + ".is",
                        fmt::format("\"{}\" is sent only at the end of the run; diagnostics of such fields "
                                    "are not available yet in this version",
                                    name));
          continue;
        }
        if (plan_.fields[base::index(field)].once) continue;
        if (slowest.empty() || is_multiple(cadence, plan.cadence)) {
          plan.cadence = cadence;
          slowest = name;
        } else if (!is_multiple(plan.cadence, cadence)) {
          problems_.add(diagnostic.location, "diagnostics." + diagnostic.name + ".is",
                        fmt::format("\"{}\" is sent {} and \"{}\" {}: neither period is a multiple of the "
                                    "other, as a diagnostic of both requires",
                                    name, cadence.sentence(), slowest, plan.cadence.sentence()));
        }
      }
      if (slowest.empty())
        problems_.add(
            diagnostic.location, "diagnostics." + diagnostic.name + ".is",
            "expected an expression with at least one field, but nothing in this one changes with time");
      listed_[diagnostic.name] = analysis.field_of_diagnostic[d];
    }
  }

  void plan_file(const settings::OutputEntry& entry) {
    DatasetPlan file;
    file.entry = entry;
    file.entry.variables = {};  // the plan has its own copy, and every client holds a plan
    file.convention = configuration_.convention;
    const bool is_wrf = entry.layout == settings::Layout::wrf;
    const bool ends = is_wrf || file.convention->stamps_end();
    file.time_stamp =
        entry.time_stamp.value_or(ends ? settings::TimeStamp::end : settings::TimeStamp::middle);
    file.span = time::resolve(entry.span, plan_.calendar);
    std::map<std::string, config::Location> names;
    const std::set<std::string> single = names_of_single_fields(entry);
    for (const settings::VariableEntry& variable : entry.variables) {
      for (const std::string& name : settings::fields_of(variable, given_)) {
        const bool is_overridden =
            !variable.pattern.empty() && single.contains(without_namespace(name) + variable.suffix);
        const auto index = listed_.find(name);
        if (index != listed_.end() && !is_overridden) add_variable(file, variable, index->second, names);
      }
    }
    if (file.variables.empty()) {
      if (problems_.empty())
        plan_.warnings.push_back(
            fmt::format("{}  output.{}: none of its fields exists, so the file is not written",
                        entry.location.text(), entry.path));
      return;
    }
    if (file.axes.empty() && entry.series)
      problems_.add(
          entry.location, "output." + entry.path,
          "a series needs a field that changes with time, but all of these are put once; write them "
          "to a file without `series`");
    if (const auto danger = danger_complaint(*entry.writer(), configuration_.servers))
      problems_.add(entry.location, "output." + entry.path, *danger);
    if (std::string line = unmet_coordinates(entry, declarations_); !line.empty())
      plan_.warnings.push_back(std::move(line));
    if (entry.trajectories) set_places(file);
    file.option_tables = plan_option_tables(entry, declarations_.options, names, problems_);
    if (is_wrf)
      wrf::settle(file, declarations_, plan_.calendar, problems_);
    else
      name_axes(file.axes);
    refuse_taken_names(file, names);
    refuse_long_names(file, declarations_, names, problems_);
    check_formula_terms(file, declarations_, problems_);
    plan_.files.push_back(std::move(file));
  }

  void set_places(DatasetPlan& file) {
    const points::Trajectories& trajectories = *file.entry.trajectories;
    if (const auto found = plan_.analysis->places.find(file.entry.path);
        found != plan_.analysis->places.end())
      file.places = found->second;
    const std::size_t expected = trajectories.vertical.empty() ? 2 : 3;
    if (file.places.size() < expected && problems_.empty())
      problems_.add(trajectories.vertical_location, trajectories.config_path + ".vertical",
                    "none of the variables of this file has levels at which points could lie");
  }

  // The sampled field if the file has stations or trajectories.
  int written_to(const settings::OutputEntry& file, int field) const {
    if (file.points() != nullptr)
      for (const AtStations& one : plan_.analysis->at_stations)
        if (one.file == file.path && one.field == field) return one.at_stations;
    return field;
  }

  // The field on the target grid, with the periods of its source.
  int regridded(const settings::VariableEntry& entry, int asked, VariablePlan& variable) {
    const auto vector = vector_of(entry, asked);
    const int source = vector ? vector->field : asked;
    const std::vector<ChildSource> children = children_over(entry, asked, source);
    const auto regrid = regridder_.add(entry, asked, vector, children);
    if (!regrid) return asked;
    variable.regrid = *regrid;
    plan_.fields.resize(declarations_.fields.size());
    for (const int made : {regridder_.at(*regrid).target_field, regridder_.at(*regrid).fraction_field}) {
      if (made < 0) continue;
      FieldPlan& plan = plan_.fields[base::index(made)];
      plan = plan_.fields[base::index(source)];
      plan.kept = false;
      plan.used = true;
    }
    plan_.fields[base::index(source)].used = true;
    for (const ChildSource& child : children)
      plan_.fields[base::index(child.vector ? child.vector->field : child.field)].used = true;
    return regridder_.at(*regrid).target_field;
  }

  // The fields of children that are laid over one. Those that the model does not have, as their groups allow,
  // are left out.
  std::vector<ChildSource> children_over(const settings::VariableEntry& entry, int parent, int source) {
    std::vector<ChildSource> children;
    if (!entry.regrid) return children;
    const std::string& parent_name = declarations_.fields[base::index(parent)].name;
    for (const regrid::Merge::Name& name : children_of(*entry.regrid, parent_name)) {
      const auto found = listed_.find(name.field);
      if (found == listed_.end()) continue;
      ChildSource child{found->second, vector_of(entry, found->second), &name};
      const int of_child = child.vector ? child.vector->field : child.field;
      const auto complaint = merge_complaint(parent_name, plan_.fields[base::index(source)], name.field,
                                             plan_.fields[base::index(of_child)]);
      if (complaint)
        problems_.add(name.location, entry.regrid->config_path + ".merge", *complaint);
      else
        children.push_back(std::move(child));
    }
    return children;
  }

  // The valid share of each cell of the last variable, record by record.
  void add_fraction(DatasetPlan& file, const settings::VariableEntry& entry,
                    std::map<std::string, config::Location>& names) {
    const VariablePlan& of = file.variables.back();
    VariablePlan companion;
    companion.name = of.name + "_fraction";
    companion.field = regridder_.at(of.regrid).fraction_field;
    companion.field_name = of.field_name;
    companion.axis = of.axis;
    companion.reduction =
        time::needs_window(of.reduction) ? time::ReductionKind::mean : time::ReductionKind::snapshot;
    companion.type = companion.unpacked = model::DataType::float32;
    companion.codec = of.codec;
    companion.chunk = of.chunk;
    companion.regrid = of.regrid;
    companion.fraction_of = static_cast<int>(file.variables.size()) - 1;
    take_name(companion.name, entry, names);
    file.variables.push_back(std::move(companion));
  }

  // A coarser level of a pyramid has what the next finer one has on its target grid.
  void plan_coarser(const settings::OutputEntry& entry) {
    for (std::size_t f = 0; f < plan_.files.size(); ++f) {
      if (plan_.files[f].entry.path != entry.copy->finer) continue;
      DatasetPlan file = plan_.files[f];
      file.entry = entry;
      file.variables.clear();
      file.axes.clear();
      std::map<int, int> axes;     // those that its variables need, by those of the finer level
      std::map<int, int> numbers;  // of its variables, by those of the finer level
      for (std::size_t v = 0; v < plan_.files[f].variables.size(); ++v) {
        VariablePlan variable = plan_.files[f].variables[v];
        if (!is_at(variable, *plan_.files[f].entry.regrid)) continue;
        const int finer = variable.field;
        variable.finer = {.file = static_cast<int>(f), .variable = static_cast<int>(v)};
        variable.regrid = regridder_.coarsen(variable, entry.regrid->target);
        variable.field = regridder_.at(variable.regrid).target_field;
        variable.chunk.clear();
        if (variable.axis >= 0) {
          const auto [axis, is_new] = axes.try_emplace(variable.axis, static_cast<int>(file.axes.size()));
          if (is_new) file.axes.push_back(plan_.files[f].axes[base::index(variable.axis)]);
          file.axes.back().dim.clear();  // named below
          variable.axis = axis->second;
        }
        if (variable.fraction_of >= 0) variable.fraction_of = numbers.at(variable.fraction_of);
        plan_.fields.resize(declarations_.fields.size());
        plan_.fields[base::index(variable.field)] = plan_.fields[base::index(finer)];
        numbers[static_cast<int>(v)] = static_cast<int>(file.variables.size());
        file.variables.push_back(std::move(variable));
      }
      name_axes(file.axes);
      if (!file.variables.empty()) plan_.files.push_back(std::move(file));
      return;
    }
  }

  // Whether it lies on the target of its file, which the pyramid makes coarser.
  bool is_at(const VariablePlan& variable, const regrid::Options& options) const {
    if (variable.regrid < 0) return false;
    const int grid = declarations_.fields[base::index(variable.field)].grid;
    return regridder_.target_on(grid) == options.target;
  }

  void take_name(const std::string& name, const settings::VariableEntry& entry,
                 std::map<std::string, config::Location>& names) {
    const auto [first, fresh] = names.try_emplace(name, entry.location);
    if (!fresh)
      problems_.add(
          entry.location, entry.config_path,
          fmt::format("the file already has a variable \"{}\", from {}; give one of them another `name` or a "
                      "`suffix`, or write them to two files",
                      name, first->second.text()));
  }

  // The vector that is regridded in place of a field that is a component of it.
  std::optional<VectorSource> vector_of(const settings::VariableEntry& entry, int field) const {
    const auto component = vectors_.find(entry, declarations_.fields[base::index(field)].name);
    if (!component) return std::nullopt;
    return VectorSource{listed_.at(component->diagnostic), component->projection, component->standard_name};
  }

  void add_variable(DatasetPlan& file, const settings::VariableEntry& entry, int asked,
                    std::map<std::string, config::Location>& names) {
    VariablePlan variable;
    const int index =
        file.entry.points() == nullptr ? regridded(entry, asked, variable) : written_to(file.entry, asked);
    const bool is_regridded = variable.regrid >= 0;
    const model::Field& field = declarations_.fields[base::index(index)];
    const std::string& field_name = declarations_.fields[base::index(asked)].name;
    plan_.fields[base::index(index)].used = true;
    check_variable(entry, is_regridded ? declarations_.fields[base::index(asked)] : field,
                   declarations_.grids[base::index(field.grid)], plan_.fields[base::index(index)]);
    const mip_tables::Written written{.request = entry.cmip.get(),
                                      .config_path = entry.config_path,
                                      .coordinates = entry.coordinates,
                                      .field = field,
                                      .grid = declarations_.grids[base::index(field.grid)],
                                      .once = plan_.fields[base::index(index)].once,
                                      .is_split = !entry.split.empty()};
    mip_tables::check_table(written, problems_, plan_.warnings);
    variable.name = (entry.name.empty() ? without_namespace(field_name) : entry.name) + entry.suffix;
    variable.field = index;
    variable.field_name = field_name;
    variable.at_stations = index != asked && !is_regridded;
    variable.axis = axis_of(file, entry, plan_.fields[base::index(index)]);
    variable.reduction = entry.reduction;
    variable.propagates_missing = entry.propagates_missing;
    const bool is_of_vector = is_regridded && regridder_.at(variable.regrid).projection != Projection::none;
    set_type(entry, is_regridded && !is_of_vector ? field : typed_as(file.entry, asked, index), variable);
    if (is_regridded)
      variable.regridded_type = regridder_.at(variable.regrid).stage == Stage::per_record
                                    ? default_type(field, entry.reduction)
                                    : field.type;
    variable.codec = entry.codec.value_or(file.entry.codec);
    set_bound(file, entry, variable);
    variable.chunk = entry.chunk;
    variable.attributes = entry.attributes;
    variable.coordinates = mip_tables::scalar_coordinates(written);
    variable.fill_value = entry.fill_value;
    if (const auto complaint = attributes_complaint(variable.attributes, field,
                                                    variable.packing ? variable.unpacked : variable.type))
      problems_.add(entry.location, entry.config_path + ".attributes",
                    fmt::format("{}: {}", variable.name, *complaint));
    if (const auto complaint = coordinates_complaint(entry.coordinates, field, declarations_))
      problems_.add(entry.location, entry.config_path + ".coordinates", *complaint);
    if (!entry.split.empty()) split(entry, declarations_.grids[base::index(field.grid)], variable);
    for (const std::string& name : variable.split < 0 ? std::vector{variable.name} : variable.parts)
      take_name(name, entry, names);
    file.variables.push_back(std::move(variable));
    if (is_regridded && entry.regrid->with_fraction) add_fraction(file, entry, names);
  }

  // Warns where the bound has no effect.
  void set_bound(const DatasetPlan& file, const settings::VariableEntry& entry, VariablePlan& variable) {
    if (!variable.codec.keep) return;
    const bool is_own = entry.codec.has_value();
    const config::Location& place = is_own ? entry.location : file.entry.location;
    const auto warn = [&](const std::string& why) {
      plan_.warnings.push_back(fmt::format("{}  {}.compression.keep: \"{}\" is stored as {}{}", place.text(),
                                           is_own ? entry.config_path : "output." + file.entry.path,
                                           variable.name, model::name_of(variable.type), why));
    };
    if (!codecs::lossy::can_round(variable.type)) {
      if (is_own) warn(", and so without an error: `keep` is for float32 and float64");
      variable.codec.keep.reset();
      return;
    }
    const int most = variable.type == model::DataType::float32 ? 23 : 52;
    if (variable.codec.keep->bits.value_or(0) > most)
      warn(fmt::format(
          ", whose mantissa has {} bits, and so without an error: expected at most {} `bits`, but got "
          "{}",
          most, most, *variable.codec.keep->bits));
  }

  // `grid`: that of the file, which is a target where the field is regridded.
  void check_variable(const settings::VariableEntry& entry, const model::Field& field,
                      const model::Grid& grid, const FieldPlan& plan) {
    const time::Period& cadence = plan.cadence;
    if (grid.kind == model::GridKind::partial)
      problems_.add(
          entry.target_location, entry.config_path,
          fmt::format("field \"{0}\" lies on the partial grid \"{1}\": each rank holds a contribution, not a "
                      "part; write a diagnostic such as \"sum({0}, rank)\"",
                      field.name, grid.name));
    if (entry.reduction == time::ReductionKind::valid_fraction && !field.fill_value)
      problems_.add(
          entry.location, entry.config_path + ".operation",
          fmt::format("\"{}\" has no missing values: the model declares no fill_value for it", field.name));
    if ((plan.at_end || plan.once) && entry.reduction != time::ReductionKind::snapshot)
      problems_.add(entry.location, entry.config_path + ".operation",
                    fmt::format("\"{}\" is sent only {}, so only a snapshot can be taken", field.name,
                                plan.once ? "once" : "at the end of the run"));
    if (plan.once && !entry.split.empty() && grid.dims.size() == 1)
      problems_.add(
          entry.location, entry.config_path + ".split",
          fmt::format(
              "\"{}\" is sent only once and has only one dimension, so it cannot be split; expected two "
              "dimensions or more, or no `split`",
              field.name));
    if (!plan.at_end && !plan.once && entry.every.is_never())
      problems_.add(
          entry.every_location, entry.config_path + ".every",
          fmt::format("expected a period: the model sends \"{}\" {}", field.name, cadence.sentence()));
    if (!plan.once) check_period(entry, field, plan);
    if (const auto rounding = type_warning(entry, field))
      plan_.warnings.push_back(
          fmt::format("{}  {}.type: {}", entry.location.text(), entry.config_path, *rounding));
    if (entry.chunk.empty()) return;
    if (const auto chunk = chunk_complaint(entry.chunk, grid))
      problems_.add(entry.chunk_location, entry.config_path + ".chunk", field.name + ": " + *chunk);
  }

  void check_period(const settings::VariableEntry& entry, const model::Field& field, const FieldPlan& plan) {
    if (plan.at_end || entry.every.is_never()) return;
    const time::Period& cadence = plan.cadence;
    const auto period = period_complaint(field.name, entry.reduction, entry.every, cadence);
    if (period) problems_.add(entry.every_location, entry.config_path + ".every", *period);
    const auto warning = period_warning(field.name, entry.reduction, entry.every, cadence);
    if (warning && !period)
      plan_.warnings.push_back(
          fmt::format("{}  {}.every: {}", entry.every_location.text(), entry.config_path, *warning));
  }

  void split(const settings::VariableEntry& entry, const model::Grid& grid, VariablePlan& variable) {
    const auto dim = std::find(grid.dims.begin(), grid.dims.end(), entry.split);
    if (dim == grid.dims.end()) {
      problems_.add(entry.location, entry.config_path + ".split",
                    fmt::format("field \"{}\" has no dimension \"{}\".{}", variable.field_name, entry.split,
                                base::name_hint(entry.split, grid.dims)));
      return;
    }
    variable.split = static_cast<int>(dim - grid.dims.begin());
    variable.parts = names_of_parts(variable.name, grid, variable.split);
  }

  AxisPlan axis_for(const settings::VariableEntry& entry, const FieldPlan& field) const {
    if (field.at_end) return {time::AxisKind::at_end, time::Period::never(), {}, "", entry.axis};
    const time::Convention* convention = configuration_.convention;
    AxisPlan axis{time::AxisKind::instant, entry.every, field.cadence, "", entry.axis, convention};
    if (time::needs_window(entry.reduction))
      axis.kind = entry.whole_samples || convention->only_whole_samples() ? time::AxisKind::whole_samples
                                                                          : time::AxisKind::window;
    axis.cycle = entry.cycle;
    axis.also_at_end =
        field.also_at_end && axis.kind == time::AxisKind::instant && entry.every == field.cadence;
    return axis;
  }

  int axis_of(DatasetPlan& file, const settings::VariableEntry& entry, const FieldPlan& field) const {
    if (field.once) return -1;
    AxisPlan wanted = axis_for(entry, field);
    wanted.span = file.span;
    for (std::size_t i = 0; i < file.axes.size(); ++i)
      if (file.axes[i].has_records_of(wanted) && file.axes[i].wish == wanted.wish) return static_cast<int>(i);
    file.axes.push_back(std::move(wanted));
    return static_cast<int>(file.axes.size()) - 1;
  }

  // Interpolated values are not whole numbers.
  const model::Field& typed_as(const settings::OutputEntry& file, int asked, int written) const {
    const model::Field& field = declarations_.fields[base::index(asked)];
    const points::PointSet* points = file.points();
    const bool between = points != nullptr && points->method == points::Sampling::bilinear;
    return between && model::is_integer(field.type) ? declarations_.fields[base::index(written)] : field;
  }

  void set_type(const settings::VariableEntry& entry, const model::Field& field, VariablePlan& variable) {
    const model::DataType own = default_type(field, entry.reduction);
    variable.type = entry.type.value_or(own);
    variable.unpacked = own == model::DataType::float32 ? own : model::DataType::float64;
    if (!entry.pack) return;
    try {
      variable.packing = output::packing_of(*entry.pack, variable.type, variable.unpacked);
    } catch (const Error& error) {
      problems_.add(entry.pack->location, entry.pack->config_path, error.what());
    }
  }

  // Time axes, dimensions and coordinates are added to the file automatically.
  void refuse_taken_names(const DatasetPlan& file, const std::map<std::string, config::Location>& names) {
    std::set<std::string> taken;
    const bool is_wrf = file.entry.layout == settings::Layout::wrf;
    if (is_wrf) taken = {wrf::dates, wrf::characters};
    for (const AxisPlan& axis : file.axes) taken.insert({axis.dim, axis.dim + "_bnds"});
    for (const VariablePlan& variable : file.variables) {
      const model::Grid& grid =
          declarations_.grids[base::index(declarations_.fields[base::index(variable.field)].grid)];
      taken.insert(grid.dims.begin(), grid.dims.end());
      if (is_wrf) continue;  // it has no coordinates of grids
      for (const model::Coordinate& coordinate : grid.coordinates) taken.insert(coordinate.name);
      if (grid.mesh) taken.insert(grid.mesh->name);
    }
    for (const auto& [name, where] : names)
      if (taken.contains(name))
        problems_.add(
            where, "output." + file.entry.path,
            fmt::format("\"{}\" is the name of a coordinate or dimension in this file; give the variable "
                        "another `name` or a `suffix`",
                        name));
  }

  const settings::Configuration& given_;
  config::Problems problems_;
  Vectors vectors_;
  const settings::Configuration& configuration_;  // with diagnostics for vectors
  Plan plan_;
  const model::Declarations& computed_;  // with those of diagnostics
  Regridder regridder_;
  const model::Declarations& declarations_;  // with those of targets too, which are added with each file
  model::FieldIndex index_;
  std::optional<settings::FieldHints> hints_;    // from the first field that is missing
  std::vector<Absent> absent_;                   // by group
  std::unordered_map<std::string, int> listed_;  // fields that the model is asked for and has
};

}  // namespace

Plan make_plan(const settings::Configuration& configuration, const model::Declarations& declarations,
               const model::Decomposition* decomposition) {
  return Planner(configuration, declarations, decomposition).make();
}

}  // namespace tailrace::plan
