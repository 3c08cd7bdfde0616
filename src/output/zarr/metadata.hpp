// The metadata of a store: JSON documents of the Zarr v3 specification, in the form that zarr-python and
// xarray read and write.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/dataset.hpp"

namespace tailrace::output::zarr {

using Json = nlohmann::ordered_json;

// Attributes of the store for programs. xarray hides names that begin with an underscore.
inline constexpr const char* properties_attribute = "_NCProperties";
inline constexpr const char* unlimited_attribute = "_nc_unlimited_dimensions";  // names
inline constexpr const char* types_attribute = "_nc_attribute_types";  // variable -> attribute -> type

inline constexpr const char* sharding_codec = "sharding_indexed";

// The metadata of an array. Throw Error(configuration) for values that JSON cannot represent.
Json array_of(const DatasetSpec& spec, const VariableSpec& variable, const std::vector<std::int64_t>& shape);
Json array_of(const DatasetSpec& spec, const TextSpec& text);
// The metadata of the store, which contain those of all arrays (`consolidated_metadata`). `lengths`: of the
// dims.
Json group_of(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths);

// Sets the attribute in the document of the store or, for one of a variable, in that of the array there.
void set_attribute(const DatasetSpec& spec, const LateAttribute& late, Json& group);

Json& arrays_in(Json& group);              // name -> document
const Json& arrays_in(const Json& group);  // throws Error(resource) if there are none
std::string text_of(const Json& document);

// From the metadata of an array: the shape of its chunks; the shape of its shards, empty where each chunk is
// a file; and the codecs of a chunk. Throw JSON errors, and Error(resource) for shards that no chunks make
// up.
std::vector<std::int64_t> chunk_in(const Json& array);
std::vector<std::int64_t> shard_in(const Json& array);
const Json& chunk_codecs_in(const Json& array);

// The name of the file of the chunk or shard with this corner, such as "theta/c/3/0/1". `shape`: of a file.
std::string chunk_name(const std::string& variable, const std::vector<std::int64_t>& corner,
                       const std::vector<std::int64_t>& shape);
// The inverse, for one folder or file after `c` in such a name: its number, of at most 18 digits. Nothing for
// other names.
std::optional<std::int64_t> number_in_name(std::string_view name);

}  // namespace tailrace::output::zarr
