// Makes the input of a component from what its server knows.
#pragma once

#include <memory>
#include <optional>

#include "base/error.hpp"
#include "handshake/run.hpp"
#include "pipeline/served_component.hpp"
#include "server/hosted_component.hpp"
#include "server/input/input_service.hpp"

namespace tailrace::server {

// `number`: of the component in the run. Null if the component has no input fields that its configuration
// provides. The component and the run must live longer. Begins to read the headers of the files.
std::unique_ptr<InputService> make_input_service(const pipeline::ServedComponent& component,
                                                 const handshake::Run& run, std::size_t number,
                                                 const InputServices& services);
// To be called if the component cannot be set up here, so that no server waits for the entries of this one.
void refuse_input(const HostedComponent& hosted, messaging::Messenger& messenger, const base::Fault& fault);

}  // namespace tailrace::server
