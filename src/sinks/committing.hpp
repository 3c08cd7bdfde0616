// Describes a file to its committer: the variables, the chunks to wait for, and the size of a commit.
#pragma once

#include <vector>

#include "cf/layout.hpp"
#include "output/committer.hpp"
#include "plan/plan.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::sinks {

std::vector<output::CommittedVariable> committed_variables(const plan::DatasetPlan& plan,
                                                           const cf::DatasetLayout& layout);
std::vector<std::int64_t> continued_records(const plan::DatasetPlan& plan);  // by axis
std::vector<int> axis_dims(const cf::DatasetLayout& layout);

// The share of a file that a sink writes. Contiguous variables are values, and belong to the metadata.
enum class Share {
  all,      // as the only server that writes the file
  chunks,   // the chunks that this server assembles
  metadata  // all but chunks, on the home
};
// The references of `place` must live longer.
output::Committer::Mine own_chunks(const SinkPlace& place, Share share);
// Whether a compressed variable has several records in a chunk.
bool fills_compressed_chunks(const cf::DatasetLayout& layout);
// The size of a commit's new values without encoding, and without the room of records and cells that chunks
// have beyond them.
std::size_t raw_bytes(const output::Commit& commit, const output::DatasetSpec& dataset);

// The bytes in which a commit's chunks are stored. Chunks that several commits fill are first stored without
// encoding, and `replaced` when they are full.
struct StoredBytes {
  std::size_t written = 0, replaced = 0;
};
StoredBytes stored_bytes(const output::Commit& commit, const output::DatasetSpec& dataset);

}  // namespace tailrace::sinks
