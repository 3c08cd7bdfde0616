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
#include "server/hosted_component.hpp"

namespace tailrace::server {

// All but its share of the memory. `message`: positioned behind the fault with which it begins. `started`:
// when the run started, as text for people.
pipeline::ComponentInfo read_component_info(base::ByteReader& message, const HostedComponent& hosted,
                                            const std::string& started);

// Where declarations are taken from. All must live longer.
struct DeclarationsWay {
  const HostedComponent& hosted;  // from whose first rank the first server takes them
  const handshake::Run& run;      // of the process
  const messaging::TreePlace& place;
  int tag = 0;                    // of that message
  handshake::OutputNames& names;  // on the first server: of the components before
};

// Takes a `ready` message if one has arrived: of any component down the tree of the servers, or from the
// component's first rank. Forwards it to the servers below. The first server gives it the component's number,
// and adds a fault if the component writes where another does.
std::optional<std::vector<std::byte>> take_declarations(comm::Communicator& world, const DeclarationsWay& way,
                                                        std::vector<messaging::Sending>& sendings);

}  // namespace tailrace::server
