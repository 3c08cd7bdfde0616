#include "server/input/input_messages.hpp"

#include <cstring>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"

namespace tailrace::server {

std::vector<std::byte> to_bytes(const WantedMessage& message) {
  base::ByteWriter writer;
  writer.put_all(std::span<const WantedRecord>(message.records));
  writer.put_all(std::span<const LowestPlace>(message.lowest));
  writer.put_all(std::span<const WantedFurther>(message.further));
  return writer.take();
}

WantedMessage wanted_in(std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  WantedMessage message;
  message.records = reader.get_all<WantedRecord>();
  message.lowest = reader.get_all<LowestPlace>();
  message.further = reader.get_all<WantedFurther>();
  return message;
}

std::vector<std::byte> fault_message(int field, std::int64_t place, const base::Fault& fault) {
  base::ByteWriter writer;
  writer.put(RecordMessageHead{field, 1, place});
  base::put_fault(writer, fault);
  return writer.take();
}

std::vector<std::byte> to_bytes(const FurtherMessage& message) {
  base::ByteWriter writer;
  writer.put(message.field);
  base::put_fault(writer, message.end);
  input::put_further(writer, message.further);
  return writer.take();
}

FurtherMessage further_in_message(std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  FurtherMessage message;
  message.field = reader.get<std::int32_t>();
  message.end = base::get_fault(reader);
  message.further = input::get_further(reader);
  return message;
}

RecordMessage record_in(const base::SharedBytes& bytes) {
  RecordMessage message;
  TAILRACE_ASSERT(bytes.size() >= sizeof message.head, "a message with a record has a head");
  std::memcpy(&message.head, bytes.data(), sizeof message.head);
  base::SharedBytes rest = bytes.part(sizeof message.head, bytes.size() - sizeof message.head);
  if (message.head.is_fault != 0) {
    base::ByteReader reader(rest);
    message.fault = base::get_fault(reader);
  } else {
    message.values = std::move(rest);
  }
  return message;
}

}  // namespace tailrace::server
