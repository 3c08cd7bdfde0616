#include "input/entry/region.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/index.hpp"

namespace tailrace::input {
namespace {

constexpr std::uint64_t library_block = std::uint64_t{64} << 10;
constexpr std::uint64_t most_near_bytes = std::uint64_t{16} << 20;  // of records that are read at once

std::int64_t chunk_along(const VariableHeader& variable, std::size_t dim) {
  return variable.chunk.empty() ? 1 : std::max<std::int64_t>(variable.chunk[dim], 1);
}

// The indices along a dim of the file, from the first to the last.
struct Range {
  std::int64_t first = 0, last = 0;
  std::int64_t count() const { return last - first + 1; }
};

// The two parts of a dim with the largest gap between them, if that is more than a third of it, and the parts
// have no chunk in common.
std::optional<std::array<Range, 2>> halves_of(const std::vector<std::int64_t>& order, std::int64_t chunk) {
  std::size_t widest = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (widest == 0 || order[i] - order[i - 1] > order[widest] - order[widest - 1]) widest = i;
  if (widest == 0 || 3 * (order[widest] - order[widest - 1]) <= order.back() - order.front() ||
      order[widest] / chunk == order[widest - 1] / chunk)
    return std::nullopt;
  return std::array<Range, 2>{{{order.front(), order[widest - 1]}, {order[widest], order.back()}}};
}

// The boxes of a variable, all but one of whose dims have one range.
class Regions {
 public:
  Regions(const VariableHeader& variable, const Match& match, const std::vector<std::int64_t>& shape,
          RecordRange records, const Box& box)
      : variable_(variable), match_(match), shape_(shape), box_(box), ranges_(variable.dims.size()) {
    for (std::size_t f = 0; f < ranges_.size(); ++f)
      if (!box.cells[f].empty()) ranges_[f] = {box.cells[f].front(), box.cells[f].back()};
    if (match.time != Match::none)
      ranges_[base::index(match.time)] = {records.begin, records.begin + records.count - 1};
  }

  std::vector<Piece> pieces() {
    for (std::size_t f = 0; f < ranges_.size(); ++f) {
      if (box_.cells[f].empty()) continue;
      const auto halves = halves_of(box_.cells[f], chunk_along(variable_, f));
      if (!halves) continue;
      std::vector<Piece> two;
      for (const Range& half : *halves) {
        ranges_[f] = half;
        two.push_back(piece());
      }
      return two;
    }
    return {piece()};
  }

 private:
  Piece piece() const {
    Piece piece;
    for (const Range& range : ranges_) {
      piece.start.push_back(range.first);
      piece.count.push_back(range.count());
    }
    std::vector<std::int64_t> strides(ranges_.size(), 1);
    for (std::size_t f = ranges_.size(); f-- > 1;) strides[f - 1] = strides[f] * piece.count[f];
    std::int64_t to_stride = 1;
    piece.copying.from.resize(shape_.size());
    piece.copying.to.resize(shape_.size());
    for (std::size_t g = shape_.size(); g-- > 0; to_stride *= shape_[g])
      add_cells(g, to_stride, strides, piece);
    if (match_.time != Match::none) piece.copying.from_time = strides[base::index(match_.time)];
    return piece;
  }

  void add_cells(std::size_t g, std::int64_t to_stride, const std::vector<std::int64_t>& strides,
                 Piece& piece) const {
    const int f = match_.file_dim[g];
    for (std::int64_t i = 0; i < shape_[g]; ++i) {
      std::int64_t from = 0;
      if (f != Match::none) {
        const Range& range = ranges_[base::index(f)];
        const std::int64_t cell = match_.cells[g].empty() ? i : match_.cells[g][base::index(i)];
        if (cell < range.first || cell > range.last) continue;
        from = (cell - range.first) * strides[base::index(f)];
      }
      piece.copying.from[g].push_back(from);
      piece.copying.to[g].push_back(i * to_stride);
    }
  }

  const VariableHeader& variable_;
  const Match& match_;
  const std::vector<std::int64_t>& shape_;
  const Box& box_;
  std::vector<Range> ranges_;
};

// How many records of a variable without chunks have runs of cells that are shorter together than what the
// library reads at once (the sieve buffer of HDF5, a block of the classic kinds).
std::int64_t near_records(const VariableHeader& variable, const Match& match) {
  const std::size_t time = base::index(match.time);
  std::uint64_t run = model::size_of(variable.type);
  bool has_many_runs = false;
  for (std::size_t f = 0; f < variable.shape.size(); ++f) {
    if (f > time) run *= static_cast<std::uint64_t>(std::max<std::int64_t>(variable.shape[f], 1));
    if (f < time && match.fixed[f] == Match::none && variable.shape[f] > 1) has_many_runs = true;
  }
  if (!has_many_runs) return 1;
  const std::uint64_t records =
      std::min((library_block + run - 1) / run, most_near_bytes / record_bytes(variable, match));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(records));
}

}  // namespace

std::uint64_t record_bytes(const VariableHeader& variable, const Match& match) {
  std::uint64_t bytes = model::size_of(variable.type);
  for (std::size_t f = 0; f < variable.shape.size(); ++f)
    if (static_cast<int>(f) != match.time && match.fixed[f] == Match::none)
      bytes *= static_cast<std::uint64_t>(std::max<std::int64_t>(variable.shape[f], 1));
  return bytes;
}

RecordRange records_together(const VariableHeader& variable, const Match& match, std::int64_t record) {
  if (match.time == Match::none) return {0, 1};
  const std::size_t time = base::index(match.time);
  const std::int64_t chunk = chunk_along(variable, time);
  const std::int64_t together =
      variable.chunk.empty() ? near_records(variable, match) : chunk - record % chunk;
  return {record, std::min(together, variable.shape[time] - record)};
}

Box box_of(const VariableHeader& variable, const Match& match) {
  Box box;
  for (const std::int64_t fixed : match.fixed) {
    std::vector<std::int64_t>& cells = box.cells.emplace_back();
    if (fixed != Match::none) cells.push_back(fixed);
  }
  for (std::size_t g = 0; g < match.file_dim.size(); ++g) {
    if (match.file_dim[g] == Match::none) continue;
    const std::size_t f = base::index(match.file_dim[g]);
    std::vector<std::int64_t>& cells = box.cells[f] = match.cells[g];
    if (cells.empty()) {
      cells.resize(base::index(variable.shape[f]));
      std::iota(cells.begin(), cells.end(), std::int64_t{0});
    }
    std::ranges::sort(cells);
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  }
  return box;
}

double cells_in(const Box& box) {
  double cells = 1.0;
  for (const std::vector<std::int64_t>& along : box.cells) {
    if (along.empty()) continue;
    const auto halves = halves_of(along, 1);
    cells *= static_cast<double>(halves ? (*halves)[0].count() + (*halves)[1].count()
                                        : Range{along.front(), along.back()}.count());
  }
  return cells;
}

std::vector<Piece> pieces_of(const VariableHeader& variable, const Match& match,
                             const std::vector<std::int64_t>& shape, RecordRange records, const Box* box) {
  if (box != nullptr) return Regions(variable, match, shape, records, *box).pieces();
  return Regions(variable, match, shape, records, box_of(variable, match)).pieces();
}

std::uint64_t bytes_of_chunks(const VariableHeader& variable, const Piece& piece) {
  std::uint64_t bytes = model::size_of(variable.type);
  for (std::size_t f = 0; f < piece.start.size(); ++f) {
    const std::int64_t chunk = chunk_along(variable, f);
    const std::int64_t first = piece.start[f] / chunk * chunk;
    const std::int64_t last = (piece.start[f] + piece.count[f] - 1) / chunk * chunk + chunk;
    bytes *= static_cast<std::uint64_t>(std::min(last, variable.shape[f]) - first);
  }
  return bytes;
}

}  // namespace tailrace::input
