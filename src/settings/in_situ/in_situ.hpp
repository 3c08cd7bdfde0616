// `in_situ:`, Python functions that processes beside the servers call with each record while the model runs.
#pragma once

#include <vector>

#include "config/section.hpp"
#include "settings/output_entry.hpp"
#include "settings/servers/servers.hpp"

namespace tailrace::settings {

// Each is planned as a file that is committed with each record, and whose format hands it to the process. The
// format (output/in_situ) declares and reads what describes the process; this folder adds the variables.
struct Actions {
  std::vector<OutputEntry> entries;
  bool empty() const { return entries.empty(); }
};

config::Section<Actions> in_situ_section();

void add_actions(Actions actions, std::vector<OutputEntry>& files);  // behind the files

}  // namespace tailrace::settings
