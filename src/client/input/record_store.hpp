// Keeps the records of input fields that have come to this rank, as long as a later time may need them.
//
// A record stays where the channel has it. A channel frees its memory in order, so one record that is needed
// for long would hold up all that come behind it. Two rules decide when the oldest record is copied out:
//   - more than half of the channel's capacity is in use for something else than records that are still ahead
//     of the model: for those of the present, and for released ones behind them;
//   - the model waits for a record. Then the oldest is copied at each look, so that in the end every packet
//     that fits into the channel can come.
// Records of fields that `stays` are copied when they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "input/prepared.hpp"
#include "input/time_rule.hpp"
#include "transport/aligned_bytes.hpp"
#include "transport/transport.hpp"

namespace tailrace::client {

struct StoreField {
  int field = -1;  // index in the declarations
  std::size_t payload_bytes = 0;
  bool stays = false;
  bool holds = false;  // the newest record is kept in place of those that cannot be had
};

// One thread. No call blocks. Fields are named by their number in the list that the constructor gets.
class RecordStore {
 public:
  using Lengthen = std::function<void(std::size_t, const input::FurtherRecords&)>;
  // `channel` may be null: nothing comes. `lengthen`: called with what packets `input_timeline` bring.
  RecordStore(std::unique_ptr<transport::Consumer> channel, std::vector<StoreField> fields,
              Lengthen lengthen);

  // Takes what has come. Returns false if nothing has.
  bool receive();
  bool may_receive() const;  // false: there is no sender any more
  // The payload of a record: input::RecordHead and the values. Valid until the next call that is not const.
  std::optional<std::span<const std::byte>> find(std::size_t field, std::int64_t place) const;
  // Why the record will not come.
  const base::Fault* fault(std::size_t field, std::int64_t place) const;
  // The highest place below this one whose record is there.
  std::optional<std::int64_t> last_before(std::size_t field, std::int64_t place) const;
  // The places that the present time needs: releases those below, and ends with make_room().
  void advance(std::span<const input::Places> now);
  void copy_oldest();  // if one is in the channel
  // The model has ended: drops all records, and what still comes. True once the sender has sent its last
  // packet, or there is none.
  bool drain();

  std::size_t copied_bytes() const { return copied_bytes_; }  // of all records that are there

 private:
  struct Kept {
    std::span<const std::byte> payload;
    std::optional<std::uint64_t> sequence;  // in the channel; none: in `copy`
    transport::AlignedBytes copy;
  };
  struct OfField {
    StoreField what;
    input::Places now{INT64_MIN, INT64_MIN};
    std::map<std::int64_t, Kept> records;  // by place
    std::map<std::int64_t, base::Fault> faults;
  };
  struct InChannel {
    std::size_t field = 0;
    std::int64_t place = 0;
    std::size_t bytes = 0;
  };

  void take(const transport::Packet& packet);
  void add(std::size_t field, const transport::Packet& packet);
  void release(OfField& of, std::map<std::int64_t, Kept>::iterator record);
  void release_passed(OfField& of);
  void copy(OfField& of, Kept& record);
  transport::AlignedBytes memory_of(std::size_t bytes);
  void keep_spare(std::size_t bytes, transport::AlignedBytes memory);
  void make_room();

  std::unique_ptr<transport::Consumer> channel_;
  std::vector<OfField> fields_;
  std::map<int, std::size_t> numbers_;  // by index in the declarations
  Lengthen lengthen_;
  std::map<std::uint64_t, InChannel> in_channel_;  // by sequence
  std::size_t copied_bytes_ = 0;
  // Memory of copies that were released, by its size: new pages would cost more than a copy does.
  std::multimap<std::size_t, transport::AlignedBytes> spare_;
  std::size_t spare_bytes_ = 0;
  bool is_ended_ = false;  // the last packet has come
};

}  // namespace tailrace::client
