// Reads the `ready` message of a component on a server.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "comm/communicator.hpp"
#include "handshake/connection.hpp"
#include "handshake/output_names.hpp"
#include "handshake/run.hpp"
#include "messaging/collectives/tree_place.hpp"
#include "messaging/sending.hpp"
#include "pipeline/blueprint.hpp"

namespace tailrace::server {

// `message`: positioned behind the fault with which it begins. `started`: when the run started, as text for
// people.
pipeline::ComponentInfo read_component_info(base::ByteReader& message, const handshake::Run& run, int number,
                                            const std::string& started);

// Takes a `ready` message, of any component, if one has arrived: down the tree of the servers, in which this
// one is at `place`, or from the component's first rank, `root`. Forwards it to the servers below. The first
// server adds a fault if the component writes where another does: `names` are those of the components before.
std::optional<std::vector<std::byte>> take_declarations(comm::Communicator& world, const handshake::Run& run,
                                                        const messaging::TreePlace& place, int root,
                                                        handshake::OutputNames& names,
                                                        std::vector<messaging::Sending>& sendings);

}  // namespace tailrace::server
