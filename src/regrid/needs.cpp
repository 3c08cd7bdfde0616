#include "regrid/needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::regrid {
namespace {

// The distinct numbers of a list, ascending, with the position of each.
class Distinct {
 public:
  explicit Distinct(const std::vector<std::int64_t>& numbers) {
    if (numbers.empty()) return;
    const auto [least, greatest] = std::ranges::minmax(numbers);
    const std::int64_t words = (greatest - least) / 64 + 1;
    // Bits are faster than to sort, and smaller than the list unless the numbers lie far apart.
    if (words <= std::ssize(numbers))
      mark(numbers, least, words);
    else
      sort(numbers);
  }

  std::int64_t position(std::int64_t number) const {
    if (bits_.empty()) return std::ranges::lower_bound(sorted_, number) - sorted_.begin();
    const auto at = static_cast<std::uint64_t>(number - least_);
    const std::uint64_t below = bits_[at / 64] & ((std::uint64_t{1} << (at % 64)) - 1);
    return before_[at / 64] + std::popcount(below);
  }

  model::Runs runs() const {
    if (bits_.empty()) return model::compress(sorted_);
    model::Runs runs;
    for (std::size_t w = 0; w < bits_.size(); ++w)
      for (std::uint64_t rest = bits_[w]; rest != 0;) {
        const int first = std::countr_zero(rest);
        const int length = std::countr_one(rest >> first);
        add(runs, least_ + static_cast<std::int64_t>(w) * 64 + first, length);
        if (first + length == 64) break;
        rest &= ~std::uint64_t{0} << (first + length);
      }
    return runs;
  }

 private:
  void mark(const std::vector<std::int64_t>& numbers, std::int64_t least, std::int64_t words) {
    least_ = least;
    bits_.resize(base::index(words));
    before_.resize(bits_.size());
    for (const std::int64_t number : numbers) {
      const auto at = static_cast<std::uint64_t>(number - least);
      bits_[at / 64] |= std::uint64_t{1} << (at % 64);
    }
    std::int64_t count = 0;
    for (std::size_t w = 0; w < bits_.size(); ++w) {
      before_[w] = count;
      count += std::popcount(bits_[w]);
    }
  }

  void sort(const std::vector<std::int64_t>& numbers) {
    sorted_ = numbers;
    std::ranges::sort(sorted_);
    sorted_.erase(std::ranges::unique(sorted_).begin(), sorted_.end());
  }

  static void add(model::Runs& runs, std::int64_t start, std::int64_t count) {
    if (!runs.empty() && runs.back().start + runs.back().count == start)
      runs.back().count += count;
    else
      runs.push_back({start, count});
  }

  std::int64_t least_ = 0;
  std::vector<std::uint64_t> bits_;   // by number - least_
  std::vector<std::int64_t> before_;  // by word: bits that are set in the words before it
  std::vector<std::int64_t> sorted_;  // without bits
};

// Calls `visit` with the first local position, the first global cell and the length of each run of cells of a
// part that are consecutive in both, until it returns false.
template <class Visit>
void for_cells(const model::Region& part, std::span<const std::int64_t> shape, Visit&& visit) {
  std::int64_t local = 0;
  const auto row = [&](std::int64_t offset, const model::Runs& along) {
    for (const model::Run& run : along) {
      if (run.count > 0 && !visit(local, offset + run.start, run.count)) return false;
      local += run.count;
    }
    return true;
  };
  if (part.rank() == 1) {
    row(0, part.runs(0));
    return;
  }
  for (const model::Run& rows : part.runs(0))
    for (std::int64_t y = rows.start; y < rows.start + rows.count; ++y)
      if (!row(y * shape[1], part.runs(1))) return;
}

void check(const model::Region& part, std::span<const std::int64_t> shape) {
  TAILRACE_ASSERT(part.rank() == shape.size() && (shape.size() == 1 || shape.size() == 2),
                  "a horizontal region has one or two dims");
}

}  // namespace

Needs needs_of(const Rows& rows) {
  const Distinct distinct(rows.source);
  Needs needs;
  needs.cells = distinct.runs();
  for (const model::Run& run : needs.cells) needs.count += run.count;
  if (needs.count > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorCode::configuration,
                fmt::format("the target cells of one server need {} source cells, more than 2147483647; more "
                            "servers have less each",
                            needs.count));
  needs.rows.start = rows.start;
  needs.rows.weight = rows.weight;
  needs.rows.source.reserve(rows.source.size());
  for (const std::int64_t cell : rows.source)
    needs.rows.source.push_back(static_cast<std::int32_t>(distinct.position(cell)));
  return needs;
}

PackedRuns::PackedRuns(std::span<const model::Run> runs) : runs_(runs) {
  positions_.reserve(runs.size() + 1);
  positions_.push_back(0);
  for (const model::Run& run : runs) positions_.push_back(positions_.back() + run.count);
}

PackedRuns::PackedRuns(const model::Runs& runs) : PackedRuns(std::span<const model::Run>(runs)) {}

std::size_t PackedRuns::first_ending_after(std::int64_t cell) const {
  const auto found = std::ranges::partition_point(
      runs_, [&](const model::Run& run) { return run.start + run.count <= cell; });
  return base::index(found - runs_.begin());
}

std::vector<model::Segment> share_of_part(const model::Region& part, std::span<const std::int64_t> shape,
                                          const PackedRuns& cells) {
  check(part, shape);
  std::vector<model::Segment> segments;
  for_cells(part, shape, [&](std::int64_t local, std::int64_t first, std::int64_t count) {
    for (std::size_t r = cells.first_ending_after(first); r < cells.runs().size(); ++r) {
      const model::Run& run = cells.runs()[r];
      const std::int64_t begin = std::max(first, run.start);
      const std::int64_t end = std::min(first + count, run.start + run.count);
      if (begin >= end) break;
      const model::Segment next{local + begin - first, cells.position(r) + begin - run.start, end - begin};
      if (!segments.empty() && segments.back().joins(next))
        segments.back().count += next.count;
      else
        segments.push_back(next);
    }
    return true;
  });
  return segments;
}

bool has_some(const model::Region& part, std::span<const std::int64_t> shape, const PackedRuns& cells) {
  check(part, shape);
  bool some = false;
  for_cells(part, shape, [&](std::int64_t, std::int64_t first, std::int64_t count) {
    const std::size_t r = cells.first_ending_after(first);
    some = r < cells.runs().size() && cells.runs()[r].start < first + count;
    return !some;
  });
  return some;
}

Share share_of(std::int64_t cells, std::int64_t unit, std::size_t part, std::size_t parts) {
  TAILRACE_ASSERT(unit > 0 && part < parts, "a share of a target");
  const std::int64_t units = (cells + unit - 1) / unit;
  const auto boundary = [&](std::size_t at) {  // in two steps, since units * at may be too large
    const auto n = static_cast<std::int64_t>(parts);
    const auto p = static_cast<std::int64_t>(at);
    return std::min(cells, unit * (units / n * p + units % n * p / n));
  };
  const std::int64_t first = boundary(part);
  return {first, boundary(part + 1) - first};
}

}  // namespace tailrace::regrid
