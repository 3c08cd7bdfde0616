#include "output/object_store/environment.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "base/error.hpp"

namespace tailrace::output::object_store {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

// A section of an INI file: [profile], then lines `name = value`. # and ; begin comments.
Credentials in_profile(const std::string& text, const std::string& profile) {
  Credentials found;
  std::istringstream lines(text);
  bool is_inside = false;
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      is_inside = line.back() == ']' && trimmed(line.substr(1, line.size() - 2)) == profile;
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!is_inside || equals == std::string::npos) continue;
    const std::string name = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (name == "aws_access_key_id") found.key_id = value;
    if (name == "aws_secret_access_key") found.secret = value;
    if (name == "aws_session_token") found.token = value;
  }
  return found;
}

std::string path_of_file(const Variables& variables) {
  if (const auto given = variables("AWS_SHARED_CREDENTIALS_FILE")) return *given;
  const auto home = variables("HOME");
  return home ? *home + "/.aws/credentials" : "";
}

}  // namespace

std::optional<std::string> process_variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::string region_of(const Variables& variables) {
  for (const char* const name : {"AWS_REGION", "AWS_DEFAULT_REGION"})
    if (const auto given = variables(name)) return *given;
  return "us-east-1";
}

std::string endpoint_of(const Variables& variables) {
  for (const char* const name : {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}) {
    auto given = variables(name);
    if (!given) continue;
    while (given->ends_with('/')) given->pop_back();
    const std::size_t host = given->find("://") + 3;
    if ((!given->starts_with("http://") && !given->starts_with("https://")) ||
        given->find_first_of("/?# ", host) != std::string::npos || given->size() == host)
      throw Error(ErrorCode::configuration,
                  fmt::format("the environment variable {} is \"{}\"; expected the address of a server, such "
                              "as https://s3.example.org or http://127.0.0.1:9000",
                              name, *given));
    return *given;
  }
  return fmt::format("https://s3.{}.amazonaws.com", region_of(variables));
}

Credentials credentials_of(const Variables& variables, const env::FileSystem& files) {
  if (const auto key_id = variables("AWS_ACCESS_KEY_ID")) {
    const auto secret = variables("AWS_SECRET_ACCESS_KEY");
    if (!secret)
      throw Error(ErrorCode::resource,
                  "the environment has AWS_ACCESS_KEY_ID without AWS_SECRET_ACCESS_KEY; expected both");
    return {*key_id, *secret, variables("AWS_SESSION_TOKEN").value_or(""), "AWS_ACCESS_KEY_ID"};
  }
  const std::string path = path_of_file(variables);
  const std::string profile = variables("AWS_PROFILE").value_or("default");
  if (!path.empty() && files.exists(path)) {
    Credentials found = in_profile(files.read(path), profile);
    found.source = path;
    if (!found.key_id.empty() && !found.secret.empty()) return found;
  }
  throw Error(
      ErrorCode::resource,
      fmt::format("there are no credentials for the object store at {}; expected AWS_ACCESS_KEY_ID and "
                  "AWS_SECRET_ACCESS_KEY in the environment (for a run: in that of its servers), or the "
                  "profile \"{}\" in {}. AWS_ENDPOINT_URL names another store",
                  endpoint_of(variables), profile, path.empty() ? "~/.aws/credentials" : path));
}

}  // namespace tailrace::output::object_store
