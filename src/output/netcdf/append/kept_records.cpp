#include "output/netcdf/append/kept_records.hpp"

#include <cstring>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "output/checks.hpp"
#include "output/encode_again.hpp"
#include "output/netcdf/header.hpp"

namespace tailrace::output::netcdf {
namespace {

constexpr std::size_t portion = std::size_t{64} << 20;

std::size_t bytes_of_chunk(const VariableSpec& variable) {
  return static_cast<std::size_t>(cells_of(variable.chunk)) * model::size_of(variable.type);
}

struct Stored {
  std::vector<std::byte> bytes;
  bool filtered = true;
};

std::optional<Stored> read_chunk(hid_t dataset, const std::vector<std::int64_t>& offset)
    TAILRACE_REQUIRES(hdf5_mutex) {
  const std::vector<hsize_t> at(offset.begin(), offset.end());
  unsigned skipped = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t size = 0;
  check(H5Dget_chunk_info_by_coord(dataset, at.data(), &skipped, &address, &size), "cannot look up a chunk");
  if (address == HADDR_UNDEF) return std::nullopt;
  Stored stored;
  stored.bytes.resize(size);
  std::uint32_t mask = 0;
  check(H5Dread_chunk(dataset, H5P_DEFAULT, at.data(), &mask, stored.bytes.data()), "cannot read a chunk");
  stored.filtered = mask == 0;
  return stored;
}

std::vector<std::byte> decoded(const VariableSpec& variable, bool filtered,
                               std::span<const std::byte> bytes) {
  if (!filtered) return {bytes.begin(), bytes.end()};
  return codecs::make_codec(variable.codec)
      ->decode(bytes, bytes_of_chunk(variable), model::size_of(variable.type));
}

// Once a file has ended, the only chunk of a short series may have as many records as the series. Gives such
// a chunk the shape of the spec, unencoded. False: it has that shape already, and stays as it is.
bool widen(hid_t dataset, const VariableSpec& variable, Stored& stored) TAILRACE_REQUIRES(hdf5_mutex) {
  const Id properties(H5Dget_create_plist(dataset), &H5Pclose, "cannot read how a variable is stored");
  hsize_t size[H5S_MAX_RANK] = {};
  check(H5Pget_chunk(properties, H5S_MAX_RANK, size), "cannot read the shape of a chunk");
  if (static_cast<std::int64_t>(size[0]) == variable.chunk[0]) return false;
  const std::size_t element = model::size_of(variable.type);
  const std::size_t whole = bytes_of_chunk(variable);
  const std::size_t there = whole / static_cast<std::size_t>(variable.chunk[0]) * size[0];
  const auto codec = codecs::make_codec(variable.codec);
  std::vector<std::byte> cells =
      stored.filtered ? codec->decode(stored.bytes, there, element) : std::move(stored.bytes);
  std::vector<std::byte> fill(element);
  check(H5Pget_fill_value(properties, memory_type(variable), fill.data()), "cannot read a fill value");
  cells.resize(whole);
  base::fill_with(fill, std::span(cells).subspan(there));
  stored = {std::move(cells), false};
  return true;
}

}  // namespace

std::vector<std::int64_t> kept_lengths(const DatasetSpec& spec) {
  std::vector<std::int64_t> kept(spec.dims.size(), 0);
  for (const auto& [dim, records] : spec.kept) kept[base::index(dim)] = records;
  return kept;
}

std::optional<std::vector<std::byte>> joined(hid_t dataset, const VariableSpec& variable,
                                             const EncodedChunk& chunk, std::int64_t kept) {
  const std::int64_t old_records = std::min(kept - chunk.offset[0], variable.chunk[0]);
  if (old_records <= 0) return std::nullopt;
  const std::optional<Stored> old = read_chunk(dataset, chunk.offset);
  if (!old) return std::nullopt;  // the chunk was never written and holds only fill values
  const auto before = decoded(variable, old->filtered, old->bytes);
  auto whole = decoded(variable, chunk.filtered, chunk.bytes);
  const std::size_t record = bytes_of_chunk(variable) / static_cast<std::size_t>(variable.chunk[0]);
  std::memcpy(whole.data(), before.data(), static_cast<std::size_t>(old_records) * record);
  return whole;
}

KeptRecords::KeptRecords(AtomicFile& file, const DatasetSpec& spec)
    : spec_(spec), lengths_(first_lengths(spec)) {
  for (const auto& [dim, records] : spec.kept) lengths_[base::index(dim)] = records;
  const Hdf5Lock lock;
  hdf5_ = open_in(file);
}

KeptRecords::~KeptRecords() {
  const Hdf5Lock lock;
  hdf5_ = {};
}

std::optional<Commit> KeptRecords::next() {
  const Hdf5Lock lock;
  if (variable_ == spec_.variables.size()) return std::nullopt;
  Commit commit;
  commit.lengths = spec_.kept;
  std::size_t bytes = 0;
  while (bytes < portion && variable_ < spec_.variables.size()) bytes += add_variable(commit);
  return commit;
}

std::size_t KeptRecords::add_variable(Commit& commit) {
  const VariableSpec& variable = spec_.variables[variable_];
  const Id dataset(H5Dopen2(hdf5_, variable_link(spec_, variable_).c_str(), H5P_DEFAULT), &H5Dclose,
                   "cannot open a variable");
  std::size_t bytes = 0;
  bool more = false;
  if (variable.chunk.empty()) {
    PlainValues values{.variable = static_cast<int>(variable_), .first = 0, .bytes = {}};
    values.bytes.resize(static_cast<std::size_t>(cells_of(shape_of(variable, lengths_))) *
                        model::size_of(variable.type));
    check(H5Dread(dataset, memory_type(variable), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.bytes.data()),
          "cannot read a variable");
    bytes = values.bytes.size();
    commit.values.push_back(std::move(values));
  } else {
    if (offset_.empty()) offset_.assign(variable.chunk.size(), 0);
    const auto shape = shape_of(variable, lengths_);
    more = cells_of(shape) > 0;
    while (more && bytes < portion) {
      bytes += add_chunk(commit, dataset);
      more = advance();
    }
  }
  if (more) return bytes;
  ++variable_;
  offset_.clear();
  return bytes;
}

std::size_t KeptRecords::add_chunk(Commit& commit, hid_t dataset) const {
  const VariableSpec& variable = spec_.variables[variable_];
  auto stored = read_chunk(dataset, offset_);
  if (!stored) return 0;
  const bool is_widened = grows(spec_, variable) && widen(dataset, variable, *stored);
  const std::size_t bytes = stored->bytes.size();
  EncodedChunk chunk{.variable = static_cast<int>(variable_),
                     .offset = offset_,
                     .bytes = std::move(stored->bytes),
                     .filtered = stored->filtered};
  if (is_widened) encode_again(spec_, chunk);
  if (grows(spec_, variable) && !chunk.filtered)
    chunk.valid_records = std::min(variable.chunk[0], shape_of(variable, lengths_)[0] - offset_[0]);
  commit.chunks.push_back(std::move(chunk));
  return bytes;
}

bool KeptRecords::advance() {
  const VariableSpec& variable = spec_.variables[variable_];
  const auto shape = shape_of(variable, lengths_);
  for (std::size_t d = shape.size(); d-- > 0;) {
    offset_[d] += variable.chunk[d];
    if (offset_[d] < shape[d]) return true;
    offset_[d] = 0;
  }
  return false;
}

}  // namespace tailrace::output::netcdf
