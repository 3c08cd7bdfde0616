#include "plan/memory_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "base/index.hpp"
#include "base/text_tree.hpp"
#include "env/executor.hpp"
#include "plan/analysis.hpp"
#include "regrid/method.hpp"
#include "regrid/target_grid.hpp"

namespace tailrace::plan {
namespace {

// Below it, other memory of a server is more important.
constexpr std::size_t least_memory = std::size_t{64} << 20;
// Smaller records do not wait for long.
constexpr std::size_t large_record = std::size_t{64} << 10;
constexpr std::size_t open_share = 4;  // part of a server's memory for incomplete chunks
constexpr std::size_t copies = 2;      // a commit writes such a chunk from a copy
// The part of a server's memory that is reserved for data on their way.
constexpr std::size_t moving_share = 8;

std::size_t cells_of(const VariablePlan& variable, const model::Declarations& declarations) {
  const int grid = declarations.fields[base::index(variable.field)].grid;
  return grid < 0 ? 1 : static_cast<std::size_t>(declarations.grids[base::index(grid)].size());
}

std::size_t record_bytes(const VariablePlan& variable, const model::Declarations& declarations) {
  return cells_of(variable, declarations) * model::size_of(variable.type);
}

// A cell. `field`: whose values are accumulated.
std::size_t kept_bytes(const VariablePlan& variable, const model::Field& field) {
  if (!time::needs_window(variable.reduction)) return 0;
  std::optional<time::Missing> missing;  // each cell then has a weight of its own
  if (field.fill_value) missing = {.fill = *field.fill_value, .propagates = variable.propagates_missing};
  std::size_t bytes = 0;
  for (const time::KeptArray& kept :
       time::make_accumulator(variable.reduction, field.type, variable.type, 0, missing)->kept_arrays())
    bytes += model::size_of(kept.type);
  return bytes;
}

// The fields of the model that diagnostics need, and the fields that diagnostics are.
struct OfDiagnostics {
  std::set<int> inputs, results;
};

OfDiagnostics of_diagnostics(const Plan& plan) {
  OfDiagnostics found;
  if (!plan.analysis) return found;
  const Analysis& analysis = *plan.analysis;
  std::set<int> written;
  for (const DatasetPlan& file : plan.files)
    for (const VariablePlan& variable : file.variables)
      for (const int source : sources_of(plan, variable.field)) written.insert(source);
  for (std::size_t d = 0; d < analysis.field_of_diagnostic.size(); ++d) {
    if (!written.contains(analysis.field_of_diagnostic[d])) continue;
    found.results.insert(analysis.field_of_diagnostic[d]);
    for (const int input : analysis.graph.diagnostics[d].inputs)
      if (const int field = analysis.field_of_input[base::index(input)]; field >= 0)
        found.inputs.insert(field);
  }
  return found;
}

// The fields of the model that are needed, including those of diagnostics.
std::set<int> fields_that_are_put(const Plan& plan, const model::Declarations& declarations) {
  std::set<int> fields;
  for (const DatasetPlan& file : plan.files)
    for (const VariablePlan& variable : file.variables)
      for (const int source : sources_of(plan, variable.field)) fields.insert(source);
  const OfDiagnostics diagnostics = of_diagnostics(plan);
  for (const int result : diagnostics.results) fields.erase(result);
  for (const int input : diagnostics.inputs)
    if (!declarations.fields[base::index(input)].is_static) fields.insert(input);
  return fields;
}

bool gathers_records(const DatasetPlan& file) {
  return file.entry.access == settings::Access::series && !file.entry.series;
}

}  // namespace

void share_out_open_chunks(const settings::Configuration& configuration,
                           const model::Declarations& declarations, std::vector<DatasetPlan>& files) {
  std::size_t room = std::max(least_memory, configuration.servers.memory) / open_share / copies;
  std::size_t count = 0;
  for (const DatasetPlan& file : files)
    for (const VariablePlan& variable : file.variables) {
      const std::size_t bytes = record_bytes(variable, declarations);
      if (bytes < large_record || variable.axis < 0) continue;
      if (variable.chunk.empty())
        count += gathers_records(file) ? 1 : 0;
      else if (variable.chunk.front() > 1)  // as the user says
        room -= std::min(room, bytes * static_cast<std::size_t>(variable.chunk.front()));
    }
  for (DatasetPlan& file : files) file.open_bytes = room / std::max<std::size_t>(1, count);
}

void MemoryNeed::add(std::size_t more, const std::string& variable) {
  bytes += more;
  if (more <= most) return;
  most = more;
  of = variable;
}

std::size_t MemoryNeeds::total() const {
  std::size_t sum = 0;
  for (const MemoryNeed* need : all()) sum += need->bytes;
  return sum;
}

namespace {

std::string name_of(const DatasetPlan& file, const VariablePlan& variable) {
  return fmt::format("\"{}\" of {}", variable.name, file.entry.path);
}

// One file; the server writes it or not.
struct Home {
  const DatasetPlan& file;
  bool is_here;
};

void add_variable(MemoryNeeds& needs, const ServerShare& share, const Plan& plan,
                  const model::Declarations& declarations, const Home& home, const VariablePlan& variable) {
  const DatasetPlan& file = home.file;
  const std::string name = name_of(file, variable);
  const int accumulated = accumulated_field(plan, variable);
  const std::size_t bytes = record_bytes(variable, declarations);
  const auto servers = static_cast<std::size_t>(share.servers);
  const auto turns =
      static_cast<std::size_t>(variable.axis < 0 ? 1 : file.axes[base::index(variable.axis)].rule().turns());
  if (accumulated >= 0) {
    const model::Field& field = declarations.fields[base::index(accumulated)];
    if (field.grid >= 0)
      needs.windows.add(turns * kept_bytes(variable, field) * share.cells(field.grid), name);
  }
  // Windows of cycles all close at the end of the run.
  if (home.is_here)
    needs.at_once.add(turns * bytes, name);
  else if (variable.codec.codec != "none" && bytes >= large_record)  // put together on all servers
    needs.at_once.add(turns * bytes / servers, name);
  if (bytes < large_record || variable.axis < 0) return;
  if (!variable.chunk.empty() && variable.chunk.front() > 1)
    needs.open.add(copies * bytes * static_cast<std::size_t>(variable.chunk.front()) / servers, name);
  else if (variable.chunk.empty() && gathers_records(file))
    needs.open.add(copies * std::max(bytes, file.open_bytes) / servers, name);
}

void add_fields(MemoryNeeds& needs, const ServerShare& share, const Plan& plan,
                const model::Declarations& declarations) {
  const OfDiagnostics diagnostics = of_diagnostics(plan);
  const auto add = [&](MemoryNeed& need, int number, std::size_t bytes_of_cell) {
    const model::Field& field = declarations.fields[base::index(number)];
    if (field.grid >= 0) need.add(bytes_of_cell * share.cells(field.grid), fmt::format("\"{}\"", field.name));
  };
  for (const int input : diagnostics.inputs) {
    const model::Field& field = declarations.fields[base::index(input)];
    add(field.is_static ? needs.fixed : needs.analytics, input, model::size_of(field.type));
  }
  for (const int result : diagnostics.results) add(needs.analytics, result, sizeof(double));
  for (std::size_t grid = 0; grid < plan.masks.size(); ++grid)
    if (plan.masks[grid] >= 0)  // a flag a cell, and one block with the fill value in place
      needs.fixed.add(
          (1 + sizeof(double)) * share.cells(static_cast<int>(grid)),
          fmt::format("the mask \"{}\"", declarations.fields[base::index(plan.masks[grid])].name));
}

}  // namespace

namespace {

// A server holds the blocks of its clients until the snapshot. It then sends them to the servers that write
// them, and holds those that it writes itself.
void add_checkpoint(MemoryNeeds& needs, const ServerShare& share, const Plan& plan,
                    const model::Declarations& declarations) {
  std::size_t here = 0, all = 0;
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    const model::Field& field = declarations.fields[f];
    if (!plan.fields[f].kept || field.grid < 0) continue;
    const std::size_t bytes = share.cells(field.grid) * model::size_of(field.type);
    here += bytes;
    all += static_cast<std::size_t>(declarations.grids[base::index(field.grid)].size()) *
           model::size_of(field.type);
    needs.checkpoint.add(bytes, fmt::format("\"{}\"", field.name));
  }
  needs.checkpoint.bytes =
      std::max(here, all / static_cast<std::size_t>(share.servers)) + needs.checkpoint.most;
}

}  // namespace

namespace {

void add_weights(MemoryNeeds& needs, const ServerShare& share, const Regridding& regridding) {
  for (const WeightsPlan& weights : regridding.weights) {
    const TargetGrid& target = regridding.targets[base::index(weights.target_cells)];
    const double part = static_cast<double>(share.cells(target.grid)) / static_cast<double>(target.cells);
    needs.weights.add(
        static_cast<std::size_t>(part * static_cast<double>(weights_bytes(regridding, weights))),
        regrid::text_of(weights.target));
  }
}

}  // namespace

// The overlaps of two grids of square cells are as many as the crossings of their edges.
std::size_t weights_bytes(const Regridding& regridding, const WeightsPlan& weights) {
  const auto target = static_cast<double>(regridding.targets[base::index(weights.target_cells)].cells);
  double source = 1.0;
  for (const std::int64_t extent : weights.source.shape) source *= static_cast<double>(extent);
  double links = 4.0 * target;
  if (weights.method == regrid::Method::nearest) links = target;
  if (regrid::needs_corners(weights.method)) links = source + target + 2.0 * std::sqrt(source * target);
  return static_cast<std::size_t>(links * bytes_of_link + target * sizeof(std::int64_t));
}

int commits_at_a_time(settings::Mode mode) {
  return mode == settings::Mode::inline_ ? 1 : env::Executor::writers;
}

void FormatBytes::add(const DatasetPlan& file, int most) {
  const output::Format* const format = file.entry.writer();
  if (format == nullptr) return;
  const std::string& path = file.entry.path;
  const std::size_t bytes = format->cache_bytes(path);
  if (format->makes_file(path) == format->makes_files())
    caches = std::max(caches, bytes);
  else if (stores++ < most)
    objects += bytes;
}

MemoryNeeds memory_needs_of(const Plan& plan, const model::Declarations& declarations,
                            const ServerShare& share) {
  MemoryNeeds needs;
  FormatBytes formats;
  for (std::size_t f = 0; f < plan.files.size(); ++f) {
    const DatasetPlan& file = plan.files[f];
    const bool writes = share.writes(f);
    for (const VariablePlan& variable : file.variables)
      add_variable(needs, share, plan, declarations, {file, writes}, variable);
    if (writes) formats.add(file, share.commits);
  }
  needs.library.bytes = formats.caches;
  needs.objects.bytes = formats.objects;
  add_fields(needs, share, plan, declarations);
  add_checkpoint(needs, share, plan, declarations);
  if (plan.regridding) add_weights(needs, share, *plan.regridding);
  return needs;
}

MemoryNeeds most_needs_of(const Plan& plan, const model::Declarations& declarations, settings::Mode mode,
                          std::size_t servers) {
  MemoryNeeds most;
  for (std::size_t server = 0; server < std::min(servers, std::max<std::size_t>(1, plan.files.size()));
       ++server) {
    const MemoryNeeds here =
        memory_needs_of(plan, declarations,
                        {.servers = static_cast<int>(servers),
                         .cells =
                             [&](int grid) {
                               const auto size = declarations.grids[base::index(grid)].size();
                               return (static_cast<std::size_t>(size) + servers - 1) / servers;
                             },
                         .writes = [&](std::size_t file) { return file % servers == server; },
                         .commits = commits_at_a_time(mode)});
    if (server == 0 || here.total() > most.total()) most = here;
  }
  return most;
}

std::size_t step_bytes(const Plan& plan, const model::Declarations& declarations) {
  std::size_t bytes = 0;
  for (const int field : fields_that_are_put(plan, declarations)) {
    const model::Field& put = declarations.fields[base::index(field)];
    if (put.grid >= 0)
      bytes += model::size_of(put.type) *
               static_cast<std::size_t>(declarations.grids[base::index(put.grid)].size());
  }
  return bytes;
}

std::size_t memory_for(std::size_t need) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  const std::size_t enough = need / (moving_share - 1) * moving_share + moving_share;
  return (enough + mib - 1) / mib * mib;
}

std::string memory_option(std::size_t bytes) {
  constexpr std::size_t mib = std::size_t{1} << 20, gib = std::size_t{1} << 30;
  return bytes < 10 * gib ? fmt::format("{} MiB", (bytes + mib - 1) / mib)
                          : fmt::format("{} GiB", (bytes + gib - 1) / gib);
}

std::optional<std::string> lack_of_memory(const MemoryNeeds& needs, std::size_t memory) {
  const std::size_t need = needs.total();
  if (need <= std::max(memory, least_memory) / moving_share * (moving_share - 1)) return std::nullopt;
  const auto all = needs.all();
  const MemoryNeed& largest = **std::ranges::max_element(all, {}, &MemoryNeed::bytes);
  const auto words = [](std::size_t bytes) { return base::bytes_text(static_cast<double>(bytes)); };
  std::string text =
      fmt::format("must hold {} at a time, {} of it {}", words(need), words(largest.bytes), largest.what);
  if (!largest.of.empty()) text += fmt::format(" ({}: {})", largest.of, words(largest.most));
  return text;
}

}  // namespace tailrace::plan
