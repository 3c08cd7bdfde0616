#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "env/file_system.hpp"
#include "input/entry/file_coordinates.hpp"
#include "input/file_names.hpp"
#include "input/preview/field_preview.hpp"
#include "input/regridding/source_grid.hpp"
#include "regrid/method.hpp"

namespace tailrace::input {
namespace {

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
    if (file == 0 && request_.regrid) describe_cells(coordinates, variable);
  }

  FieldPreview finish() {
    timeline_.finish();
    if (timeline_.records().empty()) throw Error(ErrorCode::resource, "there is no record");
    field_.is_read_once = request_.time.rule == TimeRule::none;
    add_records(timeline_, entry_, request_, context_, field_);
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

  // The cells of the model are not known.
  void describe_cells(FileCoordinates& coordinates, const VariableHeader& variable) {
    const SourceGrid source = source_grid_of(coordinates, variable);
    const regrid::Method method = request_.regrid->rule.method;
    regrid::check_bounds(source.cells, method, "the grid of the file");
    field_.regridded = fmt::format(
        "regridded from {} of the files to the cells of the model, {}", regrid::text_of(source.cells),
        method == regrid::Method::file ? fmt::format("weights of {}", request_.regrid->weights)
                                       : regrid::name_of(method));
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
    if (!faults_.empty()) refuse_with(faults_);
    return preview;
  }

 private:
  void look_at(std::size_t file) {
    const std::string& path = files_->paths()[file];
    std::optional<FileCoordinates> coordinates;
    try {
      coordinates.emplace(*files_, file);
    } catch (const Error& error) {
      return faults_.push_back(fmt::format("{}  input.{}.files: {}: {}", entry_.files_location_text,
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
      faults_.push_back(fmt::format("{}  input.{}.fields.{}: {}: {}", survey.request().location.text(),
                                    entry_.name, survey.request().name, what, error.what()));
    }
  }

  const Entry& entry_;
  std::vector<Survey> surveys_;
  std::unique_ptr<SourceFiles> files_;
  std::vector<std::string> faults_;
};

}  // namespace

EntryPreview survey(const Entry& entry, const PreviewContext& context) {
  return EntrySurvey(entry, context).run();
}

}  // namespace tailrace::input
