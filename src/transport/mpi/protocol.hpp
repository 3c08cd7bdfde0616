// The messages between a sender and a receiver on another node. Messages with `tag` contain packets as in the
// sender's ring (PacketHead, payload, padding), several small ones in a message. Messages with `tag + 1` are
// notes from the receiver.
#pragma once

#include <cstdint>

namespace tailrace::transport::mpi {

// First word of a note.
enum class Note : std::uint32_t {
  credit = 1,   // then a uint64: how many packets are released without a gap since the first one
  fault = 2,    // then int32 code, text
  closed = 3,   // the receiver receives no more
  stop = 4,     // the receiver asks the sender to stop
  written = 5,  // then an int64: what came up to this step is written
};

// A message is sent when this number of bytes has been published, and ends when it contains as many. It also
// bounds the excess of the receiver's memory over the packets in transit, since a message is received into
// one piece.
inline constexpr std::size_t message_bytes = std::size_t{64} << 10;

}  // namespace tailrace::transport::mpi
