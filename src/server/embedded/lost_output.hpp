// The messages to a model that continues without output, under `servers.on_server_loss: continue`.
#pragma once

#include <string>

#include "handshake/run.hpp"
#include "model/block.hpp"

namespace tailrace::server {

// Describes which server is lost and why (`how`), from which step on no output is written, and up to where
// each file is complete, according to the log of commits in the report directory.
std::string describe_lost_output(const handshake::Run& run, const std::string& how, const model::Tick& now);

// The value of `how` for the server in rank `rank` of the run, which has thrown `what`.
std::string loss_of_own_server(int rank, const std::string& what);

}  // namespace tailrace::server
