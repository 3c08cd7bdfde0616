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

RecordReader::RecordReader(SourceFiles& files, std::vector<std::int64_t> shape,
                           std::shared_ptr<RecordPages> pages)
    : files_(files), shape_(std::move(shape)), pages_(std::move(pages)), reader_(pages_->add_reader()) {}

std::uint64_t RecordReader::take_bytes_read() { return std::exchange(bytes_read_, 0); }

// Where the numbers of so many records lie, and where they go.
void RecordReader::plan(RecordRange range) {
  if (planned_ != range.count)
    pieces_ = pieces_of(recipe_->variable, *recipe_->match, shape_, range, recipe_->box.get());
  planned_ = range.count;
}

RecordPages::Held RecordReader::load(const Wanted& wanted) {
  const VariableHeader& variable = recipe_->variable;
  const Match& match = *recipe_->match;
  RecordPages::Held held = pages_->reserve(wanted.file, records_together(variable, match, wanted.record),
                                           record_bytes(variable, match), wanted.to_next);
  try {
    plan(held.range);
    for (Piece& piece : pieces_) {
      if (match.time != Match::none) piece.start[base::index(match.time)] = held.range.begin;
      held.pages.push_back(files_.read(wanted.file, variable, piece.start, piece.count));
      bytes_read_ += files_.bytes_of_last_read().value_or(bytes_of_chunks(variable, piece));
    }
  } catch (...) {
    pages_->drop(held);
    throw;
  }
  return held;
}

Decoded RecordReader::read(const Wanted& wanted, const std::shared_ptr<const VariableRecipe>& recipe,
                           model::DataType type, std::span<std::byte> result) {
  if (recipe != recipe_) {
    recipe_ = recipe;
    planned_ = 0;
  }
  Wanted from = wanted;
  if (recipe->match->time == Match::none) from.record = 0;
  std::optional<RecordPages::Held> held = pages_->take(from.file, from.record);
  if (!held) held = load(from);
  plan(held->range);
  Decoded decoded;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const auto skipped = base::index((from.record - held->range.begin) * pieces_[p].copying.from_time) *
                         model::size_of(recipe->variable.type);
    const Decoded one = decode(held->pages[p].bytes().subspan(skipped), recipe->variable.type, recipe->rules,
                               pieces_[p].copying, type, result);
    decoded.missing += one.missing;
    decoded.overflows = decoded.overflows || one.overflows;
  }
  pages_->give_back(std::move(*held), reader_, from.record);
  return decoded;
}

}  // namespace tailrace::input
