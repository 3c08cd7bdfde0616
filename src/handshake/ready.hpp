// `ready` on the model ranks: bring the declarations of all ranks of a component together on its first one,
// check them against each other and against the configuration, and let every rank and every server know.
#pragma once

#include "client/declarer.hpp"
#include "comm/communicator.hpp"
#include "handshake/connection.hpp"
#include "handshake/start.hpp"
#include "plan/plan.hpp"

namespace tailrace::handshake {

struct Agreement {
  // On the first rank, which has made it to see that it holds, and where coordinates came in parts.
  std::optional<plan::Plan> plan;
  std::vector<client::StaticValues> nodes;  // of meshes given in parts: what this rank is to hand over
};

// Collective over the component. On success all ranks have declared the same, the parts cover the grids, the
// plan holds, and the servers have been told. Throws an Error on every rank otherwise: what is wrong is told
// by that of the first rank, the others refer to it. `meanwhile` is called while waiting, and `wake` too
// while it is servers that have not yet listened.
Agreement agree_on_declarations(Started& started, const client::Declarer& declarer, model::Tick begin,
                                const std::function<void()>& meanwhile, const std::function<void()>& wake);

// What the component's configuration asks of a model that declares this.
plan::Plan plan_for(const Started& started, const model::Declarations& declarations);

// Of a rank that leaves early: the component will never be ready. The ranks above and below it pass it on,
// and the first one tells the servers.
void tell_never_ready(Started& started, const base::Fault& fault);

}  // namespace tailrace::handshake
