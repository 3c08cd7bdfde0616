// Names of datasets on object stores, "s3://BUCKET/KEY", and the characters of keys in requests.
#pragma once

#include <string>
#include <string_view>

namespace tailrace::output::object_store {

bool is_object_url(std::string_view path);  // begins with "s3://"
// Whether a path is meant as the name of a store that is not known: "S3://a/b", "s3:/a/b", "gs://a/b".
bool is_unknown_url(std::string_view path);

struct Location {
  std::string bucket;
  std::string key;  // of the dataset, without slashes at its end: "runs/a.zarr"
};

// Throws Error(configuration), without the path, for a name that a store would not take as it is: no bucket,
// no key, an empty part, "." or "..", a control character, a key of more than 800 bytes (a store takes 1,024,
// with the name of the object in the dataset).
Location location_of(std::string_view url);

// Every byte except A-Z a-z 0-9 - . _ ~ as %XX, as signatures require. `keeps_slashes`: "/" stays.
std::string percent_encoded(std::string_view text, bool keeps_slashes);
std::string percent_decoded(std::string_view text);  // "+" is a space; what is no %XX stays

}  // namespace tailrace::output::object_store
