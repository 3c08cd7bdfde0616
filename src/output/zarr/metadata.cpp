#include "output/zarr/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/utf8.hpp"
#include "codecs/lorenzo/filter_id.hpp"
#include "codecs/own_plugin.hpp"
#include "output/checks.hpp"
#include "output/zarr/frame.hpp"
#include "output/zarr/shard_grid.hpp"

namespace tailrace::output::zarr {
namespace {

// c-blosc limits a frame to just under 2 GiB; this limit is well below it.
constexpr std::size_t largest_frame = std::size_t{512} << 20;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::configuration, why); }

std::string checked_text(const std::string& owner, const std::string& text) {
  if (base::valid_utf8(text) != text.size())
    refuse(fmt::format("{}: the text \"{}\" is not UTF-8, but Zarr stores texts as JSON", owner,
                       base::quotable(text)));
  return text;
}

template <class T>
Json number(const std::string& owner, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value))
      refuse(fmt::format("{}: {} cannot be a Zarr attribute, since JSON has no such number", owner, value));
    return static_cast<double>(value);
  } else {
    return static_cast<std::int64_t>(value);
  }
}

Json value_of(const std::string& owner, const std::string& text) { return checked_text(owner, text); }
template <class T>
Json value_of(const std::string& owner, T value) {
  return number(owner, value);
}
// A list of one number becomes a number, as in readers of netCDF.
template <class T>
Json value_of(const std::string& owner, const std::vector<T>& values) {
  if (values.size() == 1) return number(owner, values[0]);
  Json list = Json::array();
  for (const T value : values) list.push_back(number(owner, value));
  return list;
}

Json attributes_of(const std::string& owner, const Attributes& attributes) {
  Json all = Json::object();
  for (const auto& [name, value] : attributes)
    all[checked_text(owner, name)] = std::visit(
        [&](const auto& held) { return value_of(fmt::format("{}attribute \"{}\"", owner, name), held); },
        value);
  return all;
}

std::string type_in_words(const std::string&) { return ""; }
template <class T>
std::string type_in_words(T) {
  return std::string(model::name_of(model::data_type_of<T>()));
}
template <class T>
std::string type_in_words(const std::vector<T>&) {
  return type_in_words(T{});
}

// The types of attributes that a reader cannot infer from JSON.
Json types_of(const Attributes& attributes) {
  Json types = Json::object();
  for (const auto& [name, value] : attributes) {
    const std::string type = std::visit([](const auto& held) { return type_in_words(held); }, value);
    if (!type.empty() && type != "float64" && type != "int64") types[name] = type;
  }
  return types;
}

template <class T>
Json fill_as_json(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return static_cast<double>(value);
  } else {
    return static_cast<std::int64_t>(value);
  }
}

std::string base64_of(double value) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::string text;
  for (unsigned first = 0; first < 9; first += 3) {
    std::uint32_t three = 0;
    for (unsigned i = 0; i < 3; ++i)
      three = three << 8 | (first + i < 8 ? static_cast<std::uint32_t>(bits >> 8 * (first + i) & 0xff) : 0);
    for (int shift = 18; shift >= 0; shift -= 6) text += digits[three >> shift & 63];
  }
  text.back() = '=';  // the padding for eight bytes
  return text;
}

// xarray stores `_FillValue` of real variables as base64 of a double, since JSON has no NaN and no exact
// bits.
template <class T>
Json fill_attribute(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return base64_of(static_cast<double>(value));
  else
    return static_cast<std::int64_t>(value);
}

template <class T>
T fill_of(const VariableSpec& variable) {
  const model::FillValue fill = variable.fill_value.value_or(model::default_fill(variable.type));
  if (!model::can_hold(variable.type, fill.number))
    refuse(fmt::format("variable \"{}\": fill value {} is not a value of type {}", variable.name, fill.number,
                       model::name_of(variable.type)));
  return fill.as<T>();
}

Json named(const char* name, Json configuration) {
  return {{"name", name}, {"configuration", std::move(configuration)}};
}

Json codecs_of_chunk(const VariableSpec& variable) {
  const std::size_t element = model::size_of(variable.type);
  Json all = Json::array();
  all.push_back(element == 1 ? Json{{"name", "bytes"}} : named("bytes", {{"endian", "little"}}));
  if (!is_framed(variable)) return all;
  if (codecs::needs_own_plugin(variable.codec.codec)) {
    all.push_back(named(codecs::lorenzo::zarr_name, Json::object()));
    return all;
  }
  all.push_back(named("blosc", {{"cname", variable.codec.codec},
                                {"clevel", std::min(variable.codec.level, 9)},
                                {"shuffle", variable.codec.shuffle ? "shuffle" : "noshuffle"},
                                {"typesize", element},
                                {"blocksize", 0}}));
  return all;
}

Json codecs_of(const VariableSpec& variable, const std::vector<std::int64_t>& shard) {
  if (shard.empty()) return codecs_of_chunk(variable);
  const Json index_codecs = Json::array({named("bytes", {{"endian", "little"}}), {{"name", "crc32c"}}});
  return Json::array({named(sharding_codec, {{"chunk_shape", variable.chunk},
                                             {"codecs", codecs_of_chunk(variable)},
                                             {"index_codecs", index_codecs},
                                             {"index_location", "end"}})});
}

Json dimension_names(const DatasetSpec& spec, const std::vector<int>& dims) {
  Json names = Json::array();
  for (const int dim : dims) names.push_back(checked_text("dimension", spec.dims[base::index(dim)].name));
  return names;
}

struct Parts {
  Json shape, data_type, chunk, fill_value, codecs, attributes, dimension_names;
};

Json document(Parts parts) {
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", std::move(parts.shape)},
          {"data_type", std::move(parts.data_type)},
          {"chunk_grid", named("regular", {{"chunk_shape", std::move(parts.chunk)}})},
          {"chunk_key_encoding", named("default", {{"separator", "/"}})},
          {"fill_value", std::move(parts.fill_value)},
          {"codecs", std::move(parts.codecs)},
          {"attributes", std::move(parts.attributes)},
          {"dimension_names", std::move(parts.dimension_names)},
          {"storage_transformers", Json::array()}};
}

void check_name(const std::string& name) {
  if (name == "zarr.json" || name.starts_with("__") || name.find_first_not_of('.') == std::string::npos)
    refuse(fmt::format("variable \"{}\": the name is reserved by Zarr; expected another `name`", name));
  checked_text("variable", name);
}

}  // namespace

Json array_of(const DatasetSpec& spec, const VariableSpec& variable, const std::vector<std::int64_t>& shape) {
  check_name(variable.name);
  const std::size_t bytes = bytes_of_chunk(spec, variable);
  if (is_framed(variable) && bytes > largest_frame)
    refuse(fmt::format(
        "variable \"{}\": a chunk of {} bytes is compressed; Zarr's blosc takes at most 512 MiB: expected a "
        "smaller `chunk`, or `compression: none`",
        variable.name, bytes));
  const std::string owner = fmt::format("variable \"{}\": ", variable.name);
  const std::vector<std::int64_t> shard = shard_of(spec, variable);
  Parts parts{.shape = shape,
              .data_type = std::string(model::name_of(variable.type)),
              .chunk = shard.empty() ? chunk_of(spec, variable) : shard,
              .fill_value = {},
              .codecs = codecs_of(variable, shard),
              .attributes = attributes_of(owner, variable.attributes),
              .dimension_names = dimension_names(spec, variable.dims)};
  model::dispatch(variable.type, [&](auto sample) {
    const auto fill = fill_of<decltype(sample)>(variable);
    parts.fill_value = fill_as_json(fill);
    if (variable.fill_value) parts.attributes["_FillValue"] = fill_attribute(fill);
  });
  return document(std::move(parts));
}

Json array_of(const DatasetSpec& spec, const TextSpec& text) {
  check_name(text.name);
  std::vector<std::int64_t> shape;
  for (const int dim : text.dims) shape.push_back(spec.dims[base::index(dim)].size);
  return document({.shape = shape,
                   .data_type = named("null_terminated_bytes", {{"length_bytes", 1}}),
                   .chunk = shape,
                   .fill_value = "",
                   .codecs = Json::array({{{"name", "bytes"}}}),
                   .attributes = attributes_of(fmt::format("variable \"{}\": ", text.name), text.attributes),
                   .dimension_names = dimension_names(spec, text.dims)});
}

void set_attribute(const DatasetSpec& spec, const LateAttribute& late, Json& group) {
  const Attributes one{{late.name, late.value}};
  const std::string variable = late.variable < 0 ? "" : spec.variables[base::index(late.variable)].name;
  Json& document = variable.empty() ? group : arrays_in(group)[variable];
  document["attributes"].update(attributes_of("", one));
  Json& types = group["attributes"];
  if (const Json type = types_of(one); !type.empty())
    types[types_attribute][variable].update(type);
  else if (types.contains(types_attribute) && types[types_attribute].contains(variable))
    types[types_attribute][variable].erase(late.name);
}

Json group_of(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths) {
  Json attributes = attributes_of("", spec.attributes);
  Json types = Json::object(), arrays = Json::object(), unlimited = Json::array();
  if (Json own = types_of(spec.attributes); !own.empty()) types[""] = std::move(own);
  for (const VariableSpec& variable : spec.variables) {
    arrays[variable.name] = array_of(spec, variable, shape_of(variable, lengths));
    if (Json own = types_of(variable.attributes); !own.empty()) types[variable.name] = std::move(own);
  }
  for (const TextSpec& text : spec.texts) {
    arrays[text.name] = array_of(spec, text);
    if (Json own = types_of(text.attributes); !own.empty()) types[text.name] = std::move(own);
  }
  for (const DimensionSpec& dim : spec.dims)
    if (dim.unlimited) unlimited.push_back(dim.name);
  attributes[properties_attribute] = "version=2,tailrace=1";
  attributes[unlimited_attribute] = std::move(unlimited);
  if (!types.empty()) attributes[types_attribute] = std::move(types);
  return {{"zarr_format", 3},
          {"node_type", "group"},
          {"attributes", std::move(attributes)},
          {"consolidated_metadata",
           {{"kind", "inline"}, {"must_understand", false}, {"metadata", std::move(arrays)}}}};
}

Json& arrays_in(Json& group) { return group["consolidated_metadata"]["metadata"]; }

const Json& arrays_in(const Json& group) {
  const auto consolidated = group.find("consolidated_metadata");
  if (consolidated == group.end() || !consolidated->is_object() || !consolidated->contains("metadata"))
    throw Error(ErrorCode::resource, "its zarr.json has no consolidated metadata");
  return consolidated->at("metadata");
}

namespace {

// The configuration of the codec of shards; null where each chunk is a file.
const Json* sharding_in(const Json& array) {
  const Json& codecs = array.at("codecs");
  const bool has_shards = codecs.size() == 1 && codecs[0].at("name") == sharding_codec;
  return has_shards ? &codecs[0].at("configuration") : nullptr;
}

std::vector<std::int64_t> file_shape_in(const Json& array) {
  return array.at("chunk_grid").at("configuration").at("chunk_shape").get<std::vector<std::int64_t>>();
}

}  // namespace

std::vector<std::int64_t> chunk_in(const Json& array) {
  const Json* sharding = sharding_in(array);
  return sharding == nullptr ? file_shape_in(array)
                             : sharding->at("chunk_shape").get<std::vector<std::int64_t>>();
}

std::vector<std::int64_t> shard_in(const Json& array) {
  if (sharding_in(array) == nullptr) return {};
  const std::vector<std::int64_t> shard = file_shape_in(array), chunk = chunk_in(array);
  bool fits = shard.size() == chunk.size();
  for (std::size_t d = 0; fits && d < shard.size(); ++d)
    fits = chunk[d] > 0 && shard[d] > 0 && shard[d] % chunk[d] == 0;
  if (!fits) throw Error(ErrorCode::resource, "is damaged: a shard in its zarr.json is not made of chunks");
  return shard;
}

const Json& chunk_codecs_in(const Json& array) {
  const Json* sharding = sharding_in(array);
  return sharding == nullptr ? array.at("codecs") : sharding->at("codecs");
}

std::string text_of(const Json& document) { return document.dump(); }

std::string chunk_name(const std::string& variable, const std::vector<std::int64_t>& corner,
                       const std::vector<std::int64_t>& shape) {
  std::string name = variable + "/c";
  for (std::size_t d = 0; d < corner.size(); ++d) name += fmt::format("/{}", corner[d] / shape[d]);
  return name;
}

std::optional<std::int64_t> number_in_name(std::string_view name) {
  constexpr std::size_t most_digits = 18;
  if (name.empty() || name.size() > most_digits || name.find_first_not_of("0123456789") != name.npos)
    return std::nullopt;
  return std::stoll(std::string(name));
}

}  // namespace tailrace::output::zarr
