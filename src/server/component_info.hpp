// What a server learns of a component from its `ready` message.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "comm/communicator.hpp"
#include "handshake/connection.hpp"
#include "handshake/run.hpp"
#include "messaging/collectives/tree_place.hpp"
#include "pipeline/blueprint.hpp"

namespace tailrace::server {

// `message`: behind the fault that it begins with. `started`: when the run did, for people.
pipeline::ComponentInfo read_component_info(base::ByteReader& message, const handshake::Run& run, int number,
                                            const std::string& started);

// A `ready` message, of any component, if one has come: down the tree of the servers, in which this one has
// the place `place`, or from the component's first rank, `root`. It is passed on to the servers below.
std::optional<std::vector<std::byte>> take_declarations(comm::Communicator& world, const handshake::Run& run,
                                                        const messaging::TreePlace& place, int root,
                                                        std::vector<handshake::Sending>& sendings);

}  // namespace tailrace::server
