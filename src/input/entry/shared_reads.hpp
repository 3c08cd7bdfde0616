// Fields of one entry that come from the same variable: it is read once for all of them.
#pragma once

#include <memory>
#include <vector>

#include "input/entry/record_reader.hpp"

namespace tailrace::input {

// How the variable of a field is read, by number of the file.
using RecipesByFile = std::vector<std::shared_ptr<const VariableRecipe>>;

// Sets the boxes of recipes so that fields with the same variable, the same index along other dims, and cells
// that lie together read the same box; cells that lie far apart are read by each field alone, since the box
// around them would have more. Returns the pages of each field; several may have the same.
std::vector<std::shared_ptr<RecordPages>> share_reads(std::vector<RecipesByFile>& fields,
                                                      ChunkMemory& chunks);

}  // namespace tailrace::input
