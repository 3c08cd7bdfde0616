#include "output/memory/memory_format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "base/thread_safety.hpp"
#include "output/checks.hpp"
#include "output/codec_needs.hpp"

namespace tailrace::output::memory {
namespace {

template <class Named>
std::size_t find_name(const std::vector<Named>& all, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
    known.push_back(all[i].name);
  }
  throw Error(ErrorCode::usage,
              fmt::format("\"{}\" is not in the dataset.{}", name, base::name_hint(name, known)));
}

// Extends an array along its first dim; the new cells get the fill value.
void grow(const VariableSpec& variable, std::int64_t cells, std::vector<std::byte>& values) {
  const std::size_t size = model::size_of(variable.type);
  std::size_t at = values.size();
  values.resize(static_cast<std::size_t>(cells) * size);
  model::dispatch(variable.type, [&](auto sample) {
    const auto fill = variable.fill_value.value_or(0.0).as<decltype(sample)>();
    for (; at < values.size(); at += size) std::memcpy(values.data() + at, &fill, size);
  });
}

// The shape of the array in memory: whole chunks of records, since a chunk may hold records that only a later
// commit makes visible.
std::vector<std::int64_t> kept_shape(const DatasetSpec& spec, const VariableSpec& variable,
                                     const std::vector<std::int64_t>& lengths) {
  auto shape = shape_of(variable, lengths);
  if (grows(spec, variable))
    shape[0] = (shape[0] + variable.chunk[0] - 1) / variable.chunk[0] * variable.chunk[0];
  return shape;
}

// Visits the rows (along the fastest dim) of the part of a chunk that lies inside the variable.
template <class Visit>
void for_each_row(const VariableSpec& variable, const std::vector<std::int64_t>& shape,
                  const std::vector<std::int64_t>& offset, Visit visit) {
  const std::size_t rank = shape.size();
  std::vector<std::int64_t> count(rank);
  for (std::size_t i = 0; i < rank; ++i) count[i] = std::min(variable.chunk[i], shape[i] - offset[i]);
  std::vector<std::int64_t> at(rank, 0);
  for (;;) {
    std::int64_t from = 0, to = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      from = from * variable.chunk[i] + at[i];
      to = to * shape[i] + offset[i] + at[i];
    }
    visit(static_cast<std::size_t>(from), static_cast<std::size_t>(to),
          static_cast<std::size_t>(count[rank - 1]));
    std::size_t i = rank - 1;
    do {
      if (i == 0) return;
      --i;
      if (++at[i] < count[i]) break;
      at[i] = 0;
    } while (true);
  }
}

std::vector<std::byte> decoded(const VariableSpec& variable, std::span<const std::byte> bytes) {
  const std::size_t size = model::size_of(variable.type);
  const auto cells = static_cast<std::size_t>(cells_of(variable.chunk));
  return codecs::make_codec(variable.codec)->decode(bytes, cells * size, size);
}

class MemoryDataset final : public Dataset {
 public:
  explicit MemoryDataset(std::shared_ptr<Contents> contents) : contents_(std::move(contents)) {}
  void commit(const Commit& commit) override {
    TAILRACE_ASSERT(!closed_, "commit to a closed dataset");
    contents_->add(commit);
  }
  void close() override { closed_ = true; }
  std::uint64_t bytes_on_disk() const override { return 0; }

 private:
  std::shared_ptr<Contents> contents_;
  bool closed_ = false;
};

class MemoryFormat final : public Format {
 public:
  std::string name() const override { return "memory"; }
  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem&) const override {
    check_spec(spec);
    auto contents = std::make_shared<Contents>(spec);
    const base::MutexLock lock(mutex_);
    auto& place = by_path_[spec.path];
    if (place && spec.if_exists != IfExists::replace)
      throw Error(ErrorCode::resource, fmt::format("{}: {}", spec.path, exists_already()));
    place = contents;
    return std::make_unique<MemoryDataset>(std::move(contents));
  }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return false; }

  std::shared_ptr<const Contents> find(const std::string& path) const {
    const base::MutexLock lock(mutex_);
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? nullptr : found->second;
  }

 private:
  mutable base::Mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<Contents>> by_path_ TAILRACE_GUARDED_BY(mutex_);
};

const CodecNeedRegistration lorenzo{"memory", "lorenzo", ""};
const FormatRegistration registration{std::make_unique<MemoryFormat>()};

}  // namespace

Contents::Contents(const DatasetSpec& spec)
    : spec_(spec), lengths_(first_lengths(spec)), values_(spec.variables.size()) {
  for (std::size_t i = 0; i < values_.size(); ++i)
    grow(spec_.variables[i], cells_of(kept_shape(spec_, spec_.variables[i], lengths_)), values_[i]);
}

std::size_t Contents::index_of(const std::string& variable) const {
  return find_name(spec_.variables, variable);
}

std::int64_t Contents::length(const std::string& dim) const { return lengths_[find_name(spec_.dims, dim)]; }

std::vector<std::int64_t> Contents::shape(const std::string& variable) const {
  return shape_of(spec_.variables[index_of(variable)], lengths_);
}

std::vector<std::byte> Contents::bytes(const std::string& variable) const {
  for (const TextSpec& text : spec_.texts)
    if (text.name == variable) return padded(spec_, text);
  const std::size_t index = index_of(variable);
  const std::int64_t cells = cells_of(shape_of(spec_.variables[index], lengths_));
  const std::size_t size = static_cast<std::size_t>(cells) * model::size_of(spec_.variables[index].type);
  return {values_[index].begin(), values_[index].begin() + static_cast<std::ptrdiff_t>(size)};
}

std::size_t Contents::element_size(const std::string& variable) const {
  return model::size_of(spec_.variables[index_of(variable)].type);
}

void Contents::add(const Commit& commit) {
  const auto lengths = lengths_after(spec_, lengths_, commit);
  std::vector<std::vector<std::byte>> raw;  // decode all chunks before any change, since one may be damaged
  for (const EncodedChunk& chunk : commit.chunks) {
    const VariableSpec& variable = spec_.variables[base::index(chunk.variable)];
    raw.push_back(chunk.filtered ? decoded(variable, chunk.bytes) : chunk.bytes.copy());
  }
  lengths_ = lengths;
  for (std::size_t i = 0; i < values_.size(); ++i)
    grow(spec_.variables[i], cells_of(kept_shape(spec_, spec_.variables[i], lengths_)), values_[i]);
  for (std::size_t i = 0; i < raw.size(); ++i) put(commit.chunks[i], raw[i]);
  for (const PlainValues& values : commit.values) put(values);
  for (const LateAttribute& late : commit.attributes) set_attribute(spec_, late);
}

void Contents::put(const EncodedChunk& chunk, const std::vector<std::byte>& raw) {
  const auto index = base::index(chunk.variable);
  const VariableSpec& variable = spec_.variables[index];
  const std::size_t size = model::size_of(variable.type);
  for_each_row(variable, kept_shape(spec_, variable, lengths_), chunk.offset,
               [&](std::size_t from, std::size_t to, std::size_t count) {
                 std::memcpy(values_[index].data() + to * size, raw.data() + from * size, count * size);
               });
}

void Contents::put(const PlainValues& values) {
  if (values.bytes.empty()) return;
  const auto index = base::index(values.variable);
  const VariableSpec& variable = spec_.variables[index];
  auto shape = shape_of(variable, lengths_);
  if (!shape.empty()) shape[0] = values.first;
  const std::size_t at =
      shape.empty() ? 0 : static_cast<std::size_t>(cells_of(shape)) * model::size_of(variable.type);
  std::memcpy(values_[index].data() + at, values.bytes.data(), values.bytes.size());
}

std::shared_ptr<const Contents> contents_of(const std::string& path) {
  return dynamic_cast<const MemoryFormat&>(*find_format("memory")).find(path);
}

}  // namespace tailrace::output::memory
