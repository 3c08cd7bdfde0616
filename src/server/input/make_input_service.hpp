// Makes the input of a component from what its server knows.
#pragma once

#include <memory>
#include <optional>

#include "base/error.hpp"
#include "handshake/run.hpp"
#include "pipeline/served_component.hpp"
#include "server/input/input_service.hpp"

namespace tailrace::server {

// Null if the component has no input fields that its configuration provides. The component and the run must
// live longer. Begins to read the headers of the files.
std::unique_ptr<InputService> make_input_service(const pipeline::ServedComponent& component,
                                                 const handshake::Run& run, const InputServices& services);
// To be called if the component cannot be set up here, so that no server waits for the entries of this one.
void refuse_input(const handshake::Run& run, int component, messaging::Messenger& messenger,
                  const base::Fault& fault);

}  // namespace tailrace::server
