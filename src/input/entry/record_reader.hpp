// Reads the records of one variable; records that share chunks are read at once.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "input/entry/decode.hpp"
#include "input/entry/record_pages.hpp"
#include "input/entry/source_files.hpp"

namespace tailrace::input {

// All that reading a variable of one file needs. Files with the same structure share one.
struct VariableRecipe {
  VariableHeader variable;  // without attributes
  std::shared_ptr<const Match> match;
  ValueRules rules;
  // All that is read at once for the fields that come from this variable; null: the need of this one.
  std::shared_ptr<const Box> box = {};
};

// The recipe of a file that follows another: that one if they are the same, and in any case its match if that
// is the same, since the cells of a large grid take much memory.
std::shared_ptr<const VariableRecipe> shared_with(const std::shared_ptr<const VariableRecipe>& before,
                                                  VariableRecipe recipe);

// One thread at a time.
class RecordReader {
 public:
  // `shape`: of the result, by dim of the grid. Records that share chunks, or that other readers of `pages`
  // need, are kept there. REQUIRES: all of these readers have the same variable and box.
  RecordReader(SourceFiles& files, std::vector<std::int64_t> shape, std::shared_ptr<RecordPages> pages);

  // A record by its index along the file's dim of time, and the seconds of model time to the next one.
  struct Wanted {
    std::size_t file = 0;
    std::int64_t record = 0;
    double to_next = 0.0;
  };
  // Blocks. Throws Error(resource).
  Decoded read(const Wanted& wanted, const std::shared_ptr<const VariableRecipe>& recipe,
               model::DataType type, std::span<std::byte> result);
  std::uint64_t take_bytes_read();  // as in RecordValues, since the last call

 private:
  void plan(RecordRange range);
  RecordPages::Held load(const Wanted& wanted);

  SourceFiles& files_;
  std::vector<std::int64_t> shape_;
  std::shared_ptr<RecordPages> pages_;
  int reader_;  // its number there
  std::uint64_t bytes_read_ = 0;
  std::shared_ptr<const VariableRecipe> recipe_;  // of all below
  std::vector<Piece> pieces_;                     // for a number of records
  std::int64_t planned_ = 0;                      // that number
};

}  // namespace tailrace::input
