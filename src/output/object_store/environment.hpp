// The endpoint, region and credentials of an object store, from the variables and files that other programs
// for S3 read, too.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "env/file_system.hpp"

namespace tailrace::output::object_store {

struct Credentials {
  std::string key_id, secret;
  std::string token;   // of temporary credentials; may be empty
  std::string source;  // for messages: "AWS_ACCESS_KEY_ID", or the path of the file

  bool operator==(const Credentials&) const = default;
};

// A variable of the environment; nothing where it is not set, or empty.
using Variables = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> process_variable(const char* name);

// AWS_ENDPOINT_URL_S3, or AWS_ENDPOINT_URL, or that of Amazon in the region; without a slash at the end.
// Throws Error(configuration) for what is no URL of a server.
std::string endpoint_of(const Variables& variables);
std::string region_of(const Variables& variables);  // AWS_REGION, AWS_DEFAULT_REGION, or us-east-1

// From AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN or, where the first is not set, from
// the profile AWS_PROFILE (`default`) of the file AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials). Reads the
// file at each call, since another program may renew it. Throws Error(resource) if there are none; it names
// the endpoint and these variables.
Credentials credentials_of(const Variables& variables, const env::FileSystem& files);

}  // namespace tailrace::output::object_store
