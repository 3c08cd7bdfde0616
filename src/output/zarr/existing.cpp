#include "output/zarr/existing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/index.hpp"
#include "output/checks.hpp"
#include "output/object_store/location.hpp"
#include "output/zarr/frame.hpp"
#include "output/zarr/object_store.hpp"
#include "output/zarr/options.hpp"
#include "output/zarr/shard_grid.hpp"
#include "output/zarr/shard_report.hpp"
#include "output/zarr/zarr_dataset.hpp"

namespace tailrace::output::zarr {
namespace {

using Shape = std::vector<std::int64_t>;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(
      ErrorCode::resource,
      fmt::format("cannot be continued: {}; expected a store of the same configuration, another path, "
                  "or `if_exists: replace`",
                  why));
}

std::string in_words(const Shape& extents) { return fmt::format("{}", fmt::join(extents, " x ")); }

Json parsed(const std::vector<std::byte>& bytes) {
  Json document = Json::parse(reinterpret_cast<const char*>(bytes.data()),
                              reinterpret_cast<const char*>(bytes.data()) + bytes.size(), nullptr, false);
  if (document.is_discarded()) throw Error(ErrorCode::resource, "is damaged: its zarr.json is not JSON");
  return document;
}

// Calls `read` on metadata that another program may have changed, and turns JSON errors into Error(resource).
template <class Read>
auto reading(Read read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::resource, fmt::format("is damaged: its zarr.json: {}", error.what()));
  }
}

std::string text_attribute(const Json& array, const char* name) {
  const auto& attributes = array.at("attributes");
  const auto found = attributes.find(name);
  return found != attributes.end() && found->is_string() ? found->get<std::string>() : "";
}

// Reads times or bounds as Tailrace writes them: uncompressed, in chunks of whole records.
std::vector<double> numbers(const Store& store, const std::string& name, const Json& array) {
  const auto shape = array.at("shape").get<Shape>();
  const auto chunk = chunk_in(array);
  if (array.at("data_type") != "float64" || array.at("codecs").size() != 1 || !shard_in(array).empty() ||
      shape.empty() || !std::equal(shape.begin() + 1, shape.end(), chunk.begin() + 1, chunk.end()) ||
      chunk[0] < 1)
    throw Error(ErrorCode::resource, fmt::format("its \"{}\" is not stored as Tailrace stores times", name));
  const auto in_record = static_cast<std::size_t>(cells_of({shape.begin() + 1, shape.end()}));
  std::vector<double> values;
  for (std::int64_t first = 0; first < shape[0]; first += chunk[0]) {
    Shape corner(shape.size(), 0);
    corner[0] = first;
    const auto bytes = store.read(chunk_name(name, corner, chunk));
    const auto count = static_cast<std::size_t>(std::min(chunk[0], shape[0] - first)) * in_record;
    if (bytes.size() < count * sizeof(double))
      throw Error(ErrorCode::resource, fmt::format("is damaged: a chunk of \"{}\" is too short", name));
    const std::size_t before = values.size();
    values.resize(before + count);
    std::memcpy(values.data() + before, bytes.data(), count * sizeof(double));
  }
  return values;
}

void check_shape(const Json& found, const Json& wanted, const DatasetSpec& spec,
                 const VariableSpec& variable) {
  const auto first = static_cast<std::ptrdiff_t>(grows(spec, variable) ? 1 : 0);
  const auto there = found.at("shape").get<Shape>(), here = wanted.at("shape").get<Shape>();
  if (there.size() == here.size() && std::equal(there.begin() + first, there.end(), here.begin() + first))
    return;
  refuse(fmt::format("its variable \"{}\" has the shape {}, and this run writes {}{}", variable.name,
                     in_words(there), first == 1 ? "records of " : "",
                     in_words({here.begin() + first, here.end()})));
}

void check_shards(const Shape& found, const Shape& wanted, const std::string& name) {
  if (found == wanted) return;
  const auto words = [](const Shape& shard) {
    return shard.empty() ? "a file for each chunk" : "shards of " + in_words(shard);
  };
  throw Error(
      ErrorCode::resource,
      fmt::format("cannot be continued: its variable \"{}\" has {}, and this run writes {}; expected no "
                  "`zarr` with options of shards, so that those of the store stay, another path, or "
                  "`if_exists: replace`",
                  name, words(found), words(wanted)));
}

void check_variable(const Json& found, const DatasetSpec& spec, const VariableSpec& variable) {
  const Json wanted = array_of(spec, variable, shape_of(variable, first_lengths(spec)));
  if (found.at("data_type") != wanted.at("data_type"))
    refuse(fmt::format("its variable \"{}\" is not of the type {}", variable.name,
                       model::name_of(variable.type)));
  check_shape(found, wanted, spec, variable);
  if (chunk_in(found) != chunk_in(wanted))
    refuse(fmt::format("its variable \"{}\" has chunks of {}, and this run writes chunks of {}",
                       variable.name, in_words(chunk_in(found)), in_words(chunk_in(wanted))));
  check_shards(shard_in(found), shard_in(wanted), variable.name);
  const auto codec_in = [](const Json& array) {  // the level may differ
    Json codecs = chunk_codecs_in(array);
    if (codecs.size() == 2) codecs[1].at("configuration").erase("clevel");
    return codecs;
  };
  if (codec_in(found) != codec_in(wanted))
    refuse(fmt::format("its variable \"{}\" has another compression than in this run, {}", variable.name,
                       variable.codec.codec));
  if (const auto why = other_regridding(variable, text_attribute(found, regridding_attribute)); !why.empty())
    refuse(why);
}

void check_no_other_variables(const Json& group, const DatasetSpec& spec) {
  const auto is_ours = [&spec](const std::string& name) {
    const auto same = [&name](const auto& described) { return described.name == name; };
    return std::ranges::any_of(spec.variables, same) || std::ranges::any_of(spec.texts, same);
  };
  const Json& unlimited = group.at("attributes").at(unlimited_attribute);
  for (const auto& [name, array] : arrays_in(group).items()) {
    const Json& dims = array.at("dimension_names");
    if (!is_ours(name) && !dims.empty() && std::ranges::find(unlimited, dims[0]) != unlimited.end())
      refuse(fmt::format("its variable \"{}\" is not among those of this run", name));
  }
}

// The arrays whose own metadata are not those of the last commit, because a run was killed within a commit.
std::vector<std::string> outdated_arrays(const Store& store, const Json& group) {
  std::vector<std::string> late;
  for (const auto& [name, array] : arrays_in(group).items()) {
    const std::string file = name + "/" + metadata_name;
    if (!store.has(file)) throw Error(ErrorCode::resource, fmt::format("is damaged: it has no {}", file));
    if (parsed(store.read(file)).at("shape") != array.at("shape")) late.push_back(name);
  }
  return late;
}

std::string records_in(const Json& group) {
  std::vector<std::string> lengths;
  const Json& arrays = arrays_in(group);
  for (const Json& dim : group.at("attributes").at(unlimited_attribute))
    if (const auto found = arrays.find(dim.get<std::string>()); found != arrays.end())
      lengths.push_back(fmt::format("{} {}", dim.get<std::string>(), (*found).at("shape").at(0).dump()));
  if (lengths.empty()) return "no unlimited dimension";
  return fmt::format("records: {}", fmt::join(lengths, ", "));
}

Inspection look(const std::string& path, bool repair) {
  const auto opened = open_store(path);
  Store& store = *opened;
  const Json group = read_group(store);
  const bool is_folder = !object_store::is_object_url(path);
  if (is_folder && is_being_written(env::system_files(), path + "/" + metadata_name))
    return {true, false,
            fmt::format("{}: is being written by a running session; {}", path, records_in(group))};
  const ShardReport shards = reading([&] { return look_at_shards(store, group); });
  if (!shards.damaged.empty())
    return {false, false,
            fmt::format("{}: has {} damaged shard{}: chunks there cannot be read or repaired, while those of "
                        "other shards can be read: {}",
                        path, shards.damaged.size(), shards.damaged.size() == 1 ? "" : "s",
                        fmt::join(shards.damaged, "; "))};
  const auto late = reading([&] { return outdated_arrays(store, group); });
  const std::string about = records_in(group) + shards.words;
  if (late.empty()) return {true, false, fmt::format("{}: complete; {}", path, about)};
  if (repair && !is_folder)
    return {
        true, false,
        fmt::format("{}: the metadata of {} arrays are not those of the last commit: a session writes it, "
                    "or was killed within a commit. They are not repaired on an object store, where no "
                    "lock shows a session that writes; a run that continues the store does it; {}",
                    path, late.size(), about)};
  if (!repair)
    return {
        true, false,
        fmt::format("{}: the run was killed within a commit: the metadata of {} arrays differ from the "
                    "consolidated metadata, which are those of the last commit; `tailrace inspect --repair` "
                    "rewrites them; {}",
                    path, late.size(), about)};
  for (const std::string& name : late)
    store.replace(name + "/" + metadata_name, text_of(arrays_in(group).at(name)));
  return {true, true,
          fmt::format("{}: repaired: all metadata are those of the last commit; {}", path, about)};
}

}  // namespace

Json read_group(const Store& store) {
  return reading([&] {
    if (!store.has(metadata_name))
      throw Error(ErrorCode::resource, "is not a Zarr v3 store: it has no zarr.json");
    Json group = parsed(store.read(metadata_name));
    const auto attributes = group.find("attributes");
    const bool is_ours = attributes != group.end() && attributes->is_object() &&
                         attributes->contains(unlimited_attribute) &&
                         attributes->value(properties_attribute, "").find("tailrace=") != std::string::npos;
    if (attributes != group.end() && attributes->is_object() && attributes->contains(claim_attribute))
      throw Error(ErrorCode::resource,
                  "has no records: a session creates it now, or was killed while it did so; expected "
                  "`if_exists: replace`, or another name");
    if (!is_ours)
      throw Error(ErrorCode::resource, "was not written by Tailrace, which appends only to its own files");
    static_cast<void>(arrays_in(std::as_const(group)));
    return group;
  });
}

std::map<std::string, ExistingAxis> read_axes(const Store& store, const Json& group) {
  return reading([&] {
    std::map<std::string, ExistingAxis> axes;
    const Json& arrays = arrays_in(group);
    for (const Json& dim : group.at("attributes").at(unlimited_attribute)) {
      const auto name = dim.get<std::string>();
      if (!arrays.contains(name)) continue;
      const Json& array = arrays.at(name);
      ExistingAxis axis;
      axis.units = text_attribute(array, "units");
      axis.calendar = text_attribute(array, "calendar");
      axis.times = numbers(store, name, array);
      if (const std::string bounds = text_attribute(array, "bounds"); !bounds.empty())
        axis.bounds = numbers(store, bounds, arrays.at(bounds));
      axes.emplace(name, std::move(axis));
    }
    return axes;
  });
}

std::map<std::string, model::FillValue> read_fills(const Json& group) {
  return reading([&] {
    std::map<std::string, model::FillValue> fills;
    for (const auto& [name, array] : arrays_in(group).items()) {
      if (!array.at("attributes").contains("_FillValue")) continue;
      const Json& fill = array.at("fill_value");
      if (fill.is_number_integer())
        fills[name] = model::FillValue::of_whole(fill.get<std::int64_t>());
      else if (fill.is_number())
        fills[name] = fill.get<double>();
      else if (fill == "NaN")
        fills[name] = std::numeric_limits<double>::quiet_NaN();
    }
    return fills;
  });
}

std::map<std::string, codecs::lossy::ExistingBound> read_bounds(const Json& group) {
  return reading([&] {
    std::map<std::string, codecs::lossy::ExistingBound> bounds;
    for (const auto& [name, array] : arrays_in(group).items()) {
      const std::string words = text_attribute(array, codecs::lossy::bound_attribute);
      if (words.empty()) continue;
      const Json& attributes = array.at("attributes");
      bounds[name] = {words,
                      {attributes.value(codecs::lossy::absolute_attribute, 0.0),
                       attributes.value(codecs::lossy::relative_attribute, 0.0),
                       attributes.value("quantization_nsb", std::int64_t{0})}};
    }
    return bounds;
  });
}

void check_fits(const Json& group, const DatasetSpec& spec) {
  reading([&] {
    for (const VariableSpec& variable : spec.variables) {
      const auto found = arrays_in(group).find(variable.name);
      if (found == arrays_in(group).end()) refuse(fmt::format("it has no variable \"{}\"", variable.name));
      check_variable(*found, spec, variable);
    }
    check_no_other_variables(group, spec);
    return true;
  });
}

void roll_back(Store& store, Json& group, const DatasetSpec& spec, const std::vector<std::int64_t>& lengths) {
  set_lengths(spec, lengths, group);
  store.replace_root(text_of(group));
  const auto growing = growing_variables(spec);
  write_arrays(store, group, growing);
  for (const VariableSpec* variable : growing) {
    const std::int64_t kept = lengths[base::index(variable->dims[0])];
    const Shape shard = shard_of(spec, *variable);
    const std::int64_t extent = shard.empty() ? variable->chunk[0] : shard[0];
    const std::int64_t files = (kept + extent - 1) / extent;  // along the records
    for (const std::string& name : store.list(variable->name + "/c"))
      if (const auto number = number_in_name(name); number && *number >= files)
        store.remove(variable->name + "/c/" + name);
  }
}

DatasetSpec with_shards_of(const Json& group, const DatasetSpec& spec) {
  Options options = unwrap_options<Options>(spec.options.get());
  if (options.are_given) return spec;
  return reading([&] {
    auto& shards = options.of_store.emplace();
    for (const VariableSpec& variable : spec.variables)
      if (const auto found = arrays_in(group).find(variable.name); found != arrays_in(group).end())
        if (Shape shard = shard_in(*found); !shard.empty() && chunk_in(*found) == variable.chunk)
          shards.emplace(variable.name, std::move(shard));
    DatasetSpec continued = spec;
    continued.options = wrap_options(std::move(options));
    return continued;
  });
}

bool is_store(const std::string& path) {
  return object_store::is_object_url(path) || env::system_files().exists(path + "/" + metadata_name);
}

Inspection inspect(const std::string& path, bool repair) {
  try {
    Inspection found = look(path, repair);
    found.report += bounds_in_words(read_bounds(read_group(*open_store(path))));
    return found;
  } catch (const std::exception& error) {
    return {false, false, fmt::format("{}: {}", path, error.what())};
  }
}

}  // namespace tailrace::output::zarr
