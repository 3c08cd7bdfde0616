// What a server learns of a component from its `ready` message.
#pragma once

#include "base/bytes.hpp"
#include "handshake/run.hpp"
#include "pipeline/blueprint.hpp"

namespace tailrace::host {

// `message`: behind the fault that it begins with. `started`: when the run did, for people.
pipeline::ComponentInfo read_component_info(base::ByteReader& message, const handshake::Run& run, int number,
                                            const std::string& started);

}  // namespace tailrace::host
