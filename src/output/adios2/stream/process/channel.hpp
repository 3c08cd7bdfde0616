// The end of the server's socket in the process of a stream.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace tailrace::output::adios2::stream {

// Bytes in memory that another process filled.
class Mapping {
 public:
  Mapping() = default;
  explicit Mapping(int descriptor);  // which it closes. Throws std::runtime_error
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

struct Message {
  std::string word, rest;  // before and behind the first space
  Mapping attached;
};

class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}
  std::optional<Message> receive() const;  // waits; nothing when the server is gone
  void send(const std::string& message) const;
  int descriptor() const { return socket_; }

 private:
  int socket_;
};

}  // namespace tailrace::output::adios2::stream
