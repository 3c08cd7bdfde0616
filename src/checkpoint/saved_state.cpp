#include "checkpoint/saved_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "checkpoint/describe.hpp"

namespace tailrace::checkpoint {
namespace {

// Parts of a file whose gap is smaller than this are read together.
constexpr std::int64_t gap_bytes = std::int64_t{32} << 10;
constexpr std::int64_t piece_bytes = std::int64_t{4} << 20;

// Fills `values` from an array that begins at `address`; `segments` in the order of the file.
class Reader {
 public:
  Reader(const env::File& file, const StoredArray& stored, std::span<std::byte> values)
      : file_(file),
        address_(stored.address),
        element_(static_cast<std::int64_t>(model::size_of(stored.array.type))),
        values_(values) {}

  void read(std::span<const model::Segment> segments) {
    while (!segments.empty()) {
      std::size_t count = 1;
      while (count < segments.size() && belongs_to(segments[0], segments[count - 1], segments[count]))
        ++count;
      if (count == 1)
        read_alone(segments[0]);
      else
        read_together(segments.first(count));
      segments = segments.subspan(count);
    }
  }

 private:
  bool belongs_to(const model::Segment& first, const model::Segment& last, const model::Segment& next) const {
    const std::int64_t gap = next.target - (last.target + last.count);
    return gap * element_ <= gap_bytes && (next.target + next.count - first.target) * element_ <= piece_bytes;
  }

  std::span<std::byte> values_of(const model::Segment& segment) const {
    return values_.subspan(static_cast<std::size_t>(segment.source * element_),
                           static_cast<std::size_t>(segment.count * element_));
  }

  std::uint64_t place_of(std::int64_t cell) const {
    return address_ + static_cast<std::uint64_t>(cell * element_);
  }

  void read_alone(const model::Segment& segment) { file_.read(place_of(segment.target), values_of(segment)); }

  void read_together(std::span<const model::Segment> segments) {
    const std::int64_t first = segments.front().target;
    const std::int64_t cells = segments.back().target + segments.back().count - first;
    piece_.resize(static_cast<std::size_t>(cells * element_));
    file_.read(place_of(first), piece_);
    for (const model::Segment& segment : segments) {
      const auto values = values_of(segment);
      std::memcpy(values.data(), piece_.data() + (segment.target - first) * element_, values.size());
    }
  }

  const env::File& file_;
  const std::uint64_t address_;
  const std::int64_t element_;
  const std::span<std::byte> values_;
  std::vector<std::byte> piece_;
};

}  // namespace

SavedState::SavedState(env::FileSystem& files, const std::string& checkpoint, const Manifest& manifest)
    : checkpoint_(checkpoint) {
  for (std::size_t i = 0; i < manifest.shards.size(); ++i) {
    const Shard& shard = manifest.shards[i];
    const std::string path = checkpoint + "/" + shard.name;
    try {
      shards_.push_back({path, files.open(path, env::Access::read)});
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("checkpoint {}: {}", path, error.what()));
    }
    for (const StoredArray& stored : shard.arrays) arrays_.try_emplace(stored.array.name, stored, i);
  }
}

std::optional<model::StateArray> SavedState::find(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) return std::nullopt;
  return found->second.stored.array;
}

void SavedState::load(const model::StateArray& array, const model::Region& region,
                      std::span<std::byte> values) const {
  const auto found = arrays_.find(array.name);
  if (found == arrays_.end())
    throw Error(ErrorCode::resource, fmt::format("checkpoint {} has no \"{}\".{}", checkpoint_, array.name,
                                                 base::name_hint(array.name, names())));
  const auto& [stored, shard] = found->second;
  if (stored.array != array)
    throw Error(ErrorCode::resource,
                fmt::format("checkpoint {} has \"{}\" as {}, but {} is expected", checkpoint_, array.name,
                            describe(stored.array), describe(array)));
  auto segments = model::intersect(region, {std::vector<std::int64_t>(array.shape.size(), 0), array.shape});
  std::ranges::sort(segments, {}, &model::Segment::target);
  const auto& [path, file] = shards_[shard];
  try {
    Reader(*file, stored, values).read(segments);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("checkpoint {}: {}", path, error.what()));
  }
}

std::vector<std::string> SavedState::names() const {
  std::vector<std::string> names;
  for (const auto& [name, stored] : arrays_) names.push_back(name);
  return names;
}

}  // namespace tailrace::checkpoint
