// The unit in which fields travel from clients to servers, and the words of the client-to-server protocol.
#pragma once

#include <cstdint>

namespace tailrace::model {

// The model stands at `time` seconds since its start, having finished step number `step`.
struct Tick {
  std::int64_t step = 0;
  double time = 0.0;
};

// Up to here every second has a number of its own.
inline constexpr double latest_time = 9007199254740992.0;  // 2^53 seconds

// The values travel in messages: do not renumber.
enum class PacketKind : std::uint32_t {
  tick = 1,            // `step` was called; time holds the new time
  block = 2,           // one field of one rank; number = field index
  finish = 3,          // the last packet; the payload holds the client's counters
  abandon = 4,         // the rank leaves without `finish`
  kept = 5,            // as block, but for the checkpoint of this step alone
  block_and_kept = 6,  // as block, and for that checkpoint too
  checkpoint = 7,      // the checkpoint of the step holds what came until here; the payload has its values
};

inline bool is_block(PacketKind kind) {
  return kind == PacketKind::block || kind == PacketKind::kept || kind == PacketKind::block_and_kept;
}

// Head of every packet in the stream of one client.
struct PacketHeader {
  PacketKind kind = PacketKind::tick;
  std::int32_t number = 0;
  std::int64_t step = 0;
  double time = 0.0;
};

// The step of static blocks (coordinates, connectivity), which come before the first tick.
inline constexpr std::int64_t static_step = INT64_MIN;

}  // namespace tailrace::model
