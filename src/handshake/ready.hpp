// `ready` on the model ranks: bring the declarations of all ranks of a component together on its first one,
// check them against each other and against the configuration, and let every rank and every server know.
#pragma once

#include "client/declarer.hpp"
#include "comm/communicator.hpp"
#include "handshake/connection.hpp"
#include "handshake/start.hpp"

namespace tailrace::handshake {

// Collective over the component. On success all ranks have declared the same, the parts cover the grids, the
// plan holds, and the servers have been told. Throws the same Error on every rank otherwise. `meanwhile` is
// called while waiting, and `wake` too while it is servers that have not yet listened.
void agree_on_declarations(Started& started, const client::Declarer& declarer, model::Tick begin,
                           const std::function<void()>& meanwhile, const std::function<void()>& wake);

// Of a rank that leaves early: the component will never be ready. Its first rank tells the servers, the
// others tell it.
void tell_never_ready(Started& started, const base::Fault& fault);

}  // namespace tailrace::handshake
