// Measures how fast rows are applied and what set-up takes: `regrid_speed ROUNDS` prints lines
//   figure NAME MEDIAN TENTH NINE_TENTHS COUNT
// in nanoseconds of a thread per mebibyte, by thread of one or two, and
//   setup RANKS NEEDS ROUTES ROWS LISTS
// with processor seconds to find the needed cells and to find who has them, and the bytes of both. A mebibyte
// is counted as what has to move at least once: 12 bytes a link, once for all levels, and the source and the
// target values. The cases take turns with STREAM's triad, since the machine's speed changes.
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/index.hpp"
#include "regrid/apply.hpp"
#include "regrid/needs.hpp"

namespace tailrace::regrid {
namespace {

double own_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Rows as those of a target of cells in HEALPix's order on a mesh whose numbers are near where its cells are:
// of 3 to 9 links each.
Rows rows_near(std::int64_t first, std::int64_t count, std::int64_t target_cells, std::int64_t source_cells) {
  std::mt19937_64 random(static_cast<std::uint64_t>(first) + 17);
  Rows rows;
  rows.first = first;
  rows.start.push_back(0);
  for (std::int64_t row = first; row < first + count; ++row) {
    const std::int64_t links = 3 + static_cast<std::int64_t>(random() % 7);
    const auto around = static_cast<std::int64_t>(
        static_cast<double>(row) / static_cast<double>(target_cells) * static_cast<double>(source_cells));
    std::int64_t cell = std::clamp(around + static_cast<std::int64_t>(random() % 64) - 60, std::int64_t{0},
                                   source_cells - 200);
    for (std::int64_t link = 0; link < links; ++link) {
      cell += 1 + (random() % 4 == 0 ? static_cast<std::int64_t>(random() % 16) : 0);
      rows.source.push_back(cell);
      rows.weight.push_back(1.0 / static_cast<double>(links));
    }
    rows.start.push_back(std::ssize(rows.source));
  }
  return rows;
}

// Pages are touched by the thread that uses them.
struct Work {
  double mebibytes = 0;
  std::function<void(int thread, int threads)> run;
};

template <class Value>
Work applying(std::int64_t cells, std::int64_t levels, bool has_missing) {
  struct State {
    Needs needs;
    std::vector<Value> from, to;
  };
  const auto state = std::make_shared<State>();
  state->needs = needs_of(rows_near(0, cells, cells, cells * 4 / 3));
  state->needs.rows.prepare();
  state->from.resize(base::index(state->needs.count * levels));
  state->to.resize(base::index(cells * levels));
  std::mt19937_64 random(1);
  for (Value& value : state->from)
    value = has_missing && random() % 5 == 0 ? std::numeric_limits<Value>::quiet_NaN()
                                             : static_cast<Value>(random() % 1000);
  Work work;
  work.mebibytes = (static_cast<double>(state->needs.rows.source.size()) * 12 +
                    static_cast<double>(state->from.size() + state->to.size()) * sizeof(Value)) /
                   0x1p20;
  work.run = [state, cells, levels, has_missing](int thread, int threads) {
    Arrays arrays;
    arrays.type = model::data_type_of<Value>();
    arrays.from = std::as_bytes(std::span(state->from));
    arrays.to = std::as_writable_bytes(std::span(state->to));
    arrays.levels = levels;
    arrays.source_stride = state->needs.count;
    arrays.target_stride = cells;
    if (has_missing) arrays.missing = model::FillValue(std::numeric_limits<double>::quiet_NaN());
    apply(state->needs.rows, {}, arrays, cells * thread / threads, cells * (thread + 1) / threads);
  };
  return work;
}

// a[i] = b[i] + 3 c[i] of three arrays that are larger than the caches together.
Work triad(std::int64_t cells) {
  struct State {
    std::vector<double> a, b, c;
  };
  const auto state = std::make_shared<State>();
  for (auto* values : {&state->a, &state->b, &state->c}) values->assign(base::index(cells), 1.0);
  return {static_cast<double>(cells) * 24 / 0x1p20, [state, cells](int thread, int threads) {
            double* const a = state->a.data();
            const double* const b = state->b.data();
            const double* const c = state->c.data();
            for (std::int64_t i = cells * thread / threads; i < cells * (thread + 1) / threads; ++i)
              a[i] = b[i] + 3.0 * c[i];
          }};
}

// Processor seconds of a thread, on average, for all threads together.
double seconds_of(const Work& work, int threads) {
  std::vector<double> took(base::index(threads));
  std::barrier ready(threads);
  std::vector<std::jthread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      ready.arrive_and_wait();
      const double begin = own_seconds();
      work.run(t, threads);
      took[base::index(t)] = own_seconds() - begin;
    });
  running.clear();
  return *std::ranges::max_element(took);
}

void measure_speed(int rounds) {
  std::vector<std::pair<std::string, Work>> cases;
  cases.emplace_back("stream", triad(12'000'000));
  cases.emplace_back("float64_1", applying<double>(2'000'000, 1, false));
  cases.emplace_back("float64_1_missing", applying<double>(2'000'000, 1, true));
  cases.emplace_back("float64_32", applying<double>(200'000, 32, false));
  cases.emplace_back("float64_32_missing", applying<double>(200'000, 32, true));
  cases.emplace_back("float32_1", applying<float>(2'000'000, 1, false));
  cases.emplace_back("float32_1_missing", applying<float>(2'000'000, 1, true));
  cases.emplace_back("float32_32", applying<float>(400'000, 32, false));
  cases.emplace_back("float32_32_missing", applying<float>(400'000, 32, true));
  cases.emplace_back("float32_10", applying<float>(1'000'000, 10, false));
  for (const int threads : {1, 2}) {
    std::vector<std::vector<double>> times(cases.size());
    for (int round = 0; round <= rounds; ++round)
      for (std::size_t c = 0; c < cases.size(); ++c) {
        const double seconds = seconds_of(cases[c].second, threads);
        if (round > 0) times[c].push_back(1e9 * seconds / cases[c].second.mebibytes);  // the first warms up
      }
    for (std::size_t c = 0; c < cases.size(); ++c) {
      std::ranges::sort(times[c]);
      const std::size_t last = times[c].size() - 1;
      fmt::print("figure {}_by_{} {} {} {} {}\n", cases[c].first, threads, times[c][last / 2],
                 times[c][last / 10], times[c][last * 9 / 10], times[c].size());
    }
  }
}

// A source of 15 million cells over `ranks` ranks, in runs of 250 cells as a partitioner leaves them, and 20
// million target cells over servers of 40 ranks each.
void measure_setup(std::size_t ranks) {
  constexpr std::int64_t target_cells = 20'000'000, source_cells = 15'000'000, run = 250;
  constexpr std::size_t ranks_of_server = 40;
  std::vector<std::vector<model::Run>> runs(ranks);
  std::mt19937_64 random(5);
  for (std::int64_t cell = 0; cell < source_cells; cell += run) {
    const auto near = static_cast<std::size_t>(cell) * ranks / source_cells;
    const std::size_t rank = std::min(ranks - 1, near + random() % 5);
    runs[rank].push_back({cell, run});
  }
  std::vector<model::Region> parts;
  parts.reserve(ranks);
  for (auto& along : runs) parts.emplace_back(std::vector<model::Runs>{std::move(along)});
  const Share first = share_of(target_cells, 1, ranks / 2, ranks);
  const Share last = share_of(target_cells, 1, ranks / 2 + ranks_of_server - 1, ranks);
  const Rows rows = rows_near(first.first, last.first + last.count - first.first, target_cells, source_cells);
  const double begin = own_seconds();
  Needs needs = needs_of(rows);
  needs.rows.prepare();
  const double found = own_seconds();
  const PackedRuns packed(needs.cells);
  const std::vector<std::int64_t> shape{source_cells};
  std::size_t lists = needs.cells.size() * sizeof(model::Run);
  for (const model::Region& part : parts)
    if (has_some(part, shape, packed))
      lists += share_of_part(part, shape, packed).size() * sizeof(model::Segment);
  fmt::print("setup {} {} {} {} {} {}\n", ranks, found - begin, own_seconds() - found, needs.rows.bytes(),
             lists, needs.count);
}

int run(int rounds) {
  for (const std::size_t ranks : {1000UL, 10000UL, 100000UL}) measure_setup(ranks);
  measure_speed(rounds);
  return 0;
}

}  // namespace
}  // namespace tailrace::regrid

int main(int count, char** words) { return tailrace::regrid::run(count > 1 ? std::atoi(words[1]) : 9); }
