#include "server/input/record_delivery.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/log.hpp"

namespace tailrace::server {

using model::PacketKind;

namespace {

constexpr std::int64_t before_all = -1;  // in place of how far a record is ahead: a timeline

}  // namespace

RecordDelivery::Record::Record(int field, std::int64_t place, PacketKind kind, base::SharedBytes values,
                               std::shared_ptr<std::size_t> counted_in)
    : field(field), place(place), kind(kind), values(std::move(values)), counted_in(std::move(counted_in)) {
  *this->counted_in += this->values.size();
}

RecordDelivery::Record::~Record() { *counted_in -= values.size(); }

void RecordDelivery::add_client(std::size_t index, std::unique_ptr<transport::Producer> producer) {
  clients_.push_back({index, std::move(producer), {}});
}

void RecordDelivery::add(Client& client, Waiting waiting) {
  if (!client.producer) return;
  client.waiting.push_back(std::move(waiting));
  client.is_sorted = false;
}

void RecordDelivery::add(int field, std::int64_t place, std::int64_t ahead, base::SharedBytes values,
                         const std::vector<RecordCut::Place>& places) {
  const auto record =
      std::make_shared<const Record>(field, place, PacketKind::input_record, std::move(values), bytes_);
  for (Client& client : clients_) add(client, {record, places[client.index], ahead});
}

void RecordDelivery::add_fault(int field, std::int64_t place, std::int64_t ahead, const base::Fault& fault) {
  const auto record = std::make_shared<const Record>(field, place, PacketKind::input_fault,
                                                     base::fault_bytes({&fault, 1}), bytes_);
  for (Client& client : clients_) add(client, {record, {0, record->values.size()}, ahead});
}

void RecordDelivery::add_further(int field, const input::FurtherRecords& further) {
  base::ByteWriter writer;
  input::put_further(writer, further);
  const auto record =
      std::make_shared<const Record>(field, timelines_++, PacketKind::input_timeline, writer.take(), bytes_);
  for (Client& client : clients_) add(client, {record, {0, record->values.size()}, before_all});
}

void RecordDelivery::reorder(const std::function<std::int64_t(int field, std::int64_t place)>& ahead) {
  for (Client& client : clients_) {
    client.is_sorted = client.waiting.empty();
    for (Waiting& one : client.waiting)
      if (one.ahead != before_all) one.ahead = ahead(one.record->field, one.record->place);
  }
}

void RecordDelivery::drop_below(int field, std::int64_t lowest) {
  for (Client& client : clients_)
    std::erase_if(client.waiting, [&](const Waiting& one) {
      return one.ahead != before_all && one.record->field == field && one.record->place < lowest;
    });
}

bool RecordDelivery::waits() const {
  return std::ranges::any_of(clients_, [](const Client& client) { return !client.waiting.empty(); });
}

bool RecordDelivery::holds_up_client() const {
  return std::ranges::any_of(clients_, [](const Client& client) {
    return std::ranges::any_of(client.waiting, [](const Waiting& one) { return one.ahead <= 0; });
  });
}

bool RecordDelivery::progress() {
  bool moved = false;
  for (Client& client : clients_) {
    if (client.waiting.empty()) continue;
    if (!std::exchange(client.is_sorted, true))
      std::ranges::sort(client.waiting, std::ranges::greater{}, [](const Waiting& one) {
        return std::tuple(one.ahead, one.record->place, one.record->field);
      });
    moved = write(client) || moved;
  }
  return moved;
}

bool RecordDelivery::write(Client& client) {
  bool moved = false;
  try {
    while (!client.waiting.empty() && write(client, client.waiting.back())) {
      client.waiting.pop_back();
      moved = true;
    }
    client.producer->flush();
  } catch (...) {  // the client is gone, which its other channel tells
    client.producer.reset();
    client.waiting.clear();
  }
  return moved;
}

// False if there is no room yet.
bool RecordDelivery::write(Client& client, Waiting& next) {
  transport::Producer& producer = *client.producer;
  const std::size_t under_way = producer.bytes_under_way();
  if (under_way > 0 && under_way + next.part.bytes > producer.capacity()) return false;
  // An attempt in vain costs an exception, and wakes the client.
  if (under_way == client.full_at && next.part.bytes >= client.full_for) return false;
  std::span<std::byte> place;
  try {
    place = producer.reserve(next.part.bytes);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::full) {
      client.full_at = under_way;
      client.full_for = next.part.bytes;
      return false;
    }
    if (error.code() != ErrorCode::usage || next.record->kind != PacketKind::input_record) throw;
    base::log_error(error.what());  // a record that never fits the buffer
    const auto bytes = base::fault_bytes(std::vector{base::current_fault()});
    next = {std::make_shared<const Record>(next.record->field, next.record->place, PacketKind::input_fault,
                                           bytes, bytes_),
            {0, bytes.size()},
            next.ahead};
    return write(client, next);
  }
  const Record& record = *next.record;
  std::memcpy(place.data(), record.values.data() + next.part.begin, next.part.bytes);
  producer.publish({record.kind, record.field, record.place, 0.0});
  client.full_at = SIZE_MAX;
  return true;
}

void RecordDelivery::end() {
  for (Client& client : clients_) {
    client.waiting.clear();
    if (!client.producer) continue;
    try {
      static_cast<void>(client.producer->reserve(0));
      client.producer->publish({model::PacketKind::finish, 0, 0, 0.0});
      client.producer->flush();
    } catch (const Error&) {  // its buffer is full
      client.producer->abandon();
    }
  }
}

}  // namespace tailrace::server
