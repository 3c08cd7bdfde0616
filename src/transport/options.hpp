// The options of `servers:` for the transport between a client and its server.
#pragma once

#include <vector>

#include "config/problems.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport {

std::vector<config::Option> options();  // buffer, when_full, spill_directory, transport

BufferOptions buffer_of(const config::Value& section, config::Problems& problems);

}  // namespace tailrace::transport
