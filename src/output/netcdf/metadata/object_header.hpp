// Object headers of HDF5 as bytes: version 2, as the format of HDF5 1.10 has them. An object header says all
// of a group or dataset: links, shape, where the chunks are, attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tailrace::output::netcdf {

using Bytes = std::vector<std::byte>;
using ReadBytes = std::function<void(std::uint64_t address, std::span<std::byte> bytes)>;

// Little-endian numbers anywhere in bytes.
std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t place, std::size_t size);
void put_number(std::span<std::byte> bytes, std::size_t place, std::uint64_t number, std::size_t size);

enum class MessageType : std::uint8_t {
  nil = 0x00,
  dataspace = 0x01,
  link = 0x06,
  layout = 0x08,
  attribute = 0x0c,
  continuation = 0x10
};

struct HeaderMessage {
  MessageType type = MessageType::nil;
  std::uint8_t flags = 0;
  std::uint16_t order = 0;  // of creation; in the bytes only if the header says so
  Bytes data;
};

struct HeaderChunk {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

struct ObjectHeader {
  Bytes prefix;                         // all that comes before the size of the first chunk
  std::vector<HeaderMessage> messages;  // without those that only lead to another chunk
  std::vector<HeaderChunk> chunks;      // where it lies
};

// Throws Error(resource) for what is none.
ObjectHeader read_object_header(const ReadBytes& read, std::uint64_t address);

// The header in one chunk with these messages.
Bytes encode_header(const ObjectHeader& header, std::span<const HeaderMessage> messages);
// A chunk of it that lies elsewhere, and the message that leads there.
Bytes encode_continuation(const ObjectHeader& header, std::span<const HeaderMessage> messages);
HeaderMessage lead_to(std::uint64_t address, std::uint64_t size);

// An attribute's name and where its values begin in the message.
struct AttributeParts {
  std::string name;
  std::size_t values = 0;
};
AttributeParts parts_of_attribute(const HeaderMessage& message);

}  // namespace tailrace::output::netcdf
