// Interpolates records to the model's levels, in the pass that sums them.
//
// Values and hybrid levels are first interpolated in time, and then the values from the levels at that time
// to those of the model. All is computed for each column alone, so the bits do not depend on the
// decomposition.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "client/declarer.hpp"
#include "client/input/cell_sums.hpp"
#include "client/input_fields.hpp"
#include "input/prepared.hpp"
#include "input/vertical.hpp"

namespace tailrace::client {

class LevelPass {
 public:
  // REQUIRES: field.vertical. Throws Error(configuration) if the target of `vertical.to` is neither a
  // coordinate of the grid with values nor a field on it. Both must live longer.
  LevelPass(const input::PreparedField& field, const Declarer& declarer);

  std::int64_t record_cells() const { return record_cells_; }  // of this rank, with the file's levels
  // The field whose values of the present step are the levels; -1: none is needed.
  int levels_field() const { return levels_field_; }

  // Gets rows of values, each with the number of its first cell in the values of this rank. NaN is missing.
  using Sink = std::function<void(std::int64_t first_cell, std::span<const double> values)>;
  // `present`: values of levels_field(), if there is one. Throws Error(resource), without names, for levels
  // that cannot be used.
  void run(WeightedRecords records, const PresentField& present, const Sink& sink);

 private:
  // One region of this rank: `outer` times `levels` times `inner` cells of the model.
  struct Block {
    std::int64_t outer = 1, levels = 1, inner = 1;
    std::int64_t first_cell = 0;             // in the values of this rank
    std::int64_t first_in_record = 0;        // the same with the file's levels
    std::vector<double> to;                  // by level, if all columns have the same
    std::vector<input::LevelWeight> shared;  // by level, if those of the file are the same too
  };
  // Columns side by side that are done together.
  struct Tile {
    const Block& block;
    std::int64_t outer = 0, begin = 0, width = 0;
  };
  void find_target(const Declarer& declarer);
  void do_tile(const Tile& tile, WeightedRecords records, const PresentField& present, const Sink& sink);
  void sum_tile(const Tile& tile, WeightedRecords records);
  void sum_levels(const Tile& tile, WeightedRecords records);
  void find_weights(const Tile& tile, const PresentField& present);
  void interpolate(const Tile& tile);

  const input::PreparedField& field_;
  std::int64_t file_levels_;
  std::int64_t record_cells_ = 0;
  int levels_field_ = -1;
  std::vector<Block> blocks_;
  std::vector<double> fixed_;  // the levels of each cell of this rank, if they do not change
  // [level][column] of one tile.
  std::vector<double> values_, from_, to_, results_;
  std::vector<double> from_column_, to_column_;
  std::vector<input::LevelWeight> weights_;  // [column][level]
};

}  // namespace tailrace::client
