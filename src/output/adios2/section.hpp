// `adios2:` of a file, as the configuration gives it.
#pragma once

#include "config/section.hpp"
#include "output/adios2/options.hpp"

namespace tailrace::output::adios2 {

config::Section<Options> options_section();

}  // namespace tailrace::output::adios2
