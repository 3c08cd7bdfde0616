// Variables of text that hold what options the model was run with.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/location.hpp"
#include "config/problems.hpp"
#include "session/layout.hpp"
#include "session/plan.hpp"

namespace tailrace::session {

class Names;

// The tables of a file that have entries. Adds their names to `names`, those of the file's variables so far,
// and tells `problems` of names that are taken and of tables without entries that are not optional.
std::vector<OptionTablePlan> plan_option_tables(const FileEntry& file,
                                                const std::map<std::string, std::string>& options,
                                                std::map<std::string, config::Location>& names,
                                                config::Problems& problems);

// Their dims and texts: (entry, 2, characters), a name and a value. The dims `kvp` and `string` are those of
// MONC's files.
void add_option_tables(FileLayout& layout, const std::vector<OptionTablePlan>& tables, Names& names);

}  // namespace tailrace::session
