// What a model is told that goes on without output, under `servers.on_server_loss: continue`.
#pragma once

#include <string>

#include "handshake/run.hpp"
#include "model/block.hpp"

namespace tailrace::server {

// Who is lost, `how`; from which step on nothing is written; and how far each file is whole, as the log of
// commits in the report directory has it.
std::string describe_lost_output(const handshake::Run& run, const std::string& how, const model::Tick& now);

// Of the server that runs in this rank of the run, and has thrown.
std::string loss_of_own_server(int rank, const std::string& what);

}  // namespace tailrace::server
