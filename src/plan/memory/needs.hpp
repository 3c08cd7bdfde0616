// What the files of a plan need of the servers' memory: figures for people, and how many records the chunks
// of a series may have. Functions of the configuration and the grids alone, as the shapes of chunks are.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace tailrace::plan::memory {

// Fills FilePlan::open_bytes.
void share_out_open_chunks(const settings::Configuration& configuration,
                           const model::Declarations& declarations, std::vector<FilePlan>& files);

// Over all servers, in bytes, not encoded.
struct Needs {
  std::size_t step = 0;      // the fields that some file needs, each once
  std::size_t windows = 0;   // what means, sums and so on keep between steps
  std::size_t open = 0;      // chunks of several records, until their last record
  std::size_t at_once = 0;   // most of the records that one file gets at one step
  std::string largest_file;  // the file of these
};
Needs needs_of(const Plan& plan, const model::Declarations& declarations);

}  // namespace tailrace::plan::memory
