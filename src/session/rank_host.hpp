// A model rank has these once, for its session and for the streams within it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/signals.hpp"
#include "handshake/failure_detection/failure_detector.hpp"
#include "handshake/start.hpp"
#include "server/embedded/embedded_server.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::session {

class ModelRank;

struct RankHost {
  // Starts the server of this rank in modes attached and inline.
  explicit RankHost(handshake::Started of_session);
  RankHost(const RankHost&) = delete;
  RankHost& operator=(const RankHost&) = delete;

  int server() const;  // that of this rank, by its number

  handshake::Started started;  // of the session
  handshake::FailureDetector watch;
  std::optional<env::StopSignals> signals;      // if this rank handles them
  std::unique_ptr<server::EmbeddedServer> own;  // modes attached and inline
  std::optional<std::string> doorbell_name;     // of a server on this node; none: it has not said it yet
  std::shared_ptr<transport::Doorbell> doorbell;
  handshake::Place next_place;                      // for the next stream
  std::vector<std::weak_ptr<ModelRank>> streams{};  // in the order in which they were opened
  std::set<std::string> opened_files{};  // places of files that this rank opened as the first of a stream
};

}  // namespace tailrace::session
