// Makes the set-up of a component's regridding from what its server knows.
#pragma once

#include <memory>

#include "base/error.hpp"
#include "env/executor.hpp"
#include "handshake/run.hpp"
#include "messaging/messenger.hpp"
#include "pipeline/served_component.hpp"
#include "server/hosted_component.hpp"
#include "server/regrid/regrid_preparation.hpp"

namespace tailrace::server {

// `number`: of the component in the run. Null if the component regrids nothing. The component, the messenger
// and the executor must live longer.
std::unique_ptr<RegridPreparation> make_regrid_preparation(const pipeline::ServedComponent& component,
                                                           const handshake::Run& run, std::size_t number,
                                                           messaging::Messenger& messenger,
                                                           env::Executor& executor);
// To be called if the component cannot be set up here, so that no server waits for this one.
void refuse_regridding(const HostedComponent& hosted, messaging::Messenger& messenger,
                       const base::Fault& fault);

}  // namespace tailrace::server
