#include "input/preview/field_preview.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "env/file_system.hpp"
#include "input/file_names.hpp"
#include "input/folders.hpp"
#include "input/time_rule.hpp"

namespace tailrace::input {
namespace {

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

// The template of an entry that has only this one, without marks of patterns; empty: there is none.
std::string template_of(const Entry& entry) {
  const bool is_one = entry.files.size() == 1 && has_dates(entry.files.front()) &&
                      entry.files.front().find_first_of("*?") == std::string::npos;
  return is_one ? entry.files.front() : "";
}

// Names the files that would have the records of a gap.
void name_absent_files(const Entry& entry, const PreviewContext& context, Coverage& coverage) {
  const std::string name = template_of(entry);
  if (name.empty()) return;
  for (Gap& gap : coverage.gaps)
    for (double time = gap.begin + coverage.step; time < gap.end - coverage.step / 2; time += coverage.step)
      for (std::string& file : names_of_dates(name, {time, time}, context.calendar)) {
        const std::string path = file.starts_with('/') ? file : joined(context.directory, file);
        if (std::ranges::count(gap.files, file) == 0 && !env::system_files().exists(path))
          gap.files.push_back(std::move(file));
      }
}

}  // namespace

void add_records(const Timeline& timeline, const Entry& entry, const FieldRequest& request,
                 const PreviewContext& context, FieldPreview& field) {
  field.coverage = coverage_of(timeline);
  name_absent_files(entry, context, field.coverage);
  if (timeline.left_out() > 0)
    field.warnings.push_back(fmt::format("{} records are left out, as the model's calendar lacks their days",
                                         timeline.left_out()));
  warn_of_start(TimeSelector(timeline, request.time, context.calendar), request, field);
  field.held_records = held_records(entry, request, field);
}

void refuse_with(const std::vector<std::string>& lines) {
  throw Error(ErrorCode::configuration, fmt::format("{}", fmt::join(lines, "\n")));
}

}  // namespace tailrace::input
