// Checks that every format makes before it writes anything, so that all formats reject the same input.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "env/file_system.hpp"
#include "output/dataset.hpp"

namespace tailrace::output {

// Throws Error(configuration), with the dataset's path and the offending name, for a spec that no format can
// store: names that are invalid in netCDF or duplicated, reserved attribute names, undefined dims, an
// unlimited dim that is not a variable's first, a growing variable without chunks, a text variable with the
// name of a dim.
void check_spec(const DatasetSpec& spec);

bool grows(const DatasetSpec& spec, const VariableSpec& variable);  // its first dim is unlimited

std::string exists_already();  // the message for a path that is taken, with the remedy

// The attribute of a regridded variable that tells on which cells it is and how it was made.
inline constexpr const char* regridding_attribute = "regridding";
// Explains why records of this variable do not fit behind those of an existing one with that text; empty:
// they do.
std::string other_regridding(const VariableSpec& variable, const std::string& existing);

// Whether another session holds the writer's mark of a file (env::File). False if the file cannot be opened.
bool is_being_written(env::FileSystem& files, const std::string& path);
// Both throw Error(resource), with the process that holds it, if another session holds the mark.
void check_no_writer(env::FileSystem& files, const std::string& path);
void mark_as_writer(env::File& file, const std::string& path);

// The shape of a variable for these lengths of the dims (one for each of DatasetSpec::dims).
std::vector<std::int64_t> shape_of(const VariableSpec& variable, const std::vector<std::int64_t>& lengths);
std::int64_t cells_of(const std::vector<std::int64_t>& shape);  // 1 for a scalar

// For an inspection: a line for each variable whose values were rounded, "\n    theta: ...".
std::string bounds_in_words(const std::map<std::string, codecs::lossy::ExistingBound>& bounds);

void set_attribute(DatasetSpec& spec, const LateAttribute& late);

std::vector<std::byte> padded(const DatasetSpec& spec,
                              const TextSpec& text);  // all values, padded to the same length, in C order

std::vector<std::int64_t> first_lengths(const DatasetSpec& spec);  // unlimited dims begin at 0

// The lengths of the dims after the commit. Throws Error(internal) for a commit that does not fit the spec: a
// dim that shrinks or is not unlimited, a chunk that is not aligned to the chunk grid, unencoded bytes that
// do not have the size of a chunk, values outside their
// variable, attributes of no variable.
std::vector<std::int64_t> lengths_after(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths,
                                        const Commit& commit);

}  // namespace tailrace::output
