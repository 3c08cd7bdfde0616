#include "input/preview/preview.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/index.hpp"
#include "env/file_system.hpp"
#include "input/file_names.hpp"
#include "input/levels_dim.hpp"
#include "input/preview/field_preview.hpp"
#include "input/record_values.hpp"

namespace tailrace::input {
namespace {

bool is_stream(const Entry& entry) {
  const auto* adios2 = std::get_if<Adios2Source>(&entry.source);
  return adios2 != nullptr && adios2->is_stream;
}

// Why files are not there that the job may wait for; empty: they are, or it may not.
std::string awaited(const Entry& entry, const PreviewContext& context) {
  if (entry.wait_for <= 0.0 || is_stream(entry)) return "";
  try {
    find_files(entry.files, context.directory, env::system_files());
    return "";
  } catch (const Error& error) {
    return fmt::format("{}: {}", entry.files_location_text, error.what());
  }
}

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
  refuse_with(faults);
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
    return survey(entry, context);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::configuration) throw;
    refuse_with({fmt::format("{}  input.{}.files: {}", entry.files_location_text, entry.name, error.what())});
  }
}

EntryPreview preview_of(const Entry& entry, const std::vector<int>& fields,
                        const model::Declarations& declarations, const PreviewContext& context) {
  EntryPreview preview{.entry = &entry, .awaited = awaited(entry, context)};
  if (is_stream(entry) || !preview.awaited.empty()) return preview;
  const ReaderContext reading{
      .declarations = declarations,
      .calendar = context.calendar,
      .folder = context.folder,
      .directory = context.directory,
      .chunks = {},
      .weights = std::make_shared<WeightsStore>(
          regrid::WeightsCache{.directory = context.weights, .interpreter = ""}, false)};
  std::vector<PreparedField> prepared;
  try {
    prepared = make_reader(entry, fields, reading)->prepare();
  } catch (const Error& error) {
    refuse_each(entry, fields, reading, error.what());
  }
  for (const PreparedField& each : prepared) {
    FieldPreview field{.name = each.request.name, .variable = each.request.variable};
    field.regridded = each.regridded;
    field.record_bytes = record_bytes(each, declarations);
    field.is_read_once = each.stays;
    add_records(each.timeline, entry, each.request, context, field);
    preview.fields.push_back(std::move(field));
    preview.files = each.files;
  }
  return preview;
}

}  // namespace tailrace::input
