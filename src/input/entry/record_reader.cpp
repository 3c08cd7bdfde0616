#include "input/entry/record_reader.hpp"

#include <utility>

#include "base/index.hpp"

namespace tailrace::input {

std::shared_ptr<const VariableRecipe> shared_with(const std::shared_ptr<const VariableRecipe>& before,
                                                  VariableRecipe recipe) {
  recipe.variable.attributes.clear();
  if (before && *before->match == *recipe.match) {
    recipe.match = before->match;
    const VariableHeader &a = before->variable, &b = recipe.variable;
    if (a.name == b.name && a.dims == b.dims && a.shape == b.shape && a.chunk == b.chunk &&
        a.type_name == b.type_name && before->rules == recipe.rules)
      return before;
  }
  return std::make_shared<const VariableRecipe>(std::move(recipe));
}

RecordReader::RecordReader(SourceFiles& files, std::vector<std::int64_t> shape, std::uint64_t most_bytes)
    : files_(files), shape_(std::move(shape)), most_bytes_(most_bytes) {}

std::uint64_t RecordReader::take_bytes_read() { return std::exchange(bytes_read_, 0); }

void RecordReader::load(std::size_t file, std::int64_t record) {
  const VariableHeader& variable = recipe_->variable;
  const Match& match = *recipe_->match;
  pages_.clear();
  range_ = records_together(variable, match, record, most_bytes_);
  file_ = file;
  if (planned_ != range_.count) pieces_ = pieces_of(variable, match, shape_, range_);
  planned_ = range_.count;
  std::vector<env::ReceivedPages> pages;
  for (Piece& piece : pieces_) {
    if (match.time != Match::none) piece.start[base::index(match.time)] = range_.begin;
    pages.push_back(files_.read(file, variable, piece.start, piece.count));
    bytes_read_ += bytes_of_chunks(variable, piece);
  }
  pages_ = std::move(pages);
}

Decoded RecordReader::read(std::size_t file, const std::shared_ptr<const VariableRecipe>& recipe,
                           std::int64_t record, model::DataType type, std::span<std::byte> result) {
  if (recipe != recipe_) {
    recipe_ = recipe;
    planned_ = 0;
    pages_.clear();
  }
  if (recipe->match->time == Match::none) record = 0;
  if (pages_.empty() || file != file_ || record < range_.begin || record >= range_.begin + range_.count)
    load(file, record);
  Decoded decoded;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const auto skipped = base::index((record - range_.begin) * pieces_[p].copying.from_time) *
                         model::size_of(recipe->variable.type);
    const Decoded one = decode(pages_[p].bytes().subspan(skipped), recipe->variable.type, recipe->rules,
                               pieces_[p].copying, type, result);
    decoded.missing += one.missing;
    decoded.overflows = decoded.overflows || one.overflows;
  }
  // A run goes through the records in order, so the last one of a chunk is followed by another chunk.
  if (record == range_.begin + range_.count - 1) pages_.clear();
  return decoded;
}

}  // namespace tailrace::input
