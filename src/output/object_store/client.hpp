// The requests to one bucket that a dataset needs, each repeated after faults that pass.
//
// Every object is replaced as a whole: a reader finds the old or the new one, never a mixture. Failures are
// Error(resource) with the server, the request, its answer and a remedy; the caller adds the name of the
// dataset. Safe from any thread; every call blocks until it has an answer or the patience has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/thread_safety.hpp"
#include "env/clock.hpp"
#include "output/object_store/http.hpp"

namespace tailrace::output::object_store {

struct ClientOptions {
  double patience = 0.0;       // seconds during which a request is tried again
  std::size_t part_bytes = 0;  // larger objects are sent in parts of this size, at least 5 MiB
};

// The object is not as the condition of a put demands: another program has made or changed it.
class Conflict : public Error {
 public:
  using Error::Error;
};

class Client {
 public:
  // `files`: for the credentials. `clock`: for back-off.
  Client(std::unique_ptr<Http> http, std::string bucket, ClientOptions options,
         Variables variables = process_variable, const env::FileSystem& files = env::system_files(),
         env::Clock& clock = env::system_clock());

  struct Object {
    std::vector<std::byte> bytes;
    std::string etag;
  };
  struct Head {
    std::uint64_t size = 0;
    std::string etag;
  };
  std::optional<Object> get(const std::string& key) const;  // nothing: there is no such object
  // Throws for an object that does not exist, or is too short.
  std::vector<std::byte> get_range(const std::string& key, std::uint64_t address, std::uint64_t size) const;
  // Throws for an answer without an ETag.
  std::optional<Head> head(const std::string& key) const;

  // Whether the object must not exist yet, or else must still have this ETag.
  struct Condition {
    bool is_new = false;
    std::string etag = {};
  };
  // Returns the ETag. Throws Conflict where the condition does not hold, and Error for a condition without an
  // ETag, or if the store gives none. The body of a put with a condition differs from those of other
  // programs: where the condition does not hold, or the answer has no ETag, an object with this body is our
  // own.
  std::string put(const std::string& key, std::span<const std::byte> body, const Condition& condition) const;
  // Replaces the object, in parts if it is large. Parts of an upload that fails are removed again.
  void put(const std::string& key, std::span<const std::byte> body) const;
  void remove(const std::string& key) const;  // no error if there is no such object

  struct Listing {
    std::vector<std::pair<std::string, std::uint64_t>> objects;  // key and size in bytes
    std::vector<std::string> folders;  // beginnings of keys up to the delimiter after the prefix
  };
  // `delimiter`: "/", or "" for all keys below the prefix. `most`: stops after so many entries; 0: all.
  Listing list(const std::string& prefix, const std::string& delimiter, int most = 0) const;

 private:
  struct Answer {
    Response response;
    int failures = 0;  // that passed, before it
  };
  // `correct`: gives each answer the status that its body tells; null: the answer's own stands.
  Answer ask(Request request, void (*correct)(Response&) = nullptr) const;
  Credentials credentials() const TAILRACE_EXCLUDES(mutex_);
  bool renew_credentials(const Credentials& refused) const TAILRACE_EXCLUDES(mutex_);
  void put_in_parts(const std::string& key, std::span<const std::byte> body) const;
  bool put_parts(const std::string& key, const std::string& upload, std::span<const std::byte> body) const;
  void abort_upload(const std::string& key, const std::string& upload) const noexcept;
  bool waits_for_credentials(const Response& response) const;
  const std::string& known(const std::string& etag, const std::string& key) const;
  [[noreturn]] void refuse(const Request& request, const Answer& answer) const;
  std::string remedy(const Response& response, const std::string& code) const;

  std::unique_ptr<Http> http_;
  const std::string bucket_;
  const ClientOptions options_;
  const Variables variables_;
  const env::FileSystem& files_;
  env::Clock& clock_;
  mutable base::Mutex mutex_;
  mutable std::optional<Credentials> credentials_ TAILRACE_GUARDED_BY(mutex_);
  mutable std::uint64_t seed_ TAILRACE_GUARDED_BY(mutex_);  // of the next request's jitter
};

// A client for the bucket, with endpoint and region of the environment.
std::unique_ptr<Client> make_client(const std::string& bucket, ClientOptions options);

}  // namespace tailrace::output::object_store
