// A model with input fields on all kinds of grids, decomposed at random: uneven blocks, several on a rank,
// ranks without cells, and cells that no rank holds.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "input/options.hpp"
#include "model/declarations.hpp"
#include "model/parts.hpp"
#include "server/input/tests/fake_entry.hpp"

namespace tailrace::server::testing {

inline model::Grid make_grid(std::string name, model::GridKind kind, std::vector<std::string> dims,
                             std::vector<std::int64_t> shape) {
  model::Grid grid;
  grid.name = std::move(name);
  grid.kind = kind;
  grid.dims = std::move(dims);
  grid.shape = std::move(shape);
  if (kind == model::GridKind::indexed) grid.indexed_dim = grid.dims.back();
  return grid;
}

inline model::Field make_input(std::string name, int grid, model::DataType type) {
  model::Field field;
  field.name = std::move(name);
  field.grid = grid;
  field.type = type;
  field.is_input = true;
  return field;
}

inline input::Entry make_entry(std::string name, const std::vector<std::string>& fields) {
  input::Entry entry;
  entry.name = std::move(name);
  for (const std::string& field : fields) {
    entry.fields.emplace_back().name = field;
    entry.fields.back().vertical = {{"p_full", {}}};  // used only where the files have other levels
  }
  return entry;
}

class RandomModel {
 public:
  enum Field { sst, ozone, soil, co2 };

  // `size`: a larger one has longer rows.
  explicit RandomModel(unsigned seed, int ranks, std::int64_t size = 1) : random_(seed), ranks_(ranks) {
    for (int i = number(0, 3); i > 0; --i)
      further_.push_back({number(0, ranks - 1), i == 1 && seed % 2 == 0});
    const std::int64_t ny = number(parts(), 3 * parts()), nx = size * (ny + number(1, 9)), nk = ny + 2;
    declarations.component = "ocean";
    declarations.grids = {make_grid("surface", model::GridKind::block, {"y", "x"}, {ny, nx}),
                          make_grid("air", model::GridKind::block, {"k", "y", "x"}, {nk, ny, nx}),
                          make_grid("land", model::GridKind::indexed, {"tile", "cell"}, {3, 2 * nx}),
                          make_grid("column", model::GridKind::replicated, {"k"}, {nk})};
    for (const char* dim : {"y", "x"})
      for (int grid : {0, 1}) {
        model::Coordinate along;
        along.name = along.units = dim[0] == 'y' ? "degrees_north" : "degrees_east";
        along.dims = {dim};
        declarations.grids[base::index(grid)].coordinates.push_back(along);
      }
    declarations.fields = {
        make_input("sst", 0, model::DataType::float64), make_input("ozone", 1, model::DataType::float32),
        make_input("soil", 2, model::DataType::float64), make_input("co2", 3, model::DataType::float64)};
    decomposition.further = further_;
    decomposition.regions = {{}, {}, {}, {}};
    const auto rows = cuts(ny), columns = cuts(2 * nx);
    std::vector<std::int64_t> cells(base::index(2 * nx));
    std::iota(cells.begin(), cells.end(), 0);
    std::ranges::shuffle(cells, random_);
    for (int part = 0; part < parts(); ++part) {
      const auto p = base::index(part);
      const model::Run own{rows[p], rows[p + 1] - rows[p]};
      decomposition.regions[0].push_back(model::Region({{own}, {{0, nx}}}));
      decomposition.regions[1].push_back(model::Region({{{0, nk}}, {own}, {{0, nx}}}));
      decomposition.regions[2].push_back(
          model::Region({{{0, 3}},
                         model::compress(std::span(cells).subspan(
                             base::index(columns[p]), base::index(columns[p + 1] - columns[p])))}));
      decomposition.regions[3].push_back(model::Region({{{0, nk}}}));
    }
  }

  std::vector<input::Entry> entries() const {
    return {make_entry("forcing", {"sst", "ozone"}), make_entry("soils", {"soil"}),
            make_entry("gases", {"co2"})};
  }

  // The cells of a rank as indices in the whole grid, in the order of its values. `levels`: of the file, in
  // place of the grid's along its first dim; 0: none.
  std::vector<std::int64_t> cells_of(int rank, int field, std::int64_t levels = 0) const {
    const int number = declarations.fields[base::index(field)].grid;
    const model::Grid& grid = declarations.grids[base::index(number)];
    const bool is_whole = grid.kind == model::GridKind::replicated;
    std::vector<std::int64_t> cells;
    std::vector<int> own{rank};
    for (std::size_t i = 0; i < further_.size(); ++i)
      if (further_[i].rank == rank && !further_[i].is_hole && !is_whole)
        own.push_back(ranks_ + static_cast<int>(i));
    for (const int part : own) {
      const model::Region& region = decomposition.regions[base::index(number)][base::index(part)];
      std::vector<std::int64_t> indices{0};
      for (std::size_t d = 0; d < region.rank(); ++d) {
        const bool is_levels = d == 0 && levels > 0;
        const model::Runs runs = is_levels ? model::Runs{{0, levels}} : region.runs(d);
        const std::int64_t extent = is_levels ? levels : grid.shape[d];
        std::vector<std::int64_t> longer;
        for (const std::int64_t index : indices)
          for (const model::Run& run : runs)
            for (std::int64_t i = run.start; i < run.start + run.count; ++i)
              longer.push_back(index * extent + i);
        indices = std::move(longer);
      }
      cells.insert(cells.end(), indices.begin(), indices.end());
    }
    return cells;
  }

  model::Declarations declarations;
  model::Decomposition decomposition;

 private:
  int parts() const { return ranks_ + static_cast<int>(further_.size()); }
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  // The bounds of the parts of a length; some parts are empty.
  std::vector<std::int64_t> cuts(std::int64_t length) {
    std::vector<std::int64_t> all{0, length};
    while (static_cast<int>(all.size()) <= parts()) all.push_back(number(std::int64_t{0}, length));
    std::ranges::sort(all);
    return all;
  }

  std::mt19937 random_;
  int ranks_;
  std::vector<model::FurtherPart> further_;
};

template <class T>
std::vector<T> as(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace tailrace::server::testing
