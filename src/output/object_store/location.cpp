#include "output/object_store/location.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"

namespace tailrace::output::object_store {
namespace {

constexpr std::string_view scheme = "s3://";
constexpr std::size_t longest_key = 800;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::configuration,
              fmt::format("{}; expected a name such as \"s3://bucket/run.zarr\"", why));
}

bool is_unreserved(unsigned char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// Servers and proxies treat such parts as those of a path, and change them.
void check_parts(std::string_view key) {
  while (true) {
    const std::size_t end = key.find('/');
    const std::string_view part = key.substr(0, end);
    if (part.empty()) refuse("the key has an empty part");
    if (part == "." || part == "..") refuse(fmt::format("the key has a part \"{}\"", part));
    if (end == std::string_view::npos) return;
    key.remove_prefix(end + 1);
  }
}

}  // namespace

bool is_object_url(std::string_view path) { return path.starts_with(scheme); }

bool is_unknown_url(std::string_view path) {
  const bool is_misspelt = path.starts_with("s3:/") || path.starts_with("S3:/");
  const std::size_t colon = path.find("://");
  const bool has_scheme = colon != path.npos && colon > 0 && path.find('/') > colon;
  return !is_object_url(path) && (is_misspelt || has_scheme);
}

Location location_of(std::string_view url) {
  if (!is_object_url(url)) refuse("is not the name of an object store");
  url.remove_prefix(scheme.size());
  for (const unsigned char c : url)
    if (c < ' ' || c == 127) refuse("the name has a control character");
  while (url.ends_with('/')) url.remove_suffix(1);
  const std::size_t slash = url.find('/');
  if (slash == std::string_view::npos || slash == 0) refuse("has no bucket, or no key after it");
  const std::string_view bucket = url.substr(0, slash), key = url.substr(slash + 1);
  for (const char c : bucket)
    if (!is_unreserved(static_cast<unsigned char>(c)))
      refuse(fmt::format("the bucket \"{}\" has a character that buckets do not have", bucket));
  if (key.size() > longest_key)
    refuse(fmt::format("the key has {} bytes, and {} are the most", key.size(), longest_key));
  check_parts(key);
  return {std::string(bucket), std::string(key)};
}

std::string percent_encoded(std::string_view text, bool keeps_slashes) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(byte) || (keeps_slashes && c == '/'))
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", byte);
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* const end = text.data() + i + 3;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, end, value, 16).ptr == end) {
      decoded += static_cast<char>(value);
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

}  // namespace tailrace::output::object_store
