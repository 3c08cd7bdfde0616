// A BP5 dataset that an earlier run left, for one that is to go on with it.
#pragma once

#include <map>
#include <string>

#include "output/adios2/engine.hpp"
#include "output/dataset.hpp"

namespace tailrace::output::adios2 {

// An attribute of variables that are compressed: by what. BP5 cannot read a variable that is compressed in
// some steps only.
inline constexpr const char* codec_attribute = "__tailrace_codec__";
std::string codec_in(const DatasetSpec& spec, const VariableSpec& variable);  // or "none"
// Whether the operator of the library itself is applied to the variable, which is then so in all steps.
bool takes_operator(const DatasetSpec& spec, const VariableSpec& variable);

// By the name of the dim: its coordinate, and the bounds. Throws Error(resource) where Tailrace did not write
// it.
std::map<std::string, ExistingAxis> axes_of(StepReader& reader);

// Whether it has the variables of the spec, in their types and shapes, and no others along its growing dims.
// Throws Error(resource) that names what differs first.
void check_fits(const StepReader& reader, const DatasetSpec& spec);

bool has_values(const StepReader& reader, const std::string& variable);

// Records of the spec's growing variables, and values of the others, that the steps from a certain one on
// hold.
struct RewrittenTail {
  std::size_t steps = 0;  // those before it stay as they are
  std::vector<std::vector<std::byte>> values;
  std::vector<Block> blocks;  // of these values
};
// The tail that begins with the first step that loses records when each growing dim keeps so many of them (by
// index into the spec's dims).
RewrittenTail tail_of(StepReader& reader, const DatasetSpec& spec, const std::vector<std::int64_t>& lengths);

}  // namespace tailrace::output::adios2
