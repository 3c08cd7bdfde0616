// The format `netcdf`: NetCDF-4 files, written chunk by chunk through HDF5. Each commit changes the file
// atomically from one consistent state to the next (AtomicFile).
#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "env/file_system.hpp"
#include "env/open_files.hpp"
#include "output/checks.hpp"
#include "output/codec_needs.hpp"
#include "output/encode_again.hpp"
#include "output/format.hpp"
#include "output/netcdf/append/existing.hpp"
#include "output/netcdf/append/kept_records.hpp"
#include "output/netcdf/attributes.hpp"
#include "output/netcdf/classic.hpp"
#include "output/netcdf/creation.hpp"
#include "output/netcdf/driver.hpp"
#include "output/netcdf/header.hpp"
#include "output/netcdf/inspect.hpp"
#include "output/netcdf/options.hpp"
#include "output/netcdf/repack/repack.hpp"
#include "output/netcdf/step.hpp"

namespace tailrace::output::netcdf {
namespace {

// Calls `work` and prefixes the messages of its errors with the path.
template <class Work>
void about(const std::string& path, Work work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
}

// In a file that a run appends to, variables of fixed size are not written again.
Commit growing_part(const DatasetSpec& spec, Commit commit) {
  const auto is_fixed = [&spec](const auto& part) {
    return !grows(spec, spec.variables[base::index(part.variable)]);
  };
  std::erase_if(commit.chunks, is_fixed);
  std::erase_if(commit.values, is_fixed);
  return commit;
}

// No later commit fills the chunks of the last one. Those that are new are encoded before they are written,
// and not only when the file is closed: so they are written once, and leave no room unused.
Commit with_encoded_chunks(const DatasetSpec& spec, Commit commit) {
  for (EncodedChunk& chunk : commit.chunks) {
    const VariableSpec& described = spec.variables[base::index(chunk.variable)];
    if (chunk.filtered || chunk.committed_records > 0 || described.codec.codec == "none") continue;
    encode_again(spec, chunk);
  }
  return commit;
}

class NetcdfDataset final : public Dataset {
 public:
  // `place`: the absolute path, since the model may change its working directory.
  NetcdfDataset(env::FileSystem& files, const DatasetSpec& spec, std::string place, AtomicFile file)
      : files_(files),
        spec_(spec),
        place_(std::move(place)),
        lengths_(first_lengths(spec)),
        file_(std::move(file)) {
    for (const auto& [dim, records] : spec.kept) lengths_[base::index(dim)] = records;
  }

  ~NetcdfDataset() override {
    try {
      if (file_) file_->close();
    } catch (const Error&) {
      // The journal stays at the end of the file; a repair completes the commit from it.
    }
  }

  void commit(const Commit& commit) override {
    if (commit.last)
      add(with_encoded_chunks(spec_, spec_.kept.empty() ? commit : growing_part(spec_, commit)));
    else if (spec_.kept.empty())
      add(commit);
    else
      add(growing_part(spec_, commit));
  }

  // May be called again after a failure.
  void close() override {
    if (file_) about(spec_.path, [&] { finish(); });
    if (copy_) about(spec_.path, [&] { copy_->close(); });
    copy_.reset();
  }

  // Closes the file without the last change, for one that takes another name.
  void close_as_it_is() {
    bytes_ = file_->committed();
    file_->close();
    file_.reset();
  }

  std::uint64_t bytes_on_disk() const override { return file_ ? file_->committed() : bytes_; }

 private:
  // The file refers to the bytes of `commit` until this returns.
  void add(const Commit& commit) {
    const auto lengths = lengths_after(spec_, lengths_, commit);
    if (copy_ && lengths == lengths_) return;  // the last one again, since the copy could not be closed
    TAILRACE_ASSERT(file_.has_value(), "commit to a closed dataset");
    about(spec_.path, [&] {
      check_place();
      file_->begin();
      write(commit, lengths);
      file_->commit();
    });
    lengths_ = lengths;
  }

  void check_place() const {
    if (file_->file().is_file_at(place_)) return;
    throw Error(ErrorCode::resource,
                "was removed, or replaced by another program, while this run was writing it");
  }

  void write(const Commit& commit, const std::vector<std::int64_t>& lengths) {
    try {
      write_step(*file_, spec_, commit, lengths_, lengths);
    } catch (...) {
      file_->abandon();
      throw;
    }
  }

  // Leaves no file open but `copy_`.
  void finish() {
    if (!repacked_) tidy();
    if (copy_) {
      bytes_ = copy_->size();
      file_.reset();
    } else {
      close_as_it_is();
    }
  }

  // All records are in the file already, so a failure is none of the run.
  void tidy() {
    repacked_ = true;
    try {
      const bool is_continued = spec_.if_exists == IfExists::append || !spec_.kept.empty();
      Repacked repacked = repack(*file_, files_, place_, {spec_.sync, is_continued});
      if (const std::string words = in_words(repacked); !words.empty())
        base::log_info(fmt::format("{}: {}", spec_.path, words));
      copy_ = std::move(repacked.copy);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
      base::log_warning(
          fmt::format("{}: it is complete, but its last chunks could not be compressed: {}; "
                      "`tailrace inspect --repair` does that",
                      spec_.path, error.what()));
    }
  }

  env::FileSystem& files_;
  DatasetSpec spec_;
  std::string place_;
  std::vector<std::int64_t> lengths_;
  std::optional<AtomicFile> file_;
  std::unique_ptr<env::File> copy_;  // the file that has the name, once the other one was copied
  bool repacked_ = false;
  std::uint64_t bytes_ = 0;
};

void check_free(env::FileSystem& files, const std::string& place, IfExists if_exists) {
  const env::Entry entry = files.entry(place);
  if (entry == env::Entry::none) return;
  if (if_exists != IfExists::replace) throw Error(ErrorCode::resource, exists_already());
  if (entry == env::Entry::other) throw Error(ErrorCode::resource, "exists, and is not a file");
  check_no_writer(files, place);
}

AtomicFile build(std::unique_ptr<env::File> empty, const DatasetSpec& spec, bool is_classic) {
  AtomicFile file(std::move(empty), 0, spec.sync);
  file.begin();
  {
    const Hdf5Lock lock;
    Id hdf5 = create_in(file, header_creation_properties());
    write_header(hdf5, spec);
    if (is_classic) write_scalar(hdf5, "_nc3_strict", 1);
    hdf5.close("cannot close");
  }
  file.commit();
  return file;
}

// Opens a file of an earlier run, in the state of its last commit.
AtomicFile open_existing(env::FileSystem& files, const std::string& place, const DatasetSpec& spec) {
  auto file = files.open(place, env::Access::update);
  mark_as_writer(*file, place);
  if (const auto journal = read_journal(*file)) finish_journal(*file, *journal);
  Superblock superblock;
  file->read(0, superblock.bytes);
  if (file->size() < superblock.end()) throw Error(ErrorCode::resource, "is truncated");
  AtomicFile opened(std::move(file), superblock.end(), spec.sync);
  opened.begin();
  return opened;
}

// Whether the file has only the records to keep, in the chunks of this run, so that it can append in place.
bool can_append_in_place(AtomicFile& file, const DatasetSpec& spec) {
  const Hdf5Lock lock;
  Id hdf5 = open_in(file);
  check_fits(hdf5, spec);
  const bool only = can_grow_in_place(hdf5, spec);
  hdf5.close("cannot close");
  return only;
}

// The overhead of a commit besides values once all places for headers are used: it writes only what differs
// from the headers in whose places it writes (measured: benchmarks/history/amplification.md).
constexpr double bytes_per_commit = 350.0, bytes_per_variable = 95.0;

class NetcdfFormat final : public Format {
 public:
  std::string name() const override { return "netcdf"; }
  // Readers choose by the ending, and a forgotten `format` means this format.
  void check(const FormatOptions*, const DatasetRequest& request, config::Problems& problems) const override {
    for (const Format* other : formats()) {
      const Suffix suffix = other->usual_suffix();
      if (other == this || suffix.text.empty() || !request.path.ends_with(suffix.text)) continue;
      problems.add(
          request.location, request.config_path,
          fmt::format("the name is that of {}, and the format is \"{}\"; expected `format: {}`, or a name "
                      "that ends in {}",
                      suffix.noun, name(), other->name(), usual_suffix().text));
    }
  }
  std::optional<FormatSection> section() const override { return options_section(); }
  Suffix usual_suffix() const override { return {".nc", "a NetCDF file"}; }
  double commit_overhead(std::size_t variables) const override {
    return bytes_per_commit + bytes_per_variable * static_cast<double>(variables);
  }
  Inspection inspect(const std::string& path, bool repair) const override {
    return netcdf::inspect(path, repair);
  }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return true; }
  bool can_append() const override { return true; }
  bool has_growing_text() const override { return true; }
  std::size_t cache_bytes(const std::string&) const override { return netcdf::cache_bytes; }
  std::map<std::string, ExistingAxis> existing_axes(const std::string& path) const override {
    const Inspection found = netcdf::finish_last_commit(path);
    if (!found.readable) throw Error(ErrorCode::resource, found.report);
    std::map<std::string, ExistingAxis> axes;
    about(path, [&] { axes = read_axes(path); });
    return axes;
  }
  std::map<std::string, model::FillValue> existing_fills(const std::string& path) const override {
    std::map<std::string, model::FillValue> fills;
    about(path, [&] { fills = read_fills(path); });
    return fills;
  }
  std::map<std::string, codecs::lossy::ExistingBound> existing_bounds(
      const std::string& path) const override {
    std::map<std::string, codecs::lossy::ExistingBound> bounds;
    about(path, [&] { bounds = read_bounds(path); });
    return bounds;
  }
  std::string danger_beside_model() const override {
    return hdf5_is_thread_safe() ? "" : "the HDF5 library of this program is not thread-safe";
  }

  std::unique_ptr<Dataset> create(const DatasetSpec& wanted, env::FileSystem& files) const override {
    check_spec(wanted);
    DatasetSpec spec = wanted;
    bool is_classic = false;
    about(spec.path, [&] { is_classic = make_classic(spec); });
    std::unique_ptr<Dataset> dataset;
    const std::string place = std::filesystem::absolute(spec.path).string();
    about(spec.path, [&] {
      dataset = spec.kept.empty() ? create_at(files, place, spec, is_classic)
                                  : append_at(files, place, spec, is_classic);
    });
    return dataset;
  }

 private:
  static std::unique_ptr<Dataset> create_at(env::FileSystem& files, const std::string& place,
                                            const DatasetSpec& spec, bool is_classic) {
    check_free(files, place, spec.if_exists);
    const std::string temporary_name = name_while_created(place);
    auto empty = create_fresh(files, temporary_name);
    Temporary temporary(files, temporary_name);
    AtomicFile file = build(std::move(empty), spec, is_classic);
    check_free(files, place, spec.if_exists);  // another session may have created it meanwhile
    temporary.rename_to(place, spec.if_exists);
    if (spec.sync) files.sync(place);
    return std::make_unique<NetcdfDataset>(files, spec, place, std::move(file));
  }

  // Appends in place unless records must be removed or chunks changed. In that case the kept records are
  // copied to a new file, and readers see the old file until the new one is complete.
  static std::unique_ptr<Dataset> append_at(env::FileSystem& files, const std::string& path,
                                            const DatasetSpec& spec, bool is_classic) {
    const std::string place = behind_links(path);
    AtomicFile old = open_existing(files, place, spec);
    const bool in_place = can_append_in_place(old, spec);
    old.begin();
    if (in_place) open_last_chunks(old);
    if (in_place) return std::make_unique<NetcdfDataset>(files, spec, place, std::move(old));
    const std::string temporary_name = name_while_created(place);
    auto empty = create_fresh(files, temporary_name);
    Temporary temporary(files, temporary_name);
    DatasetSpec copied = spec;
    copied.kept.clear();
    NetcdfDataset copy(files, copied, temporary_name, build(std::move(empty), copied, is_classic));
    {
      KeptRecords records(old, spec);
      while (const auto commit = records.next()) copy.commit(*commit);
    }
    copy.close_as_it_is();
    if (files.entry(place) == env::Entry::none || !old.file().is_file_at(place))
      throw Error(ErrorCode::resource, "was removed, or replaced by another program, meanwhile");
    keep_permissions(place, temporary_name);
    temporary.rename_to(place, IfExists::replace);
    if (spec.sync) files.sync(place);
    return std::make_unique<NetcdfDataset>(files, spec, place, open_existing(files, place, spec));
  }
};

const CodecNeedRegistration zstd{
    "netcdf", "zstd",
    "netCDF-C: version 4.9 or later with its plugin for zstd; h5py: the package hdf5plugin"};
const CodecNeedRegistration lorenzo{
    "netcdf", "lorenzo",
    "netCDF-C and h5py: HDF5_PLUGIN_PATH with the folder that `tailrace plugins` prints"};
const FormatRegistration registration{std::make_unique<NetcdfFormat>()};

}  // namespace
}  // namespace tailrace::output::netcdf
