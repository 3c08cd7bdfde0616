#include "checkpoint/manifest.hpp"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "base/version.hpp"
#include "checkpoint/checksums.hpp"

namespace tailrace::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "tailrace checkpoint";
constexpr std::string_view byte_order = "little";
static_assert(std::endian::native == std::endian::little, "shards are written in the byte order of memory");

// The end of every manifest, in any version: the checksum of the text before it.
std::string ending_of(std::string_view before) {
  return fmt::format(",\n \"crc32\": \"{:08x}\"\n}}\n", checksum(std::as_bytes(std::span(before))));
}

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::resource, why); }

Json to_json(const StoredArray& stored) {
  const model::StateArray& array = stored.array;
  return {{"name", array.name},
          {"type", model::name_of(array.type)},
          {"dims", array.dims},
          {"shape", array.shape},
          {"address", stored.address}};
}

Json to_json(const Shard& shard) {
  Json arrays = Json::array();
  for (const StoredArray& array : shard.arrays) arrays.push_back(to_json(array));
  Json json{{"name", shard.name},
            {"bytes", shard.bytes},
            {"checksums", shard.checksums},
            {"arrays", std::move(arrays)}};
  if (shard.buffered) json["buffered"] = {{"host", shard.buffered->host}, {"path", shard.buffered->path}};
  return json;
}

model::DataType type_of(const std::string& name) {
  for (const model::DataType type : model::all_data_types())
    if (model::name_of(type) == name) return type;
  fail(fmt::format("names the unknown type \"{}\"", name));
}

StoredArray array_of(const Json& json) {
  StoredArray stored;
  json.at("name").get_to(stored.array.name);
  stored.array.type = type_of(json.at("type").get<std::string>());
  json.at("dims").get_to(stored.array.dims);
  json.at("shape").get_to(stored.array.shape);
  json.at("address").get_to(stored.address);
  return stored;
}

Shard shard_of(const Json& json) {
  Shard shard;
  json.at("name").get_to(shard.name);
  json.at("bytes").get_to(shard.bytes);
  json.at("checksums").get_to(shard.checksums);
  for (const Json& array : json.at("arrays")) shard.arrays.push_back(array_of(array));
  if (const auto buffered = json.find("buffered"); buffered != json.end())
    shard.buffered = Buffered{buffered->at("host"), buffered->at("path")};
  return shard;
}

void check_ending(std::string_view text) {
  const std::size_t length = ending_of("").size();
  if (text.size() < length || !text.ends_with("\"\n}\n"))
    fail(fmt::format("is cut off after {} bytes", text.size()));
  const std::string_view before = text.substr(0, text.size() - length);
  if (text.substr(before.size()) != ending_of(before)) fail("is damaged: its checksum does not match");
}

void check_kind(const Json& json) {
  if (json.at("format").get<std::string>() != format_name) fail("is not a manifest of a checkpoint");
  if (const int version = json.at("version").get<int>(); version > format_version)
    throw Refused{
        fmt::format("was written in version {} of the format, by Tailrace {}; this Tailrace ({}) reads "
                    "versions up to {}",
                    version, json.value("written_by", std::string("?")), base::version, format_version)};
  if (const auto order = json.at("byte_order").get<std::string>(); order != byte_order)
    throw Refused{
        fmt::format("has its numbers in {}-endian order, and this machine has them in {}-endian order", order,
                    byte_order)};
}

}  // namespace

std::string to_text(const Manifest& manifest) {
  for (const auto& [name, text] : manifest.texts)
    TAILRACE_ASSERT(base::valid_utf8(text) == text.size(), fmt::format("text \"{}\" is not UTF-8", name));
  Json shards = Json::array();
  for (const Shard& shard : manifest.shards) shards.push_back(to_json(shard));
  const Json json = {{"format", format_name},
                     {"version", format_version},
                     {"written_by", base::version},
                     {"byte_order", byte_order},
                     {"component", manifest.head.component},
                     {"step", manifest.head.step},
                     {"time", manifest.head.time},
                     {"region_bytes", region_bytes},
                     {"texts", manifest.texts},
                     {"members", std::move(shards)}};
  std::string text = json.dump(1);
  text.resize(text.size() - std::string_view("\n}").size());
  return text + ending_of(text);
}

Manifest manifest_of(std::string_view text) {
  check_ending(text);
  try {
    const Json json = Json::parse(text);
    check_kind(json);
    Manifest manifest;
    json.at("component").get_to(manifest.head.component);
    json.at("step").get_to(manifest.head.step);
    json.at("time").get_to(manifest.head.time);
    json.at("texts").get_to(manifest.texts);
    for (const Json& shard : json.at("members")) manifest.shards.push_back(shard_of(shard));
    return manifest;
  } catch (const nlohmann::json::exception& error) {
    fail(fmt::format("cannot be read: {}", error.what()));
  }
}

}  // namespace tailrace::checkpoint
