#include "codecs/lossy/keeper.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "codecs/lossy/comparison.hpp"
#include "codecs/lossy/information.hpp"
#include "codecs/lossy/prediction.hpp"

namespace tailrace::codecs::lossy {
namespace {

constexpr std::size_t part_bytes = std::size_t{16} << 10;

std::size_t bytes_of(const ChunkDescription& described) {
  std::size_t bytes = model::size_of(described.type);
  for (const std::int64_t extent : described.shape) bytes *= static_cast<std::size_t>(extent);
  return bytes;
}

std::unique_ptr<const Rounding> rounding_for(const Codec& codec, const RoundingRequest& request) {
  return predicts(codec) ? make_rounding_for_prediction(request) : make_rounding(request);
}

}  // namespace

Keeper::Keeper(const Keep& keep, ChunkDescription record, ChunkDescription chunk,
               std::shared_ptr<const Codec> codec)
    : keep_(keep),
      record_(std::move(record)),
      chunk_(std::move(chunk)),
      record_bytes_(bytes_of(record_)),
      codec_(std::move(codec)) {
  if (!keep_.information) rounding_ = rounding_for(*codec_, {keep_, record_.type, record_.fill_value});
}

// Nothing if a value does not pass the check. In parts that stay in a cache.
std::optional<Reached> Keeper::round_to(const Keep& keep, const Rounding& rounding,
                                        std::span<const std::byte> original,
                                        std::span<std::byte> record) const {
  Reached largest;
  for (std::size_t first = 0; first < record.size(); first += part_bytes) {
    const std::size_t bytes = std::min(part_bytes, record.size() - first);
    const auto part = record.subspan(first, bytes);
    rounding.round(part);
    const auto reached =
        compare(original.subspan(first, bytes), part, keep, record_.type, record_.fill_value);
    if (!reached) return std::nullopt;
    largest.merge(*reached);
  }
  return largest;
}

std::optional<Reached> Keeper::round(std::span<const std::byte> original, std::span<std::byte> record) const {
  if (rounding_) return round_to(keep_, *rounding_, original, record);
  Keep keep = keep_;
  keep.information.reset();
  const auto bits = bits_that_keep(*keep_.information, original, record_);
  if (!bits) return Reached();  // nothing is known about such a record: it stays as it is
  keep.bits = std::max(keep.bits.value_or(0), *bits);
  const auto rounding = rounding_for(*codec_, {keep, record_.type, record_.fill_value});
  auto reached = round_to(keep, *rounding, original, record);
  if (reached) reached->bits = *keep.bits;
  return reached;
}

KeptChunk Keeper::keep(std::span<const std::byte> cells, const AlreadyKept& already, bool encodes) const {
  KeptChunk kept{.bytes = {cells.begin(), cells.end()}};
  const std::size_t records = cells.size() / record_bytes_;
  TAILRACE_ASSERT(already.empty() || already.size() == records, "one for each record");
  for (std::size_t r = 0; r < records; ++r) {
    if (!already.empty() && already[r]) {
      kept.reached.push_back(*already[r]);
      continue;
    }
    const auto reached = round(cells.subspan(r * record_bytes_, record_bytes_),
                               std::span(kept.bytes).subspan(r * record_bytes_, record_bytes_));
    if (!reached) return exactly(cells, already, encodes);
    kept.reached.push_back(*reached);
  }
  if (!encodes) return kept;
  try {
    Encoded encoded = codec_->encode_by_choice(kept.bytes, chunk_);
    kept.bytes = std::move(encoded.bytes);
    kept.level = encoded.level;
    kept.is_encoded = true;
  } catch (const Error&) {
    return exactly(cells, already, encodes);
  }
  return kept;
}

// If not even the codec can be trusted, the values go into the file without it.
KeptChunk Keeper::exactly(std::span<const std::byte> cells, const AlreadyKept& already, bool encodes) const {
  KeptChunk kept{.is_exact = true};
  for (std::size_t r = 0; r < cells.size() / record_bytes_; ++r)
    kept.reached.push_back(!already.empty() && already[r] ? *already[r] : Reached());
  try {
    if (encodes) {
      kept.bytes = codec_->encode(cells, chunk_);
      kept.is_encoded = true;
      return kept;
    }
  } catch (const Error&) {
    kept.is_encoded = false;
  }
  kept.bytes.assign(cells.begin(), cells.end());
  return kept;
}

}  // namespace tailrace::codecs::lossy
