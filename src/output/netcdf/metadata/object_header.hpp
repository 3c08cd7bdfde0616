// Reads and writes object headers of HDF5, version 2, as in the file format of HDF5 1.10. An object header
// describes a group or dataset: its links, shape, attributes and the address of its chunk index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tailrace::output::netcdf {

using Bytes = std::vector<std::byte>;
using ReadBytes = std::function<void(std::uint64_t address, std::span<std::byte> bytes)>;

// Little-endian numbers at any offset.
std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t place, std::size_t size);
void put_number(std::span<std::byte> bytes, std::size_t place, std::uint64_t number, std::size_t size);

enum class MessageType : std::uint8_t {
  nil = 0x00,
  dataspace = 0x01,
  link_info = 0x02,
  link = 0x06,
  layout = 0x08,
  attribute = 0x0c,
  continuation = 0x10,
  attribute_info = 0x15
};

struct HeaderMessage {
  MessageType type = MessageType::nil;
  std::uint8_t flags = 0;
  std::uint16_t order = 0;  // creation order; stored only if the header's flags say so
  Bytes data;
};

struct HeaderChunk {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

struct ObjectHeader {
  Bytes prefix;                         // the bytes before the size of the first chunk
  std::vector<HeaderMessage> messages;  // without continuation messages
  std::vector<HeaderChunk> chunks;      // the places of the header in the file
};

// Throws Error(resource) if there is no valid header at the address.
ObjectHeader read_object_header(const ReadBytes& read, std::uint64_t address);

// The first message of this type. Throws Error(resource) if the header has none.
const HeaderMessage& message_of(const ObjectHeader& header, MessageType type);

// The names and addresses of the objects in a group, by its hard links.
std::map<std::string, std::uint64_t> linked_objects(const ObjectHeader& group);

// The chunk of the header at `address` that has a message of this type, with `data` in place of the message's
// data, which has the same size. Throws Error(resource) if the header has no such message, or one of another
// size.
struct ChangedChunk {
  std::uint64_t address = 0;
  Bytes bytes;
};
ChangedChunk with_message(const ReadBytes& read, std::uint64_t address, MessageType type,
                          std::span<const std::byte> data);

// The first chunk of the header at `address` without times, which HDF5 stores in some headers whatever one
// asks.
ChangedChunk without_times(const ReadBytes& read, std::uint64_t address);

// Encodes a header with these messages in a single chunk.
Bytes encode_header(const ObjectHeader& header, std::span<const HeaderMessage> messages);
// Encodes a continuation chunk, and the continuation message that points to one.
Bytes encode_continuation(const ObjectHeader& header, std::span<const HeaderMessage> messages);
HeaderMessage lead_to(std::uint64_t address, std::uint64_t size);

// The name of an attribute, and the offset of its values in the message.
struct AttributeParts {
  std::string name;
  std::size_t values = 0;
};
AttributeParts parts_of_attribute(const HeaderMessage& message);

}  // namespace tailrace::output::netcdf
