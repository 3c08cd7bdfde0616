// The steps of a BP5 dataset, from outside: a step is there when the index md.idx has it, and its description
// is in md.0. Readers take descriptions to lie one behind the other.
#pragma once

#include <cstddef>
#include <string>

namespace tailrace::output::adios2 {

std::string index_of(const std::string& dataset);  // the path of its md.idx

// Behind its first `steps` steps the dataset ends, from one moment to the next, and can be appended to.
// Throws Error(resource): it is none of BP5, has fewer steps, or cannot be written.
void cut_steps(const std::string& dataset, std::size_t steps);

// Makes `branch`, a dataset of the first `steps` steps. Its values are those of the dataset (a link to the
// same file); what is written behind them there does not change the dataset. Throws Error(resource).
void make_branch(const std::string& dataset, const std::string& branch, std::size_t steps);

// The branch takes the place of the dataset, which is removed.
void take_branch(const std::string& dataset, const std::string& branch);

}  // namespace tailrace::output::adios2
