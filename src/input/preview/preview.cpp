#include "input/preview/preview.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/index.hpp"
#include "env/file_system.hpp"
#include "input/entry/axis_dim.hpp"
#include "input/entry/file_coordinates.hpp"
#include "input/file_names.hpp"
#include "input/levels_dim.hpp"
#include "input/record_values.hpp"
#include "input/time_rule.hpp"

namespace tailrace::input {
namespace {

bool is_stream(const Entry& entry) {
  const auto* adios2 = std::get_if<Adios2Source>(&entry.source);
  return adios2 != nullptr && adios2->is_stream;
}

[[noreturn]] void refuse(const std::vector<std::string>& lines) {
  throw Error(ErrorCode::configuration, fmt::format("{}", fmt::join(lines, "\n")));
}

// Why files are not there that the job may wait for; empty: they are, or it may not.
std::string awaited(const Entry& entry, const PreviewContext& context) {
  if (entry.wait_for <= 0.0) return "";
  try {
    find_files(entry.files, context.directory, env::system_files());
    return "";
  } catch (const Error& error) {
    return fmt::format("{}: {}", entry.files_location_text, error.what());
  }
}

// Those at the time of the model, and those ahead of it.
double held_records(const Entry& entry, const FieldRequest& request, const FieldPreview& field) {
  const auto all = static_cast<double>(field.coverage.records);
  if (field.is_read_once) return all;
  const double step = field.coverage.step;
  double ahead = static_cast<double>(entry.lead_records.value_or(2));
  if (entry.lead_seconds) ahead = step > 0.0 ? std::ceil(*entry.lead_seconds / step) : 0.0;
  return request.time.cycle.kind == CycleKind::none ? std::min(ahead + 2.0, all) : ahead + 2.0;
}

// A run whose first step lies later may work, so that this is no error.
void warn_of_start(const TimeSelector& selector, const FieldRequest& request, FieldPreview& field) {
  try {
    selector.at(0.0);
  } catch (const Error& error) {
    field.warnings.push_back(
        fmt::format("{}: at the start of the run {}", request.location.text(), error.what()));
  }
}

void add_times(const Timeline& timeline, const FieldRequest& request, const calendar::Calendar& calendar,
               FieldPreview& field) {
  field.coverage = coverage_of(timeline);
  if (timeline.left_out() > 0)
    field.warnings.push_back(fmt::format("{} records are left out, as the model's calendar lacks their days",
                                         timeline.left_out()));
  warn_of_start(TimeSelector(timeline, request.time, calendar), request, field);
}

// One field of an entry without a model: its variable in all files, and their times.
class Survey {
 public:
  Survey(const Entry& entry, const FieldRequest& request, const PreviewContext& context)
      : entry_(entry), request_(request), context_(context), timeline_(context.calendar) {
    field_.name = request.name;
  }

  void add(std::size_t file, FileCoordinates& coordinates) {
    const VariableHeader& variable = coordinates.variable(request_.variable);
    const std::vector<AxisDim> dims = coordinates.dims_of(variable);
    const auto time = std::ranges::find(dims, DimKind::time, &AxisDim::kind);
    const int dim = time == dims.end() ? Match::none : static_cast<int>(time - dims.begin());
    std::optional<TimeAxis> axis;
    const bool is_single = dim == Match::none || time->length == 1;
    if (request_.time.rule == TimeRule::none && is_single)
      axis = TimeAxis{.values = {0.0}, .bounds = {}, .units = "s", .calendar = ""};
    else
      axis = coordinates.time_axis(variable, dim);
    if (!axis)
      throw Error(ErrorCode::configuration,
                  fmt::format("it has no dim of time among {}; expected `time: none`",
                              fmt::join(variable.dims, ", ")));
    timeline_.add(static_cast<std::int32_t>(file), *axis, request_.time_offset);
    if (file == 0) describe(variable, dims);
  }

  FieldPreview finish() {
    timeline_.finish();
    if (timeline_.records().empty()) throw Error(ErrorCode::resource, "there is no record");
    add_times(timeline_, request_, context_.calendar, field_);
    field_.is_read_once = request_.time.rule == TimeRule::none;
    field_.held_records = held_records(entry_, request_, field_);
    return field_;
  }

  const FieldRequest& request() const { return request_; }
  bool has_failed = false;

 private:
  void describe(const VariableHeader& variable, const std::vector<AxisDim>& dims) {
    for (const auto& [name, index] : request_.select)
      if (const auto dim = std::ranges::find(dims, name, &AxisDim::name); dim == dims.end())
        throw Error(ErrorCode::configuration, fmt::format("`select` names the dim {}, and it has {}", name,
                                                          fmt::join(variable.dims, ", ")));
      else if (index >= dim->length)
        throw Error(ErrorCode::configuration,
                    fmt::format("`select` names index {} along {}, which has {} (counted from 0)", index,
                                name, dim->length));
    field_.variable =
        fmt::format("{}({}) of {}", variable.name, fmt::join(variable.dims, ", "), variable.type_name);
    field_.record_bytes = static_cast<double>(model::size_of(variable.type));
    for (const AxisDim& dim : dims)
      if (dim.kind != DimKind::time && !request_.select.contains(dim.name))
        field_.record_bytes *= static_cast<double>(dim.length);
  }

  const Entry& entry_;
  const FieldRequest& request_;
  const PreviewContext& context_;
  Timeline timeline_;
  FieldPreview field_;
};

class EntrySurvey {
 public:
  EntrySurvey(const Entry& entry, const PreviewContext& context) : entry_(entry) {
    for (const FieldRequest& request : entry.fields) surveys_.emplace_back(entry, request, context);
    std::vector<std::string> paths{""};  // a Python function without files
    if (!entry.files.empty()) paths = find_files(entry.files, context.directory, env::system_files());
    files_ = std::make_unique<SourceFiles>(std::move(paths), command_of(entry.source, context.folder));
  }

  EntryPreview run() {
    EntryPreview preview{.entry = &entry_, .files = files_->paths()};
    for (std::size_t file = 0; file < preview.files.size(); ++file) look_at(file);
    for (Survey& survey : surveys_)
      attempt(survey, fmt::format("variable {}", survey.request().variable),
              [&] { preview.fields.push_back(survey.finish()); });
    if (!faults_.empty()) refuse(faults_);
    return preview;
  }

 private:
  void look_at(std::size_t file) {
    const std::string& path = files_->paths()[file];
    std::optional<FileCoordinates> coordinates;
    try {
      coordinates.emplace(*files_, file);
    } catch (const Error& error) {
      return faults_.push_back(fmt::format("{}: input.{}.files: {}: {}", entry_.files_location_text,
                                           entry_.name, path, error.what()));
    }
    for (Survey& survey : surveys_)
      attempt(survey, fmt::format("{}: variable {}", path, survey.request().variable),
              [&] { survey.add(file, *coordinates); });
  }

  // Each field is reported once.
  void attempt(Survey& survey, const std::string& what, const std::function<void()>& act) {
    if (survey.has_failed) return;
    try {
      act();
    } catch (const Error& error) {
      survey.has_failed = true;
      faults_.push_back(fmt::format("{}: input.{}.fields.{}: {}: {}", survey.request().location.text(),
                                    entry_.name, survey.request().name, what, error.what()));
    }
  }

  const Entry& entry_;
  std::vector<Survey> surveys_;
  std::unique_ptr<SourceFiles> files_;
  std::vector<std::string> faults_;
};

// Each field alone, since the reader of all ends at the first fault.
[[noreturn]] void refuse_each(const Entry& entry, const std::vector<int>& fields,
                              const ReaderContext& context, const std::string& first) {
  std::vector<std::string> faults;
  for (const int field : fields) try {
      make_reader(entry, {field}, context)->prepare();
    } catch (const Error& error) {
      if (std::ranges::find(faults, error.what()) == faults.end()) faults.emplace_back(error.what());
    }
  if (faults.empty()) faults.push_back(first);
  refuse(faults);
}

double record_bytes(const PreparedField& field, const model::Declarations& declarations) {
  const model::Grid& grid =
      declarations.grids[base::index(declarations.fields[base::index(field.field)].grid)];
  double cells = 1.0;
  for (const std::int64_t length : grid.shape) cells *= static_cast<double>(length);
  const auto size = static_cast<double>(model::size_of(field.travels_as));
  if (!field.vertical) return cells * size;
  const std::size_t dim = base::index(levels_dim(grid, field.request.vertical->to));
  cells *= static_cast<double>(field.vertical->count) / static_cast<double>(grid.shape[dim]);
  return cells * (size + (field.vertical->come_with_records ? sizeof(double) : 0.0));
}

}  // namespace

EntryPreview preview_of(const Entry& entry, const PreviewContext& context) {
  EntryPreview unopened{.entry = &entry, .awaited = awaited(entry, context)};
  if (is_stream(entry) || !unopened.awaited.empty()) return unopened;
  try {
    return EntrySurvey(entry, context).run();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::configuration) throw;
    refuse({fmt::format("{}: input.{}.files: {}", entry.files_location_text, entry.name, error.what())});
  }
}

EntryPreview preview_of(const Entry& entry, const std::vector<int>& fields,
                        const model::Declarations& declarations, const PreviewContext& context) {
  EntryPreview preview{.entry = &entry, .awaited = awaited(entry, context)};
  if (is_stream(entry) || !preview.awaited.empty()) return preview;
  const ReaderContext reading{.declarations = declarations,
                              .calendar = context.calendar,
                              .folder = context.folder,
                              .directory = context.directory};
  std::vector<PreparedField> prepared;
  try {
    prepared = make_reader(entry, fields, reading)->prepare();
  } catch (const Error& error) {
    refuse_each(entry, fields, reading, error.what());
  }
  for (const PreparedField& each : prepared) {
    FieldPreview field{.name = each.request.name, .variable = each.request.variable};
    add_times(each.timeline, each.request, context.calendar, field);
    field.record_bytes = record_bytes(each, declarations);
    field.is_read_once = each.stays;
    field.held_records = held_records(entry, each.request, field);
    preview.fields.push_back(std::move(field));
    preview.files = each.files;
  }
  return preview;
}

}  // namespace tailrace::input
