#include "sinks/committing.hpp"

#include "base/index.hpp"
#include "sinks/owners.hpp"

namespace tailrace::sinks {

std::vector<output::CommittedVariable> committed_variables(const plan::DatasetPlan& plan,
                                                           const cf::DatasetLayout& layout) {
  std::vector<output::CommittedVariable> variables;
  for (const cf::VariableLayout& variable : layout.variables) {
    const auto& spec = layout.dataset.variables[base::index(variable.variable)];
    const int axis = variable.plan < 0 ? -1 : plan.variables[base::index(variable.plan)].axis;
    variables.push_back({variable.variable,
                         axis,
                         spec.chunk.empty(),
                         {variable.shape, variable.chunk, variable.records_per_chunk}});
  }
  return variables;
}

std::vector<std::int64_t> continued_records(const plan::DatasetPlan& plan) {
  std::vector<std::int64_t> records;
  for (const plan::AxisPlan& axis : plan.axes) records.push_back(axis.continued.records);
  return records;
}

std::vector<int> axis_dims(const cf::DatasetLayout& layout) {
  std::vector<int> dims;
  for (const cf::AxisLayout& axis : layout.axes) dims.push_back(axis.dim);
  return dims;
}

output::Committer::Mine own_chunks(const SinkPlace& place, bool by_many) {
  if (!by_many) return {};
  return
      [place](std::size_t v, const output::ChunkGrid& grid, std::int64_t spatial, std::int64_t record_chunk) {
        const cf::VariableLayout& variable = place.layout.variables[v];
        const auto& spec = place.layout.dataset.variables[base::index(variable.variable)];
        const bool is_contiguous = spec.chunk.empty();
        const OwnedVariable owned{place.file, v, record_bytes(place.layout, variable), &grid};
        return place.server == (is_contiguous ? place.owners.of_file(place.file)
                                              : place.owners.of_chunk(owned, spatial, record_chunk));
      };
}

std::size_t raw_bytes(const output::Commit& commit, const output::DatasetSpec& dataset) {
  std::size_t bytes = 0;
  for (const output::EncodedChunk& chunk : commit.chunks) {
    const output::VariableSpec& spec = dataset.variables[base::index(chunk.variable)];
    std::size_t cells = 1;
    for (const std::int64_t extent : spec.chunk) cells *= static_cast<std::size_t>(extent);
    bytes += cells * model::size_of(spec.type);
  }
  return bytes;
}

}  // namespace tailrace::sinks
