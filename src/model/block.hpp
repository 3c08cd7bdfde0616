// The unit in which fields are sent from clients to servers, and the packets of that protocol.
#pragma once

#include <cstdint>

namespace tailrace::model {

// The model has finished step number `step` and is at `time` seconds since its start.
struct Tick {
  std::int64_t step = 0;
  double time = 0.0;
  double exact = time;  // the time without the rounding of the model's clock; time::Clock knows it
};

// Up to this time a double represents every whole second.
inline constexpr double latest_time = 9007199254740992.0;  // 2^53 seconds

// The values are part of messages: do not renumber.
enum class PacketKind : std::uint32_t {
  tick = 1,            // `step` was called; time holds the new time
  block = 2,           // one field of one rank; number = field index
  finish = 3,          // the last packet; the payload holds the client's counters
  abandon = 4,         // the rank leaves without `finish`
  kept = 5,            // like block, but only for the checkpoint of this step
  block_and_kept = 6,  // like block, and for that checkpoint too
  checkpoint = 7,      // the checkpoint of the step holds all packets before; the payload has its values
  // From a server to its client, on the channel for input. `number` is the field's index in the
  // declarations, and `step` the place of the record (input::Part::place).
  input_record = 8,     // the payload: input::RecordHead and the values
  input_fault = 9,      // the record cannot be had; the payload: the fault (base::put_fault)
  input_timeline = 10,  // the timeline has become longer; the payload: input::FurtherRecords
  // The files that the model opens end with the packets before; `number` is file_opened or file_closed. If
  // others begin, the payload of the first rank has their name and attributes (ComponentInfo).
  file = 11,
};

inline constexpr std::int32_t file_closed = 0, file_opened = 1;

inline bool is_block(PacketKind kind) {
  return kind == PacketKind::block || kind == PacketKind::kept || kind == PacketKind::block_and_kept;
}

// The head of every packet of a client.
struct PacketHeader {
  PacketKind kind = PacketKind::tick;
  std::int32_t number = 0;
  std::int64_t step = 0;
  double time = 0.0;
};

// The number of a tick whose rank got a stop signal and does not ask whether it is to stop; otherwise 0.
inline constexpr std::int32_t runs_on = 1;

// The step of static blocks (coordinates, connectivity), which come before the first tick.
inline constexpr std::int64_t static_step = INT64_MIN;

}  // namespace tailrace::model
