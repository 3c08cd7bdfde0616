// Reads the records of one variable; records that share chunks are read at once.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "input/entry/decode.hpp"
#include "input/entry/source_files.hpp"

namespace tailrace::input {

// All that reading a variable of one file needs. Files with the same structure share one.
struct VariableRecipe {
  VariableHeader variable;  // without attributes
  std::shared_ptr<const Match> match;
  ValueRules rules;
};

// The recipe of a file that follows another: that one if they are the same, and in any case its match if that
// is the same, since the cells of a large grid take much memory.
std::shared_ptr<const VariableRecipe> shared_with(const std::shared_ptr<const VariableRecipe>& before,
                                                  VariableRecipe recipe);

// One thread at a time.
class RecordReader {
 public:
  // `shape`: of the result, by dim of the grid. `most_bytes`: what records that share chunks may hold.
  RecordReader(SourceFiles& files, std::vector<std::int64_t> shape, std::uint64_t most_bytes);

  // Reads the record with this index along the file's dim of time. Blocks. Throws Error(resource).
  Decoded read(std::size_t file, const std::shared_ptr<const VariableRecipe>& recipe, std::int64_t record,
               model::DataType type, std::span<std::byte> result);
  std::uint64_t take_bytes_read();  // of chunks, since the last call

 private:
  void load(std::size_t file, std::int64_t record);

  SourceFiles& files_;
  std::vector<std::int64_t> shape_;
  std::uint64_t most_bytes_, bytes_read_ = 0;
  std::shared_ptr<const VariableRecipe> recipe_;  // of all below
  std::vector<Piece> pieces_;                     // for a number of records
  std::int64_t planned_ = 0;                      // that number
  // What is in memory: one for each piece. None: nothing.
  std::vector<env::ReceivedPages> pages_;
  std::size_t file_ = 0;
  RecordRange range_;
};

}  // namespace tailrace::input
