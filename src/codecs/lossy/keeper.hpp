// Encodes chunks within a bound on the error: rounds each record, checks every value, and encodes the result
// with a lossless codec. Thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/lossy/rounding.hpp"

namespace tailrace::codecs::lossy {

struct KeptChunk {
  std::vector<std::byte> bytes{};
  bool is_encoded = false;
  bool is_exact = false;           // a value did not pass, or did not decode, so all are stored as they were
  int level = 0;                   // Encoded::level
  std::vector<Reached> reached{};  // by record
};

// By record: set if it is rounded already, or is no record of this chunk; with the errors of the rounding.
using AlreadyKept = std::vector<std::optional<Reached>>;

class Keeper {
 public:
  // `record`: one record of a chunk, of float32 or float64. `chunk`: the whole, for the codec, which has its
  // own values decoded again.
  Keeper(const Keep& keep, ChunkDescription record, ChunkDescription chunk,
         std::shared_ptr<const Codec> codec);
  virtual ~Keeper() = default;

  // `cells`: whole records one behind the other. `already`: empty, or one for each record. `encodes`: false
  // for a chunk that is not full yet, whose records are rounded alone. The result for a record depends on its
  // own values only.
  virtual KeptChunk keep(std::span<const std::byte> cells, const AlreadyKept& already, bool encodes) const;

 private:
  std::optional<Reached> round(std::span<const std::byte> original, std::span<std::byte> record) const;
  std::optional<Reached> round_to(const Keep& keep, const Rounding& rounding,
                                  std::span<const std::byte> original, std::span<std::byte> record) const;
  KeptChunk exactly(std::span<const std::byte> cells, const AlreadyKept& already, bool encodes) const;

  Keep keep_;
  ChunkDescription record_, chunk_;
  std::size_t record_bytes_;
  std::shared_ptr<const Codec> codec_;
  std::unique_ptr<const Rounding> rounding_;  // null with `information`: each record has its own
};

}  // namespace tailrace::codecs::lossy
