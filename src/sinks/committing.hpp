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
// Empty if all chunks are sent to one home. The references of `place` must live longer.
output::Committer::Mine own_chunks(const SinkPlace& place, bool by_many);
// What the chunks of a commit would take without encoding.
std::size_t raw_bytes(const output::Commit& commit, const output::DatasetSpec& dataset);
// An action writes no report where the report directory is that of another run.
void report_nothing(output::DatasetSpec& spec);

}  // namespace tailrace::sinks
