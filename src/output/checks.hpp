// What every format checks before it touches anything, so that all of them refuse the same things.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/file_system.hpp"
#include "output/dataset.hpp"

namespace tailrace::output {

// Throws Error(configuration) with the dataset's path and the name of the culprit for a spec that no format
// can hold: names that netCDF cannot hold or that come twice, attributes of the format's own, dims that are
// not there, an unlimited dim that is not a variable's first, a growing variable without chunks, texts that
// bear a dim's name.
void check_spec(const DatasetSpec& spec);

bool grows(const DatasetSpec& spec, const VariableSpec& variable);  // its first dim is unlimited

std::string exists_already();  // of a name that must be free, and what to do

// Whether another session has the mark of its writer on a file (env::File). False where it cannot be opened.
bool is_being_written(env::FileSystem& files, const std::string& path);
// Throw Error(resource) where another session has it.
void check_no_writer(env::FileSystem& files, const std::string& path);
void mark_as_writer(env::File& file);

// The shape of a variable when the dims have these lengths (one for each of DatasetSpec::dims).
std::vector<std::int64_t> shape_of(const VariableSpec& variable, const std::vector<std::int64_t>& lengths);
std::int64_t cells_of(const std::vector<std::int64_t>& shape);  // 1 for a scalar

void set_attribute(DatasetSpec& spec, const LateAttribute& late);

std::vector<std::byte> padded(const DatasetSpec& spec, const TextSpec& text);  // all its values, C order

std::vector<std::int64_t> first_lengths(const DatasetSpec& spec);  // unlimited dims begin at 0

// The lengths after the commit. Throws Error(internal) for a commit that does not fit the spec: a dim that
// shrinks or is not unlimited, a chunk off the grid, raw bytes that are not one chunk, values outside their
// variable, attributes of no variable.
std::vector<std::int64_t> lengths_after(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths,
                                        const Commit& commit);

}  // namespace tailrace::output
