#include "plan/memory/needs.hpp"

#include <algorithm>
#include <set>

#include "plan/analysis.hpp"

namespace tailrace::plan::memory {
namespace {

// Below it, what a server has besides counts for more.
constexpr std::size_t least_memory = std::size_t{64} << 20;
// Records that are smaller are never held for long: few of them fill a chunk.
constexpr std::size_t large_record = std::size_t{64} << 10;
constexpr std::size_t open_share = 4;  // of a server's memory, for chunks that lack records
constexpr std::size_t copies = 2;      // a commit writes such a chunk from a copy

std::size_t cells_of(const VariablePlan& variable, const model::Declarations& declarations) {
  const int grid = declarations.fields[static_cast<std::size_t>(variable.field)].grid;
  return grid < 0 ? 1 : static_cast<std::size_t>(declarations.grids[static_cast<std::size_t>(grid)].size());
}

std::size_t record_bytes(const VariablePlan& variable, const model::Declarations& declarations) {
  return cells_of(variable, declarations) * model::size_of(variable.type);
}

std::size_t kept_bytes(const VariablePlan& variable, const model::Declarations& declarations) {
  const model::DataType input = declarations.fields[static_cast<std::size_t>(variable.field)].type;
  if (!time::needs_window(variable.reduction)) return 0;
  std::size_t bytes = 0;
  for (const time::KeptArray& kept :
       time::make_accumulator(variable.reduction, input, variable.type, 0)->kept_arrays())
    bytes += model::size_of(kept.type);
  return bytes * cells_of(variable, declarations);
}

// The model's: a diagnostic is made from some of them.
std::set<int> fields_that_are_put(const Plan& plan) {
  std::set<int> fields;
  for (const FilePlan& file : plan.files)
    for (const VariablePlan& variable : file.variables) fields.insert(variable.field);
  if (!plan.analysis) return fields;
  const Analysis& analysis = *plan.analysis;
  for (std::size_t d = 0; d < analysis.field_of_diagnostic.size(); ++d) {
    if (fields.erase(analysis.field_of_diagnostic[d]) == 0) continue;
    for (const int input : analysis.graph.diagnostics[d].inputs)
      if (const int field = analysis.field_of_input[static_cast<std::size_t>(input)];
          field >= 0 && !analysis.declarations.fields[static_cast<std::size_t>(field)].is_static)
        fields.insert(field);
  }
  return fields;
}

bool gathers_records(const FilePlan& file) {
  return file.entry.access == settings::Access::series && !file.entry.series;
}

}  // namespace

void share_out_open_chunks(const settings::Configuration& configuration,
                           const model::Declarations& declarations, std::vector<FilePlan>& files) {
  std::size_t room = std::max(least_memory, configuration.servers.memory) / open_share / copies;
  std::size_t count = 0;
  for (const FilePlan& file : files)
    for (const VariablePlan& variable : file.variables) {
      const std::size_t bytes = record_bytes(variable, declarations);
      if (bytes < large_record || variable.axis < 0) continue;
      if (variable.chunk.empty())
        count += gathers_records(file) ? 1 : 0;
      else if (variable.chunk.front() > 1)  // as the user says
        room -= std::min(room, bytes * static_cast<std::size_t>(variable.chunk.front()));
    }
  for (FilePlan& file : files) file.open_bytes = room / std::max<std::size_t>(1, count);
}

Needs needs_of(const Plan& plan, const model::Declarations& declarations) {
  Needs needs;
  for (const int field : fields_that_are_put(plan)) {
    const model::Field& put = declarations.fields[static_cast<std::size_t>(field)];
    if (put.grid >= 0)
      needs.step += model::size_of(put.type) *
                    static_cast<std::size_t>(declarations.grids[static_cast<std::size_t>(put.grid)].size());
  }
  for (const FilePlan& file : plan.files) {
    std::size_t at_once = 0;
    for (const VariablePlan& variable : file.variables) {
      const std::size_t bytes = record_bytes(variable, declarations);
      at_once += bytes;
      const auto turns =
          variable.axis < 0 ? 1 : file.axes[static_cast<std::size_t>(variable.axis)].rule().turns();
      needs.windows += static_cast<std::size_t>(turns) * kept_bytes(variable, declarations);
      if (bytes < large_record || variable.axis < 0) continue;
      if (!variable.chunk.empty() && variable.chunk.front() > 1)
        needs.open += copies * bytes * static_cast<std::size_t>(variable.chunk.front());
      else if (variable.chunk.empty() && gathers_records(file))
        needs.open += copies * std::max(bytes, file.open_bytes);
    }
    if (at_once <= needs.at_once) continue;
    needs.at_once = at_once;
    needs.largest_file = file.entry.path;
  }
  return needs;
}

}  // namespace tailrace::plan::memory
