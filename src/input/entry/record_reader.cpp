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

RecordReader::RecordReader(SourceFiles& files, std::vector<std::int64_t> shape, ChunkMemory& chunks)
    : files_(files), shape_(std::move(shape)), kept_(chunks) {}

std::uint64_t RecordReader::take_bytes_read() { return std::exchange(bytes_read_, 0); }

bool RecordReader::has(const Wanted& wanted) const {
  return wanted.file == file_ && wanted.record >= range_.begin && wanted.record < range_.begin + range_.count;
}

// A run goes through the records in order, so those before this one are not needed.
std::vector<env::ReceivedPages> RecordReader::load(const Wanted& wanted) {
  const VariableHeader& variable = recipe_->variable;
  const Match& match = *recipe_->match;
  range_ = records_together(variable, match, wanted.record);
  file_ = wanted.file;
  range_.count = kept_.reserve(record_bytes(variable, match), range_.count, wanted.to_next);
  if (planned_ != range_.count) pieces_ = pieces_of(variable, match, shape_, range_);
  planned_ = range_.count;
  std::vector<env::ReceivedPages> pages;
  for (Piece& piece : pieces_) {
    if (match.time != Match::none) piece.start[base::index(match.time)] = range_.begin;
    pages.push_back(files_.read(file_, variable, piece.start, piece.count));
    bytes_read_ += files_.bytes_of_last_read().value_or(bytes_of_chunks(variable, piece));
  }
  return pages;
}

Decoded RecordReader::read(const Wanted& wanted, const std::shared_ptr<const VariableRecipe>& recipe,
                           model::DataType type, std::span<std::byte> result) {
  if (recipe != recipe_) {
    recipe_ = recipe;
    planned_ = 0;
    kept_.clear();
  }
  Wanted from = wanted;
  if (recipe->match->time == Match::none) from.record = 0;
  std::vector<env::ReceivedPages> pages = kept_.take();
  if (pages.empty() || !has(from)) {
    pages.clear();
    try {
      pages = load(from);
    } catch (...) {
      kept_.clear();
      throw;
    }
  }
  Decoded decoded;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const auto skipped = base::index((from.record - range_.begin) * pieces_[p].copying.from_time) *
                         model::size_of(recipe->variable.type);
    const Decoded one = decode(pages[p].bytes().subspan(skipped), recipe->variable.type, recipe->rules,
                               pieces_[p].copying, type, result);
    decoded.missing += one.missing;
    decoded.overflows = decoded.overflows || one.overflows;
  }
  // The last one of a chunk is followed by another chunk.
  if (from.record == range_.begin + range_.count - 1) {
    pages.clear();
    kept_.clear();
  } else {
    kept_.keep(std::move(pages));
  }
  return decoded;
}

}  // namespace tailrace::input
