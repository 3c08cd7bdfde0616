// The format of streams: what `format: adios2` means with `engine: sst`.
#pragma once

#include "output/format.hpp"

namespace tailrace::output::adios2::stream {

const Format& format();

}  // namespace tailrace::output::adios2::stream
