// The messages between the servers of a component about records of input fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/slab.hpp"
#include "input/prepared.hpp"

namespace tailrace::server {

// A record that a server needs for its clients; to the owner of its entry.
struct WantedRecord {
  enum class Why : std::int32_t {
    ahead,   // no client needs it yet
    needed,  // one does
    hurry,   // one does by now; the record has been requested before, and may be under way already
  };
  std::int32_t field = -1;  // index in the declarations
  Why why = Why::ahead;
  std::int64_t record = 0, place = 0;
};
// The server needs no record of the field below this place any more.
struct LowestPlace {
  std::int32_t field = -1;
  std::int64_t place = 0;
};
// The server has come near the end of the records of a field that may grow.
struct WantedFurther {
  std::int32_t field = -1;
  std::int32_t is_needed = 0;  // a client needs it, not only a server that looks ahead
  std::int64_t known = 0;      // how many records the server knows
};
struct WantedMessage {
  std::vector<WantedRecord> records;
  std::vector<LowestPlace> lowest;
  std::vector<WantedFurther> further;
  bool empty() const { return records.empty() && lowest.empty() && further.empty(); }
};
std::vector<std::byte> to_bytes(const WantedMessage& message);
WantedMessage wanted_in(std::span<const std::byte> bytes);  // throws Error(internal) for bytes that are none

// The beginning of the owner's answer. The values follow (RecordCut), or a fault.
struct alignas(64) RecordMessageHead {
  std::int32_t field = -1;
  std::int32_t is_fault = 0;
  std::int64_t place = 0;
};
std::vector<std::byte> fault_message(int field, std::int64_t place, const base::Fault& fault);

// Goes from the owner of an entry to all servers, for each field that may grow.
struct FurtherMessage {
  std::int32_t field = -1;
  input::FurtherRecords further;
  std::optional<base::Fault> end;  // why no record can follow
};
std::vector<std::byte> to_bytes(const FurtherMessage& message);
FurtherMessage further_in_message(std::span<const std::byte> bytes);

struct RecordMessage {
  RecordMessageHead head;
  base::SharedBytes values;  // the memory of the message
  std::optional<base::Fault> fault;
};
RecordMessage record_in(const base::SharedBytes& message);

}  // namespace tailrace::server
