#include "output/netcdf/step.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "base/error.hpp"
#include "base/index.hpp"
#include "output/checks.hpp"
#include "output/encode_again.hpp"
#include "output/netcdf/append/kept_records.hpp"
#include "output/netcdf/attributes.hpp"
#include "output/netcdf/driver.hpp"
#include "output/netcdf/header.hpp"

namespace tailrace::output::netcdf {
namespace {

// Access properties without a chunk cache, which would write whole chunks, however few bytes are new.
Id without_chunk_cache() {
  Id access(H5Pcreate(H5P_DATASET_ACCESS), &H5Pclose, "cannot make access properties");
  check(H5Pset_chunk_cache(access, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, 0, H5D_CHUNK_CACHE_W0_DEFAULT),
        "cannot switch the cache of chunks off");
  return access;
}

class Step {
 public:
  Step(AtomicFile& file, const DatasetSpec& spec) TAILRACE_REQUIRES(hdf5_mutex)
      : file_(file),
        spec_(spec),
        hdf5_(open_in(file)),
        access_(without_chunk_cache()),
        kept_(kept_lengths(spec)),
        variables_(spec.variables.size()) {}

  void extend(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after);
  void write(const EncodedChunk& chunk) TAILRACE_REQUIRES(hdf5_mutex);
  void write(const PlainValues& values, const std::vector<std::int64_t>& lengths);
  void write(const LateAttribute& late) TAILRACE_REQUIRES(hdf5_mutex) {
    replace_attribute(late.variable < 0 ? hdf5_ : variable(static_cast<std::size_t>(late.variable)),
                      late.name, late.value);
  }
  void close() {
    variables_.clear();
    hdf5_.close("cannot close");
  }

 private:
  Id open_dataset(const std::string& name) const {
    return {H5Dopen2(hdf5_, name.c_str(), access_), &H5Dclose,
            fmt::format("cannot open variable \"{}\"", name)};
  }
  hid_t variable(std::size_t index) {
    if (variables_[index] < 0) variables_[index] = open_dataset(variable_link(spec_, index));
    return variables_[index];
  }
  static void set_extent(hid_t dataset, const std::vector<std::int64_t>& shape) {
    const std::vector<hsize_t> size(shape.begin(), shape.end());
    check(H5Dset_extent(dataset, size.data()), "cannot extend a variable");
  }
  struct Stored {  // a chunk in the file
    unsigned skipped = 0;
    hsize_t size = 0;
    haddr_t address = HADDR_UNDEF;
  };
  std::optional<EncodedChunk> with_kept_records(const EncodedChunk& chunk) TAILRACE_REQUIRES(hdf5_mutex);
  void put(const EncodedChunk& chunk, bool lasts);
  static std::optional<Stored> stored(hid_t dataset, const EncodedChunk& chunk);
  bool may_move(const EncodedChunk& chunk, const Stored& old) const;
  static std::span<const std::byte> new_part(const VariableSpec& described, const EncodedChunk& chunk,
                                             std::span<const std::byte> raw, bool stays);

  AtomicFile& file_;
  const DatasetSpec& spec_;
  Id hdf5_;
  Id access_;
  std::vector<std::int64_t> kept_;  // kept records of an earlier run, by dim
  std::vector<Id> variables_;       // the datasets opened so far
};

void Step::extend(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after) {
  for (std::size_t i = 0; i < spec_.variables.size(); ++i) {
    const VariableSpec& described = spec_.variables[i];
    if (!grows(spec_, described)) continue;
    const auto dim = base::index(described.dims[0]);
    if (after[dim] != before[dim]) set_extent(variable(i), shape_of(described, after));
  }
  for (std::size_t dim = 0; dim < after.size(); ++dim)
    if (after[dim] != before[dim] && is_bare(spec_, dim))
      set_extent(open_dataset(spec_.dims[dim].name), {after[dim]});
}

void Step::write(const EncodedChunk& chunk) {
  if (const auto whole = with_kept_records(chunk))
    put(*whole, false);
  else
    put(chunk, true);
}

// The chunk merged with the records that an earlier run left in it; nothing if there are none, or if they
// need not be written again.
std::optional<EncodedChunk> Step::with_kept_records(const EncodedChunk& chunk) {
  const auto index = base::index(chunk.variable);
  const VariableSpec& described = spec_.variables[index];
  const std::int64_t kept = kept_[base::index(described.dims[0])];
  if (kept <= chunk.offset[0]) return std::nullopt;
  const std::optional<Stored> old = stored(variable(index), chunk);
  const bool stays = old && old->size == chunk.bytes.size() && !chunk.filtered;
  if (stays && chunk.offset[0] + chunk.committed_records >= kept) return std::nullopt;
  auto raw = joined(variable(index), described, chunk, kept);
  if (!raw) return std::nullopt;
  EncodedChunk whole = chunk;
  whole.committed_records = 0;
  whole.bytes = std::move(*raw);
  if (chunk.filtered) encode_again(spec_, whole);
  return whole;
}

// `lasts`: the bytes of the chunk do not change until the commit.
void Step::put(const EncodedChunk& chunk, bool lasts) {
  const auto index = base::index(chunk.variable);
  const VariableSpec& described = spec_.variables[index];
  const hid_t dataset = variable(index);
  const auto codec = codecs::make_codec(described.codec);
  const std::size_t element = model::size_of(described.type);
  const std::uint32_t all = (std::uint32_t{1} << codec->filters(element).size()) - 1;
  std::uint32_t skipped = chunk.filtered ? 0 : all;
  std::span<const std::byte> bytes = chunk.bytes;
  if (!lasts) bytes = file_.hold(chunk.bytes.copy());
  const std::optional<Stored> old = stored(dataset, chunk);
  const bool lies_raw = old && all != 0 && old->skipped == all;
  if (chunk.filtered && lies_raw) {
    if (may_move(chunk, *old)) {
      file_.retire(old->address, old->size);
      file_.refer_to(bytes);
    } else {
      bytes = file_.hold(codec->decode(chunk.bytes, old->size, element));
      skipped = all;
      file_.refer_to(bytes, new_part(described, chunk, bytes, true));
    }
  } else if (skipped == all) {
    file_.refer_to(bytes, new_part(described, chunk, bytes, old && old->size == bytes.size()));
  } else {
    file_.refer_to(bytes);
  }
  const std::vector<hsize_t> offset(chunk.offset.begin(), chunk.offset.end());
  check(H5Dwrite_chunk(dataset, H5P_DEFAULT, skipped, offset.data(), bytes.size(), bytes.data()),
        fmt::format("cannot write a chunk of \"{}\"", described.name));
}

// Whether an encoded chunk may replace the unencoded one at a new address. Readers of an older state then
// find the new address in the shared chunk index, so it must be within the length of the file that they know.
// Otherwise the chunk is encoded when the file has ended (repack.hpp).
bool Step::may_move(const EncodedChunk& chunk, const Stored& old) const {
  const std::size_t size = chunk.bytes.size();
  if (file_.has_place_for(size)) return true;
  hsize_t end = 0;
  check(H5Fget_filesize(hdf5_, &end), "cannot query how long the file is");
  return end + size <= file_.known_length(old.address);
}

std::optional<Step::Stored> Step::stored(hid_t dataset, const EncodedChunk& chunk) {
  const std::vector<hsize_t> offset(chunk.offset.begin(), chunk.offset.end());
  Stored found;
  check(H5Dget_chunk_info_by_coord(dataset, offset.data(), &found.skipped, &found.address, &found.size),
        "cannot look up a chunk");
  return found.address == HADDR_UNDEF ? std::nullopt : std::optional(found);
}

// The part of an unencoded chunk that must be written. HDF5 keeps the address of a chunk whose size does not
// change (`stays`), so its committed records need not be written again. Readers never access the cells after
// its valid records, so these are not written either.
std::span<const std::byte> Step::new_part(const VariableSpec& described, const EncodedChunk& chunk,
                                          std::span<const std::byte> raw, bool stays) {
  const std::size_t record = raw.size() / static_cast<std::size_t>(described.chunk[0]);
  const std::size_t first = stays ? static_cast<std::size_t>(chunk.committed_records) * record : 0;
  const std::size_t end =
      chunk.valid_records == 0 ? raw.size() : static_cast<std::size_t>(chunk.valid_records) * record;
  return raw.subspan(first, end - first);
}

void Step::write(const PlainValues& values, const std::vector<std::int64_t>& lengths) {
  if (values.bytes.empty()) return;
  const auto index = base::index(values.variable);
  const VariableSpec& described = spec_.variables[index];
  const std::string doing = fmt::format("cannot write values of \"{}\"", described.name);
  const hid_t type = memory_type(described);
  file_.refer_to(values.bytes);
  if (!grows(spec_, described)) {
    check(H5Dwrite(variable(index), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.bytes.data()), doing);
    return;
  }
  const auto shape = shape_of(described, lengths);
  std::vector<hsize_t> count(shape.begin(), shape.end());
  std::vector<hsize_t> start(shape.size(), 0);
  hsize_t record = model::size_of(described.type);
  for (std::size_t i = 1; i < count.size(); ++i) record *= count[i];
  count[0] = values.bytes.size() / record;
  start[0] = static_cast<hsize_t>(values.first);
  const Id target(H5Dget_space(variable(index)), &H5Sclose, doing);
  const Id source(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), &H5Sclose, doing);
  check(H5Sselect_hyperslab(target, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), doing);
  check(H5Dwrite(variable(index), type, source, target, H5P_DEFAULT, values.bytes.data()), doing);
}

}  // namespace

void write_step(AtomicFile& file, const DatasetSpec& spec, const Commit& commit,
                const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after) {
  const Hdf5Lock lock;
  Step step(file, spec);
  step.extend(before, after);
  for (const EncodedChunk& chunk : commit.chunks) step.write(chunk);
  for (const PlainValues& values : commit.values) step.write(values, after);
  for (const LateAttribute& late : commit.attributes) step.write(late);
  step.close();
}

}  // namespace tailrace::output::netcdf
