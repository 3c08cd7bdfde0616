// `adios2:` of a file: its declaration, and what it rules out. One section serves files and streams, as
// `engine` chooses.
#pragma once

#include "output/adios2/options.hpp"
#include "output/format.hpp"

namespace tailrace::output::adios2 {

FormatSection options_section();

// Adds the problems of these options with what else the file asks for.
void check_request(const Options& options, const DatasetRequest& request, config::Problems& problems);

}  // namespace tailrace::output::adios2
