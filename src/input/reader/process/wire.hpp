// The end of a connection to a server, in a process that reads files for it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace tailrace::input::process {

// Why a request cannot be fulfilled. `trouble`: a word of the protocol (reader_process.hpp), or empty.
class Refusal : public std::runtime_error {
 public:
  explicit Refusal(const std::string& text, std::string trouble = {})
      : std::runtime_error(text), trouble_(std::move(trouble)) {}
  const std::string& trouble() const { return trouble_; }

 private:
  std::string trouble_;
};

// Memory that the server maps, and which neither end can resize. Throws Refusal.
class Pages {
 public:
  explicit Pages(std::size_t size);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  void* data() const { return mapped_; }
  int descriptor() const { return descriptor_; }

 private:
  std::size_t size_;
  int descriptor_;
  void* mapped_ = nullptr;
};

class Wire {
 public:
  // From now on this process ends at once when the server's end of the socket is closed, also in the middle
  // of a call of a library.
  explicit Wire(int socket);

  // The next request; blocks. Ends the process if the server is gone. Throws Refusal for what is no JSON.
  nlohmann::json receive();
  void answer(const nlohmann::json& message, const Pages* pages = nullptr);

 private:
  int socket_;
};

}  // namespace tailrace::input::process
