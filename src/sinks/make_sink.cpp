#include "sinks/make_sink.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "sinks/dataset_sink.hpp"
#include "sinks/null_sink.hpp"
#include "sinks/shared_sink.hpp"

namespace tailrace::sinks {

std::unique_ptr<Sink> make_sink(const SinkPlace& place, SinkServices services) {
  const output::Format* format = place.plan.entry.writer();
  TAILRACE_ASSERT(format != nullptr, "the configuration was checked");
  const int home = place.owners.of_file(place.file);
  if (place.owners.servers() > 1 && is_written_by_many(place.plan))
    return std::make_unique<SharedSink>(place, *format, services);
  if (home == place.server) return std::make_unique<DatasetSink>(place, *format, services);
  return std::make_unique<NullSink>(home);
}

bool is_written_by_many(const plan::DatasetPlan& plan) {
  const output::Format* format = plan.entry.writer();
  if (format == nullptr || plan.entry.has_many_files()) return false;
  output::DatasetSpec spec;
  spec.path = plan.entry.path;
  spec.options = plan.entry.format_options;
  for (const plan::VariablePlan& variable : plan.variables)
    spec.variables.emplace_back().codec = variable.codec;
  return format->can_be_written_by_many(spec);
}

OwnedVariable OwnedVariables::of(std::size_t variable, const output::ChunkGrid& grid) const {
  const cf::VariableLayout& of = layout_.variables[variable];
  const output::VariableSpec& spec = layout_.dataset.variables[base::index(of.variable)];
  OwnedVariable owned{.file = file_,
                      .variable = variable,
                      .record_bytes = record_bytes(layout_, of),
                      .grid = &grid,
                      .spread = false};
  if (spec.chunk.empty()) return owned;  // passed on whole and unencoded
  const bool is_encoded = !codecs::make_codec(spec.codec)->filters(model::size_of(spec.type)).empty();
  const bool is_by_many = is_written_by_many(plan_);
  owned.spread = is_encoded || is_by_many;
  const auto cells = is_by_many ? cf::cells_of_file(*plan_.entry.writer(), layout_.dataset, of)
                                : std::vector<std::int64_t>();
  if (cells.empty()) return owned;
  owned.chunks_of_file.push_back(std::max<std::int64_t>(1, cells[0] / grid.records_per_chunk));
  for (std::size_t d = 0; d < grid.chunk.size(); ++d)
    owned.chunks_of_file.push_back(cells[d + 1] / grid.chunk[d]);
  return owned;
}

std::size_t record_bytes(const cf::DatasetLayout& layout, const cf::VariableLayout& variable) {
  std::int64_t cells = 1;
  for (const std::int64_t extent : variable.shape) cells *= extent;
  return static_cast<std::size_t>(cells) *
         model::size_of(layout.dataset.variables[base::index(variable.variable)].type);
}

}  // namespace tailrace::sinks
