// An output stream: a component that a model opens within another one, at any time of the run, on some or all
// of its ranks.
//
// Its ranks agree on it along a tree. The first one then tells the servers who takes part and what the
// configuration is (StreamNotice); from there on a stream is a component like those of `start`, with a Run of
// its own that has no other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "handshake/start.hpp"

namespace tailrace::handshake {

struct StreamNotice {
  std::string component;  // the name of the stream as that of a component: COMPONENT.STREAM
  Place place = 0;
  StridedRuns ranks;  // of the run, by rank in the stream
  settings::Sources sources;

  std::vector<std::byte> to_bytes() const;
  static StreamNotice from_bytes(std::span<const std::byte> bytes);
};

// The arguments of a rank that opens a stream.
struct StreamRequest {
  int communicator = -1;  // Fortran handle
  std::string name;
  std::string text;      // the configuration that the model gives; that of the first rank counts
  Place next_place = 0;  // behind those that this rank has used
  std::optional<base::Fault> obstacle = {};  // why this rank cannot open it
};

// Collective over the communicator of the request; returns when all its ranks have called. `session`: that
// within which the stream is opened. Calls `meanwhile` while waiting, which may throw to give up. Throws the
// same Error on all ranks, those other than the first with a reference to it.
Started open_stream(const Started& session, const StreamRequest& request,
                    const std::function<void()>& meanwhile);

// The notice of a stream, from its first rank.
StreamNotice notice_of(const Started& stream);

// The run as a stream has it: with this component alone. Throws Error(configuration).
Run run_of(const Run& run, const StreamNotice& notice);

}  // namespace tailrace::handshake
