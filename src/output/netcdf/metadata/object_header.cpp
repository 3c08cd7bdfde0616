#include "output/netcdf/metadata/object_header.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "output/netcdf/metadata/checksum.hpp"

namespace tailrace::output::netcdf {
namespace {

constexpr std::size_t signature_size = 4, checksum_size = 4;
constexpr unsigned size_width = 0x03, order_is_kept = 0x04, limits_are_kept = 0x10, times_are_kept = 0x20;

[[noreturn]] void refuse(const char* what) {
  throw Error(ErrorCode::resource, std::string("an object header of the file ") + what);
}

unsigned flags_of(const ObjectHeader& header) { return std::to_integer<unsigned>(header.prefix[5]); }

std::size_t message_header_size(unsigned flags) { return (flags & order_is_kept) != 0 ? 6 : 4; }

bool begins_with(std::span<const std::byte> bytes, std::string_view signature) {
  return bytes.size() >= signature.size() &&
         std::memcmp(bytes.data(), signature.data(), signature.size()) == 0;
}

void append(Bytes& bytes, std::uint64_t number, std::size_t size) {
  bytes.resize(bytes.size() + size);
  put_number(bytes, bytes.size() - size, number, size);
}

void append_messages(Bytes& bytes, unsigned flags, std::span<const HeaderMessage> messages) {
  for (const HeaderMessage& message : messages) {
    append(bytes, static_cast<std::uint8_t>(message.type), 1);
    append(bytes, message.data.size(), 2);
    append(bytes, message.flags, 1);
    if ((flags & order_is_kept) != 0) append(bytes, message.order, 2);
    bytes.insert(bytes.end(), message.data.begin(), message.data.end());
  }
}

// Adds the messages of a chunk; the caller follows the continuation messages.
void take_messages(std::span<const std::byte> area, unsigned flags, std::vector<HeaderMessage>& messages) {
  const std::size_t header = message_header_size(flags);
  while (area.size() >= header) {  // fewer bytes than that are a gap
    HeaderMessage message;
    message.type = static_cast<MessageType>(number_at(area, 0, 1));
    const auto size = static_cast<std::size_t>(number_at(area, 1, 2));
    message.flags = static_cast<std::uint8_t>(number_at(area, 3, 1));
    if ((flags & order_is_kept) != 0) message.order = static_cast<std::uint16_t>(number_at(area, 4, 2));
    if (area.size() < header + size) refuse("is cut off");
    const auto data = area.subspan(header, size);
    message.data.assign(data.begin(), data.end());
    messages.push_back(std::move(message));
    area = area.subspan(header + size);
  }
}

Bytes read_first_chunk(const ReadBytes& read, std::uint64_t address, ObjectHeader& header) {
  Bytes front(signature_size + 2);
  read(address, front);
  if (!begins_with(front, "OHDR") || number_at(front, 4, 1) != 2) refuse("is not where it should be");
  const auto flags = std::to_integer<unsigned>(front[5]);
  std::size_t prefix = front.size();
  if ((flags & times_are_kept) != 0) prefix += 16;
  if ((flags & limits_are_kept) != 0) prefix += 4;
  const std::size_t width = std::size_t{1} << (flags & size_width);
  Bytes with_size(prefix + width);
  read(address, with_size);
  Bytes area(static_cast<std::size_t>(number_at(with_size, prefix, width)));
  read(address + with_size.size(), area);
  header.chunks.push_back({address, with_size.size() + area.size() + checksum_size});
  with_size.resize(prefix);
  header.prefix = std::move(with_size);
  return area;
}

Bytes read_continuation(const ReadBytes& read, const HeaderChunk& at) {
  Bytes bytes(static_cast<std::size_t>(at.size));
  read(at.address, bytes);
  if (!begins_with(bytes, "OCHK") || bytes.size() < signature_size + checksum_size)
    refuse("is not where it should be");
  return {bytes.begin() + signature_size, bytes.end() - checksum_size};
}

}  // namespace

std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t place, std::size_t size) {
  if (place + size > bytes.size()) refuse("is cut off");
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i)
    number |= std::to_integer<std::uint64_t>(bytes[place + i]) << (8 * i);
  return number;
}

void put_number(std::span<std::byte> bytes, std::size_t place, std::uint64_t number, std::size_t size) {
  TAILRACE_ASSERT(place + size <= bytes.size(), "a number past the end of its bytes");
  for (std::size_t i = 0; i < size; ++i) bytes[place + i] = static_cast<std::byte>(number >> (8 * i));
}

ObjectHeader read_object_header(const ReadBytes& read, std::uint64_t address) {
  ObjectHeader header;
  std::vector<HeaderMessage> found;
  const Bytes first = read_first_chunk(read, address, header);
  take_messages(first, flags_of(header), found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].type != MessageType::continuation) continue;
    const HeaderChunk at{number_at(found[i].data, 0, 8), number_at(found[i].data, 8, 8)};
    header.chunks.push_back(at);
    take_messages(read_continuation(read, at), flags_of(header), found);
  }
  for (HeaderMessage& message : found)
    if (message.type != MessageType::continuation && message.type != MessageType::nil)
      header.messages.push_back(std::move(message));
  return header;
}

const HeaderMessage& message_of(const ObjectHeader& header, MessageType type) {
  for (const HeaderMessage& message : header.messages)
    if (message.type == type) return message;
  refuse("lacks a message");
}

// Version 1: version, flags, type of the link, creation order and character set if the flags say so, the size
// of the name, the name, and for a hard link the address.
std::map<std::string, std::uint64_t> linked_objects(const ObjectHeader& group) {
  constexpr unsigned size_of_name = 0x03, order = 0x04, type = 0x08, characters = 0x10;
  std::map<std::string, std::uint64_t> objects;
  for (const HeaderMessage& message : group.messages) {
    if (message.type != MessageType::link) continue;
    const auto flags = static_cast<unsigned>(number_at(message.data, 1, 1));
    std::size_t at = 2;
    if ((flags & type) != 0 && number_at(message.data, at++, 1) != 0) continue;  // not a hard link
    if ((flags & order) != 0) at += 8;
    if ((flags & characters) != 0) at += 1;
    const std::size_t width = std::size_t{1} << (flags & size_of_name);
    const auto size = static_cast<std::size_t>(number_at(message.data, at, width));
    at += width;
    if (at + size + 8 > message.data.size()) refuse("is cut off");
    const auto* text = reinterpret_cast<const char*>(message.data.data() + at);
    objects.emplace(std::string(text, size), number_at(message.data, at + size, 8));
  }
  return objects;
}

ChangedChunk with_message(const ReadBytes& read, std::uint64_t address, MessageType type,
                          std::span<const std::byte> data) {
  const ObjectHeader header = read_object_header(read, address);
  const unsigned flags = flags_of(header);
  for (const HeaderChunk& chunk : header.chunks) {
    Bytes bytes(static_cast<std::size_t>(chunk.size));
    read(chunk.address, bytes);
    const bool is_first = &chunk == &header.chunks.front();
    std::size_t at =
        is_first ? header.prefix.size() + (std::size_t{1} << (flags & size_width)) : signature_size;
    while (at + message_header_size(flags) + checksum_size <= bytes.size()) {
      const auto size = static_cast<std::size_t>(number_at(bytes, at + 1, 2));
      const bool is_it = number_at(bytes, at, 1) == static_cast<std::uint64_t>(type);
      at += message_header_size(flags);
      if (is_it) {
        if (size != data.size()) refuse("has a message of another size");
        std::memcpy(bytes.data() + at, data.data(), size);
        const std::size_t end = bytes.size() - checksum_size;
        put_number(bytes, end, metadata_checksum(std::span(bytes).first(end)), checksum_size);
        return {chunk.address, std::move(bytes)};
      }
      at += size;
    }
  }
  refuse("lacks a message");
}

ChangedChunk without_times(const ReadBytes& read, std::uint64_t address) {
  const HeaderChunk first = read_object_header(read, address).chunks.front();
  Bytes bytes(static_cast<std::size_t>(first.size));
  read(address, bytes);
  if ((std::to_integer<unsigned>(bytes[5]) & times_are_kept) != 0)
    std::fill_n(bytes.begin() + signature_size + 2, 16, std::byte{0});
  const std::size_t end = bytes.size() - checksum_size;
  put_number(bytes, end, metadata_checksum(std::span(bytes).first(end)), checksum_size);
  return {address, std::move(bytes)};
}

Bytes encode_header(const ObjectHeader& header, std::span<const HeaderMessage> messages) {
  constexpr std::size_t width = 4;
  Bytes bytes = header.prefix;
  bytes[5] = (bytes[5] & ~std::byte{size_width}) | std::byte{2};  // the exponent of the width, a power of two
  append(bytes, 0, width);
  const std::size_t begin = bytes.size();
  append_messages(bytes, flags_of(header), messages);
  put_number(bytes, begin - width, bytes.size() - begin, width);
  append(bytes, metadata_checksum(bytes), checksum_size);
  return bytes;
}

Bytes encode_continuation(const ObjectHeader& header, std::span<const HeaderMessage> messages) {
  Bytes bytes;
  for (const char letter : std::string_view("OCHK")) bytes.push_back(static_cast<std::byte>(letter));
  append_messages(bytes, flags_of(header), messages);
  append(bytes, metadata_checksum(bytes), checksum_size);
  return bytes;
}

HeaderMessage lead_to(std::uint64_t address, std::uint64_t size) {
  HeaderMessage message{MessageType::continuation, 0, 0, Bytes(16)};
  put_number(message.data, 0, address, 8);
  put_number(message.data, 8, size, 8);
  return message;
}

// Version 3: version, flags, sizes of name, type and shape, character set; then these three and the values.
AttributeParts parts_of_attribute(const HeaderMessage& message) {
  constexpr std::size_t front = 9;
  const Bytes& data = message.data;
  if (number_at(data, 0, 1) != 3) refuse("has an attribute of an unknown version");
  const auto name = static_cast<std::size_t>(number_at(data, 2, 2));
  const std::size_t values = front + name + static_cast<std::size_t>(number_at(data, 4, 2)) +
                             static_cast<std::size_t>(number_at(data, 6, 2));
  if (values > data.size() || name == 0) refuse("is cut off");
  const auto* text = reinterpret_cast<const char*>(data.data() + front);
  return {std::string(text, name - 1), values};
}

}  // namespace tailrace::output::netcdf
