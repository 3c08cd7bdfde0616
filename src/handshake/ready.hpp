// `ready` on the model ranks: gathers the declarations of all ranks of a component on its first rank, which
// checks them against each other and against the configuration and broadcasts the result to all ranks and
// servers.
#pragma once

#include "client/declarer.hpp"
#include "comm/communicator.hpp"
#include "handshake/start.hpp"
#include "plan/plan.hpp"

namespace tailrace::handshake {

struct Agreement {
  std::optional<plan::Plan> plan;    // set on the first rank, which makes it for its checks
  model::Declarations declarations;  // of all ranks; the others make the same plan from them
  std::vector<client::StaticValues>
      nodes;  // nodes of meshes given in parts that this rank sends to its server
};

// Collective over the component. On success all ranks have declared the same, the parts cover the grids, the
// plan is valid, and the servers have the declarations. Otherwise throws an Error on every rank; the message
// of the first rank has the reason, and those of the others refer to it. Settles the coordinates of the
// declarer. Calls `meanwhile` while waiting, and also `wake` while waiting for servers, which may be asleep.
Agreement agree_on_declarations(Started& started, client::Declarer& declarer, model::Tick begin,
                                const std::function<void()>& meanwhile, const std::function<void()>& wake);

// The plan that follows from the component's configuration and these declarations.
plan::Plan plan_for(const Started& started, const model::Declarations& declarations);

// A fault that all ranks of a component get from `call`, as this rank reports it: the first rank with its
// reason, the others with a reference to that rank, so that a job prints the reason once. The loss of a
// process (code `lost`) stays as it is, since not all ranks may have noticed it.
base::Fault shared_fault(base::Fault fault, std::string_view call, bool is_first_rank);

// For a rank that leaves before `ready`: reports to the other ranks and to the servers that the component
// will never be ready. Each rank forwards the report along the tree. Waits 1.5 s at most.
void report_never_ready(Started& started, const base::Fault& fault);

}  // namespace tailrace::handshake
