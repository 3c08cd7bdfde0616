#include "sinks/committing.hpp"

#include <algorithm>
#include <memory>

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

output::Committer::Mine own_chunks(const SinkPlace& place, Share share) {
  if (share == Share::all) return {};
  // The variables refer to the grids, whose addresses must stay.
  auto grids = std::make_shared<std::vector<output::ChunkGrid>>();
  for (const cf::VariableLayout& of : place.layout.variables)
    grids->push_back({of.shape, of.chunk, of.records_per_chunk});
  const OwnedVariables variables(place.plan, place.layout, place.file);
  std::vector<OwnedVariable> owned;
  for (std::size_t v = 0; v < grids->size(); ++v) owned.push_back(variables.of(v, (*grids)[v]));
  return [place, share, grids, owned = std::move(owned)](std::size_t v, const output::ChunkGrid&,
                                                         std::int64_t spatial, std::int64_t record_chunk) {
    const cf::VariableLayout& variable = place.layout.variables[v];
    const auto& spec = place.layout.dataset.variables[base::index(variable.variable)];
    if (spec.chunk.empty()) return share == Share::metadata;
    return share == Share::chunks && place.server == place.owners.of_chunk(owned[v], spatial, record_chunk);
  };
}

bool fills_compressed_chunks(const cf::DatasetLayout& layout) {
  return std::ranges::any_of(layout.variables, [&](const cf::VariableLayout& variable) {
    const auto& spec = layout.dataset.variables[base::index(variable.variable)];
    return spec.codec.codec != "none" && variable.records_per_chunk > 1;
  });
}

namespace {

// The bytes of one record of a chunk, and those of its cells within the variable's shape. Both of the whole
// chunk for a variable that does not grow.
struct RecordBytes {
  std::size_t stored = 0, inside = 0;
  std::size_t new_records = 1;
};

RecordBytes record_bytes(const output::EncodedChunk& chunk, const output::DatasetSpec& dataset) {
  const output::VariableSpec& spec = dataset.variables[base::index(chunk.variable)];
  RecordBytes bytes{model::size_of(spec.type), model::size_of(spec.type)};
  const bool grows = dataset.dims[base::index(spec.dims[0])].unlimited;
  for (std::size_t d = grows ? 1 : 0; d < spec.chunk.size(); ++d) {
    const std::int64_t size = dataset.dims[base::index(spec.dims[d])].size;
    bytes.stored *= static_cast<std::size_t>(spec.chunk[d]);
    bytes.inside *= static_cast<std::size_t>(std::min(spec.chunk[d], size - chunk.offset[d]));
  }
  if (!grows) return bytes;
  const std::int64_t end = chunk.valid_records > 0 ? chunk.valid_records : spec.chunk[0];
  bytes.new_records = static_cast<std::size_t>(end - chunk.committed_records);
  return bytes;
}

}  // namespace

std::size_t raw_bytes(const output::Commit& commit, const output::DatasetSpec& dataset) {
  std::size_t bytes = 0;
  for (const output::EncodedChunk& chunk : commit.chunks) {
    const RecordBytes of = record_bytes(chunk, dataset);
    bytes += of.inside * of.new_records;
  }
  return bytes;
}

StoredBytes stored_bytes(const output::Commit& commit, const output::DatasetSpec& dataset) {
  StoredBytes bytes;
  for (const output::EncodedChunk& chunk : commit.chunks) {
    const output::VariableSpec& spec = dataset.variables[base::index(chunk.variable)];
    const RecordBytes of = record_bytes(chunk, dataset);
    if (!chunk.filtered || spec.codec.codec == "none") {
      bytes.written += of.stored * of.new_records;
    } else {
      bytes.written += chunk.bytes.size();
      bytes.replaced += of.stored * static_cast<std::size_t>(chunk.committed_records);
    }
  }
  return bytes;
}

}  // namespace tailrace::sinks
