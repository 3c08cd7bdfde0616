// The messages between a sender and a receiver on another node. With `tag` run the packets, as they lie in
// the sender's ring (PacketHead, payload, padding), several small ones in a message; with `tag + 1` the notes
// back.
#pragma once

#include <cstdint>

namespace tailrace::transport::mpi {

// First word of a note.
enum class Note : std::uint32_t {
  credit = 1,  // then a uint64: packets released without a gap since the first one
  fault = 2,   // then int32 code, text
  closed = 3,  // the receiver takes no more
  stop = 4,    // the receiver asks the sender to come to an end
};

// A message is sent when this much has been published, and ends when it holds this much. Also the most by
// which memory of the receiver exceeds the packets under way, as a message is received into one piece.
inline constexpr std::size_t message_bytes = std::size_t{64} << 10;

}  // namespace tailrace::transport::mpi
