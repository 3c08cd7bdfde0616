// The format `zarr`: Zarr v3 stores, which are directories of chunks with metadata in JSON.
#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/index.hpp"
#include "env/open_files.hpp"
#include "output/checks.hpp"
#include "output/codec_needs.hpp"
#include "output/object_store/environment.hpp"
#include "output/object_store/http.hpp"
#include "output/object_store/location.hpp"
#include "output/zarr/existing.hpp"
#include "output/zarr/folder_store.hpp"
#include "output/zarr/frame.hpp"
#include "output/zarr/object_store.hpp"
#include "output/zarr/options.hpp"
#include "output/zarr/shard_grid.hpp"
#include "output/zarr/zarr_dataset.hpp"
#include "output/zarr/zarr_writer.hpp"

namespace tailrace::output::zarr {
namespace {

std::string beside(const std::string& place, const char* ending) {
  const std::filesystem::path full(place);
  return (full.parent_path() / fmt::format(".{}.{}", full.filename().string(), ending)).string();
}

// The folder for temporary files. Readers do not list the folder of an array.
std::string scratch_of(const DatasetSpec& spec) {
  return spec.variables.empty() ? "" : spec.variables[0].name;
}

bool holds_zarr(env::FileSystem& files, const std::string& place) {
  for (const char* const name : {metadata_name, ".zgroup", ".zattrs", ".zarray"})
    if (files.exists(place + "/" + name)) return true;
  return false;
}

void check_free(env::FileSystem& files, const std::string& place, IfExists if_exists) {
  const env::Entry entry = files.entry(place);
  if (entry == env::Entry::none) return;
  if (if_exists != IfExists::replace) throw Error(ErrorCode::resource, exists_already());
  if (entry == env::Entry::file)
    throw Error(ErrorCode::resource,
                "exists, and is a file; a Zarr store is a directory: expected another path");
  if (!holds_zarr(files, place))
    throw Error(ErrorCode::resource,
                "exists, and is not replaced, as it is not a Zarr store; expected another path");
  check_no_writer(files, place + "/" + metadata_name);
  check_no_writers(files, place);
}

// Removes the temporary directory on destruction unless it was renamed.
class Temporary {
 public:
  Temporary(env::FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {
    if (is_being_written(files_, path_ + "/" + metadata_name))
      throw Error(ErrorCode::resource, fmt::format("is being created by another session: {}",
                                                   env::who_writes(path_ + "/" + metadata_name)));
    remove_tree(files_, path_);  // it may be left from a killed run
  }
  ~Temporary() {
    if (renamed_) return;
    try {
      remove_tree(files_, path_);
    } catch (const Error&) {
      // The next creation replaces it.
    }
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::string& path() const { return path_; }

  // A rename cannot replace a directory that is not empty, so the old one is renamed first.
  void rename_to(const std::string& place) {
    try {
      const std::string old = beside(place, "old");
      const bool replaces = files_.entry(place) != env::Entry::none;
      if (replaces) {
        remove_tree(files_, old);
        files_.rename(place, old);
      }
      files_.rename_new(path_, place);
      renamed_ = true;
      if (replaces) remove_tree(files_, old);
    } catch (const Error& error) {
      throw Error(ErrorCode::resource, fmt::format("cannot be given its name: {}", error.what()));
    }
  }

 private:
  env::FileSystem& files_;
  std::string path_;
  bool renamed_ = false;
};

void write_text(Store& store, const DatasetSpec& spec, const TextSpec& text) {
  const std::vector<std::int64_t> corner(text.dims.size(), 0), chunk(text.dims.size(), 1);
  store.replace(chunk_name(text.name, corner, chunk), {}, padded(spec, text));
}

// Writes all metadata and texts, but no records.
void write_all(Store& store, const DatasetSpec& spec, const Json& group) {
  for (const auto& [name, array] : arrays_in(group).items())
    store.replace(name + "/" + metadata_name, text_of(array));
  for (const TextSpec& text : spec.texts) write_text(store, spec, text);
  store.replace_root(text_of(group));
}

// Sends nothing: `check` runs where no store can be reached.
void check_objects(const Options& options, const DatasetRequest& request, config::Problems& problems) {
  const auto refuse = [&](const std::string& why) {
    problems.add(request.location, request.config_path, why);
  };
  if (!object_store::is_object_url(request.path)) {
    for (const std::string& name : options.given_for_objects)
      problems.add(
          request.section_location, request.config_path + ".zarr." + name,
          "is an option of stores on an object store; expected a name that begins with \"s3://\", or "
          "no such option");
    return;
  }
  if (const std::string missing = object_store::missing_client(); !missing.empty()) return refuse(missing);
  if (request.is_series)
    refuse(
        "a series of stores is not written to an object store; expected one store, without `new_file_every` "
        "and `file_per_write`, or a path in the file system");
  try {
    static_cast<void>(object_store::location_of(request.path));
    static_cast<void>(object_store::endpoint_of(object_store::process_variable));
  } catch (const Error& error) {
    refuse(error.what());
  }
}

bool rounds(const VariableSpec& variable) { return variable.codec.keep.has_value(); }

// Why many servers cannot write such a store, to follow the option; empty: they can.
std::string why_not_by_many(bool is_object, bool is_series, bool rounds) {
  if (is_object) return "is for stores in the file system; one server writes a store on an object store";
  if (is_series) return "is for one store; one server writes each store of a series";
  if (rounds) return "does not go with `keep`: one server counts the errors of the values";
  return "";
}

class ZarrFormat final : public Format {
 public:
  std::string name() const override { return "zarr"; }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return true; }
  bool can_append() const override { return true; }
  std::optional<FormatSection> section() const override { return options_section(); }
  bool writes_objects() const override { return true; }
  bool exists(const std::string& path) const override {
    if (!object_store::is_object_url(path)) return Format::exists(path);
    bool is_there = false;
    about(path, [&] { is_there = open_object_store(path, reading_options)->exists(); });
    return is_there;
  }
  // Objects that wait until one of the requests is free.
  std::size_t cache_bytes(const std::string& path) const override {
    return object_store::is_object_url(path) ? ObjectStore::most_waiting_bytes : 0;
  }
  void check(const FormatOptions* options, const DatasetRequest& request,
             config::Problems& problems) const override {
    const Options& of_store = unwrap_options<Options>(options);
    check_objects(of_store, request, problems);
    const std::string why =
        why_not_by_many(object_store::is_object_url(request.path), request.is_series, request.rounds);
    if (of_store.asks_for_writers && !why.empty())
      problems.add(request.section_location, request.config_path + ".zarr.writers",
                   fmt::format("`all` {}; expected `home`, or no such option", why));
  }
  bool can_be_written_by_many(const DatasetSpec& spec) const override {
    return unwrap_options<Options>(spec.options.get()).writers == Writers::all &&
           why_not_by_many(object_store::is_object_url(spec.path), false,
                           std::ranges::any_of(spec.variables, rounds))
               .empty();
  }
  std::unique_ptr<Dataset> open_writer(const DatasetSpec& spec, int writer,
                                       env::FileSystem& files) const override {
    return std::make_unique<ZarrWriter>(
        spec, std::make_unique<FolderStore>(files, place_of(spec.path), scratch_of(spec), spec.sync, writer));
  }
  std::shared_ptr<const FormatOptions> options_to_continue(const DatasetSpec& spec) const override {
    std::shared_ptr<const FormatOptions> options;
    about(spec.path, [&] { options = with_shards_of(read_group(*open_store(spec.path)), spec).options; });
    return options;
  }
  std::vector<std::int64_t> cells_of_file(const DatasetSpec& spec,
                                          const VariableSpec& variable) const override {
    std::vector<std::int64_t> shard = shard_of(spec, variable);
    return shard.empty() ? chunk_of(spec, variable) : shard;
  }
  std::string how_to_make_fewer_files() const override {
    return "larger shards (`zarr: {shard_size: 256 MiB}`, `shard_records`), a larger `chunk`, a longer "
           "`write_every`, or `format: netcdf`";
  }
  Suffix usual_suffix() const override { return {".zarr", "a Zarr store"}; }
  bool recognises(const std::string& path) const override { return is_store(path); }
  Inspection inspect(const std::string& path, bool repair) const override {
    return zarr::inspect(path, repair);
  }
  std::map<std::string, ExistingAxis> existing_axes(const std::string& path) const override {
    std::map<std::string, ExistingAxis> axes;
    about(path, [&] {
      const auto store = open_store(path);
      axes = read_axes(*store, read_group(*store));
    });
    return axes;
  }

  std::map<std::string, model::FillValue> existing_fills(const std::string& path) const override {
    std::map<std::string, model::FillValue> fills;
    about(path, [&] { fills = read_fills(read_group(*open_store(path))); });
    return fills;
  }
  std::map<std::string, codecs::lossy::ExistingBound> existing_bounds(
      const std::string& path) const override {
    std::map<std::string, codecs::lossy::ExistingBound> bounds;
    about(path, [&] { bounds = read_bounds(read_group(*open_store(path))); });
    return bounds;
  }
  // An array is a folder, whose name the file systems of clusters limit.
  std::size_t longest_name() const override { return 255; }

  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem& files) const override {
    check_spec(spec);
    std::unique_ptr<Dataset> dataset;
    about(spec.path, [&] {
      if (object_store::is_object_url(spec.path)) {
        const Options options = unwrap_options<Options>(spec.options.get());
        auto store = open_object_store(spec.path, options.objects);
        if (!spec.kept.empty()) store->take_mark();
        dataset = spec.kept.empty() ? create_in(std::move(store), spec) : append_to(std::move(store), spec);
        return;
      }
      const std::string place = place_of(spec.path);
      dataset = spec.kept.empty() ? create_at(files, place, spec) : append_at(files, place, spec);
    });
    return dataset;
  }

 private:
  static std::unique_ptr<Dataset> create_at(env::FileSystem& files, const std::string& place,
                                            const DatasetSpec& spec) {
    const auto lengths = first_lengths(spec);
    Json group = group_of(spec, lengths);
    check_free(files, place, spec.if_exists);
    Temporary temporary(files, beside(place, "new"));
    auto store = std::make_unique<FolderStore>(files, temporary.path(), scratch_of(spec), spec.sync);
    write_all(*store, spec, group);
    if (spec.writers) store->make_writer_marks(*spec.writers);
    check_free(files, place, spec.if_exists);  // another session may have created it meanwhile
    temporary.rename_to(place);
    if (spec.sync) files.sync(place);
    store->renamed(place);
    return std::make_unique<ZarrDataset>(spec, std::move(store), std::move(group), lengths);
  }

  // An object cannot be renamed, so the store is created in its place, and has no arrays before it is whole.
  static std::unique_ptr<Dataset> create_in(std::unique_ptr<ObjectStore> store, const DatasetSpec& spec) {
    const auto lengths = first_lengths(spec);
    Json group = group_of(spec, lengths);
    store->claim(spec.if_exists == IfExists::replace);
    write_all(*store, spec, group);
    return std::make_unique<ZarrDataset>(spec, std::move(store), std::move(group), lengths);
  }

  static std::unique_ptr<Dataset> append_at(env::FileSystem& files, const std::string& place,
                                            const DatasetSpec& spec) {
    auto owned = std::make_unique<FolderStore>(files, place, scratch_of(spec), spec.sync);
    FolderStore& store = *owned;
    store.take_mark();
    check_no_writers(files, place);
    store.remove_writer_marks();  // before the roll-back: no writer of a killed run can begin any more
    auto dataset = append_to(std::move(owned), spec);
    if (spec.writers) store.make_writer_marks(*spec.writers);
    return dataset;
  }

  // Appends in place, after the records after those to keep are removed, first from the metadata. `store` is
  // marked.
  static std::unique_ptr<Dataset> append_to(std::unique_ptr<Store> store, const DatasetSpec& given) {
    Json group = read_group(*store);
    const DatasetSpec spec = with_shards_of(group, given);
    check_fits(group, spec);
    auto lengths = lengths_to_begin(spec);
    roll_back(*store, group, spec, lengths);
    store->count_bytes();
    return std::make_unique<ZarrDataset>(spec, std::move(store), std::move(group), std::move(lengths));
  }
};

const CodecNeedRegistration lorenzo{
    "zarr", "lorenzo",
    "zarr-python: the package tailrace, which has the codec; other readers of Zarr have none"};
const FormatRegistration registration{std::make_unique<ZarrFormat>()};

}  // namespace
}  // namespace tailrace::output::zarr
