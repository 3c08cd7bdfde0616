// From commits to the blocks of ADIOS2's steps: of a growing variable a step holds the records that the
// commit brings to light.
#pragma once

#include <map>
#include <vector>

#include "output/adios2/engine.hpp"

namespace tailrace::output::adios2 {

class StepCutter {
 public:
  // `repeats`: variables that do not grow are in every step. `keeps_encoded`: a chunk that is a block as it
  // is stays encoded; all others are decoded.
  StepCutter(const DatasetSpec& spec, bool repeats, bool keeps_encoded = false);

  // The blocks of the step, with the bytes that they point to until the next call. Variables are numbered as
  // in the spec. The lengths are those of the dims before and after the commit. Throws Error(resource) for a
  // chunk that cannot be decoded, before anything has changed.
  const std::vector<Block>& cut(const Commit& commit, const std::vector<std::int64_t>& before,
                                const std::vector<std::int64_t>& after);
  // The blocks of the last cut() once more.
  const std::vector<Block>& blocks() const { return blocks_; }
  // A variable that does not grow stays as the dataset has it, whatever commits bring.
  void leave(std::size_t variable) { left_[variable] = true; }
  // Held for later steps: chunks with records that no commit has brought to light, and what is repeated.
  std::size_t held() const;

 private:
  using Offset = std::vector<std::int64_t>;
  struct Place {  // of a block in its variable
    Offset shape, start, count;
  };
  struct Chunk {
    base::SharedBytes bytes;
    bool encoded = false;
  };
  using Chunks = std::map<Offset, Chunk>;

  Chunk as_stored(const EncodedChunk& chunk, const Offset& before, const Offset& after) const;
  bool is_a_block(const EncodedChunk& chunk, const Offset& before, const Offset& after) const;
  void take(const Commit& commit, std::vector<Chunk>&& stored);
  void add_growing(std::size_t variable, std::int64_t before, std::int64_t after,
                   const std::vector<const PlainValues*>& values);
  void add_fixed(std::size_t variable);
  bool has_all_chunks(std::size_t variable) const;
  void add_chunks(std::size_t variable, const Offset& first, const Offset& end);
  void add_chunk(std::size_t variable, const Offset& offset, const Offset& first, const Offset& end);
  void add_block(std::size_t variable, const Place& place, base::SharedBytes bytes, std::size_t at = 0);
  void forget_until(std::size_t variable, std::int64_t record);
  base::SharedBytes filled(const VariableSpec& variable, std::int64_t cells) const;

  const DatasetSpec spec_;
  const bool repeats_;
  const bool keeps_encoded_;
  std::vector<Chunks> chunks_;            // by variable
  std::vector<base::SharedBytes> whole_;  // by variable: plain values of those that do not grow
  std::vector<bool> changed_;             // of those that do not grow: since the step before
  std::vector<bool> left_;
  std::vector<Block> blocks_;
  std::vector<base::SharedBytes> bytes_;  // of blocks_
};

}  // namespace tailrace::output::adios2
