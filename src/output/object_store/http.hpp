// Sends one signed request to the server of an object store.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "output/object_store/environment.hpp"

namespace tailrace::output::object_store {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;  // GET, HEAD, PUT, POST, DELETE
  std::string bucket, key;
  Pairs query = {};    // not encoded; in the order of their names, as the signature has them
  Pairs headers = {};  // lower-case names
  std::span<const std::byte> body = {};
};

struct Response {
  int status = 0;            // 0: there was no answer
  std::string failure = {};  // what the client said then
  std::string etag = {};     // with its quotes; empty: none
  double retry_after = 0.0;  // seconds that the server asks for
  std::uint64_t size = 0;    // of the object, for HEAD
  std::vector<std::byte> body = {};

  bool is_success() const { return status >= 200 && status < 300; }
  std::string_view text() const { return {reinterpret_cast<const char*>(body.data()), body.size()}; }
};

struct Server {
  std::string endpoint, region;
};

class Http {
 public:
  virtual ~Http() = default;
  // Blocks, at most half a minute without a byte. Never throws for a failure of the network or of the server.
  // Safe from any thread.
  virtual Response send(const Request& request, const Credentials& credentials) = 0;
  virtual const Server& server() const = 0;  // for messages
};

// By libcurl, which signs the requests (AWS Signature Version 4). Throws Error(configuration) if it is
// missing.
std::unique_ptr<Http> make_http(Server server);
// What to install where no client can be made; empty: nothing is missing. Loads libcurl.
std::string missing_client();

}  // namespace tailrace::output::object_store
