#include "client/input/record_store.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"

namespace tailrace::client {

using model::PacketKind;

RecordStore::RecordStore(std::unique_ptr<transport::Consumer> channel, std::vector<StoreField> fields,
                         Lengthen lengthen)
    : channel_(std::move(channel)), lengthen_(std::move(lengthen)) {
  for (const StoreField& field : fields) {
    numbers_[field.field] = fields_.size();
    fields_.emplace_back().what = field;
  }
}

bool RecordStore::may_receive() const { return channel_ && !is_ended_ && channel_->alive(); }

bool RecordStore::receive() {
  bool has_come = false;
  while (channel_) {
    const auto packet = channel_->next();
    if (!packet) break;
    has_come = true;
    take(*packet);
  }
  if (has_come) make_room();
  return has_come;
}

void RecordStore::take(const transport::Packet& packet) {
  const PacketKind kind = packet.header.kind;
  if (kind == PacketKind::finish || kind == PacketKind::abandon) {
    is_ended_ = true;
    return channel_->release(packet.sequence);
  }
  const auto number = numbers_.find(packet.header.number);
  TAILRACE_ASSERT(number != numbers_.end(), "a packet of input is of a field that is none");
  if (kind == PacketKind::input_record) return add(number->second, packet);
  base::ByteReader reader(packet.payload);
  if (kind == PacketKind::input_fault) {
    const auto fault = base::get_fault(reader);
    TAILRACE_ASSERT(fault.has_value(), "a packet of a fault has none");
    fields_[number->second].faults.emplace(packet.header.step, *fault);
  } else {
    TAILRACE_ASSERT(kind == PacketKind::input_timeline, "a packet of input is of an unknown kind");
    lengthen_(number->second, input::get_further(reader));
  }
  channel_->release(packet.sequence);
}

// One that came too late, or twice, is of no use.
void RecordStore::add(std::size_t field, const transport::Packet& packet) {
  OfField& of = fields_[field];
  const std::int64_t place = packet.header.step;
  TAILRACE_ASSERT(packet.payload.size() == of.what.payload_bytes,
                  "a record of input has another size than this rank's cells");
  const bool is_late = !of.what.stays && !of.what.holds && place < of.now.lowest;
  if (is_late || of.records.contains(place)) return channel_->release(packet.sequence);
  Kept& record = of.records[place];
  record.payload = packet.payload;
  record.sequence = packet.sequence;
  in_channel_[packet.sequence] = {field, place, packet.payload.size()};
  if (of.what.stays) copy(of, record);
  if (of.what.holds) release_passed(of);
}

void RecordStore::copy(OfField& of, Kept& record) {
  const std::size_t bytes = of.what.payload_bytes;
  record.copy = memory_of(bytes);
  std::memcpy(record.copy.get(), record.payload.data(), bytes);
  copied_bytes_ += bytes;
  record.payload = {record.copy.get(), bytes};
  in_channel_.erase(*record.sequence);
  channel_->release(*std::exchange(record.sequence, std::nullopt));
}

transport::AlignedBytes RecordStore::memory_of(std::size_t bytes) {
  const auto found = spare_.find(bytes);
  if (found == spare_.end()) return transport::allocate_aligned(bytes);
  spare_bytes_ -= bytes;
  return std::move(spare_.extract(found).mapped());
}

// Never more than copies are there, so that the memory of a burst of copies is given back in time.
void RecordStore::keep_spare(std::size_t bytes, transport::AlignedBytes memory) {
  if (spare_bytes_ + bytes > copied_bytes_) return;
  spare_bytes_ += bytes;
  spare_.emplace(bytes, std::move(memory));
}

void RecordStore::copy_oldest() {
  if (in_channel_.empty()) return;
  const InChannel oldest = in_channel_.begin()->second;
  OfField& of = fields_[oldest.field];
  copy(of, of.records.at(oldest.place));
}

void RecordStore::make_room() {
  if (!channel_ || channel_->bytes_under_way() <= channel_->capacity() / 2) return;
  std::size_t ahead = 0;
  for (const auto& [sequence, one] : in_channel_)
    if (one.place > fields_[one.field].now.highest) ahead += one.bytes;
  while (!in_channel_.empty() && channel_->bytes_under_way() > channel_->capacity() / 2 + ahead) {
    const InChannel& oldest = in_channel_.begin()->second;
    if (oldest.place > fields_[oldest.field].now.highest) ahead -= oldest.bytes;
    copy_oldest();
  }
}

void RecordStore::release(OfField& of, std::map<std::int64_t, Kept>::iterator record) {
  if (const auto& sequence = record->second.sequence) {
    in_channel_.erase(*sequence);
    channel_->release(*sequence);
  } else {
    copied_bytes_ -= of.what.payload_bytes;
    keep_spare(of.what.payload_bytes, std::move(record->second.copy));
  }
  of.records.erase(record);
}

// Where a later record may turn out to be unreadable, the newest of those that are passed stays.
void RecordStore::release_passed(OfField& of) {
  std::int64_t lowest = of.now.lowest;
  if (of.what.holds) {
    const auto above = of.records.upper_bound(lowest);
    if (above == of.records.begin()) return;
    lowest = std::prev(above)->first;
  }
  while (!of.records.empty() && of.records.begin()->first < lowest) release(of, of.records.begin());
  of.faults.erase(of.faults.begin(), of.faults.lower_bound(of.now.lowest));
}

void RecordStore::advance(std::span<const input::Places> now) {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (fields_[f].what.stays) continue;
    fields_[f].now = now[f];
    release_passed(fields_[f]);
  }
  make_room();
}

bool RecordStore::drain() {
  if (!channel_) return true;
  for (OfField& of : fields_)
    while (!of.records.empty()) release(of, of.records.begin());
  while (const auto packet = channel_->next()) {
    const PacketKind kind = packet->header.kind;
    is_ended_ = is_ended_ || kind == PacketKind::finish || kind == PacketKind::abandon;
    channel_->release(packet->sequence);
  }
  return is_ended_ || !channel_->alive();
}

std::optional<std::span<const std::byte>> RecordStore::find(std::size_t field, std::int64_t place) const {
  const auto found = fields_[field].records.find(place);
  return found == fields_[field].records.end() ? std::nullopt : std::optional(found->second.payload);
}

const base::Fault* RecordStore::fault(std::size_t field, std::int64_t place) const {
  const auto found = fields_[field].faults.find(place);
  return found == fields_[field].faults.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> RecordStore::last_before(std::size_t field, std::int64_t place) const {
  const auto& records = fields_[field].records;
  const auto at = records.lower_bound(place);
  return at == records.begin() ? std::nullopt : std::optional(std::prev(at)->first);
}

}  // namespace tailrace::client
