#include "analytics/program/run.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "analytics/program/walk.hpp"
#include "base/error.hpp"

namespace tailrace::analytics::program {

namespace {

// In cells. Sources, prefetched data and a few registers fit the first-level cache. Measured: with 512 the
// memory is idle too long while registers are processed; with 128 the overhead of calls is noticeable.
constexpr std::size_t longest_piece = 256;
constexpr std::size_t pieces_ahead = 2;
// A piece may cross the ends of stretches of a source up to this length, which are then copied together; a
// longer stretch ends the piece.
constexpr std::int64_t short_stretch = 128;

struct alignas(64) Line {
  double cells[8];
};

// The memory that each thread keeps from run to run.
struct Scratch {
  std::vector<Line> lines;
  std::vector<simd::Operand> values;
  std::vector<Walk> loads, sinks;
  std::vector<model::Region> kept;

  double* a_register(std::size_t number, std::size_t piece) { return lines.data()->cells + number * piece; }
};

std::size_t to_size(std::int64_t count) { return static_cast<std::size_t>(count); }

// A walk over an array with some of the space's dims, in C order.
void walk_over(const std::vector<std::size_t>& dims, const model::Region& region, std::vector<Walk>& walks) {
  std::array<std::int64_t, most_dims> strides;
  std::fill_n(strides.begin(), region.rank(), 0);
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[dims[i]] = stride;
    stride *= region.count(dims[i]);
  }
  walks.emplace_back(region.counts(), std::span<const std::int64_t>(strides).first(region.rank()));
}

void convert(const simd::Kernels& kernels, const Operand& from, std::int64_t first, std::size_t count,
             double* into) {
  const std::byte* const bytes = from.bytes.data() + to_size(first) * model::size_of(from.type);
  switch (from.type) {
    case model::DataType::float32: return kernels.from_float32(bytes, into, count);
    case model::DataType::int32: return kernels.from_int32(bytes, into, count);
    case model::DataType::int64: return kernels.from_int64(bytes, into, count);
    case model::DataType::float64: std::memcpy(into, bytes, count * sizeof(double)); return;
    default: base::assertion_failed("from.type", __FILE__, __LINE__, "no field has this type");
  }
}

// Copies the next n values of a source to a row.
void gather(const simd::Kernels& kernels, const Operand& from, Walk& walk, std::size_t n, double* into) {
  while (n > 0) {
    const std::size_t count = std::min(n, to_size(walk.left()));
    if (walk.stride() == 1) {
      convert(kernels, from, walk.index(), count, into);
    } else if (walk.stride() == 0) {
      convert(kernels, from, walk.index(), 1, into);
      std::fill_n(into + 1, count - 1, *into);
    } else {
      for (std::size_t i = 0; i < count; ++i)
        convert(kernels, from, walk.index() + static_cast<std::int64_t>(i) * walk.stride(), 1, into + i);
    }
    walk.advance(static_cast<std::int64_t>(count));
    into += count;
    n -= count;
  }
}

bool in_place(const Operand& source) {
  return source.type == model::DataType::float64 &&
         reinterpret_cast<std::uintptr_t>(source.bytes.data()) % alignof(double) == 0;
}

simd::Operand next(const simd::Kernels& kernels, const Operand& from, Walk& walk, std::size_t n,
                   double* scratch) {
  const bool straight = to_size(walk.left()) >= n && (walk.stride() == 0 || walk.stride() == 1);
  if (!straight || (walk.stride() == 1 && !in_place(from))) {
    gather(kernels, from, walk, n, scratch);
    return {.data = scratch, .step = 1, .ahead = 0};
  }
  const std::int64_t first = walk.index();
  const auto step = to_size(walk.stride());
  walk.advance(static_cast<std::int64_t>(n));
  if (in_place(from))
    return {.data = reinterpret_cast<const double*>(from.bytes.data()) + first,
            .step = step,
            .ahead = pieces_ahead * n * step};
  convert(kernels, from, first, 1, scratch);
  return {.data = scratch, .step = step, .ahead = 0};
}

void pour(FusiblePartial& into, Walk& walk, std::span<const double> values) {
  while (!values.empty()) {
    const auto row = values.first(std::min(values.size(), to_size(walk.left())));
    const std::size_t cell = to_size(walk.index());
    if (walk.stride() == 0)
      into.add_row(cell, row);
    else if (walk.stride() == 1)
      into.add_cells(cell, row);
    else
      for (std::size_t i = 0; i < row.size(); ++i)
        into.add_row(cell + i * to_size(walk.stride()), row.subspan(i, 1));
    walk.advance(static_cast<std::int64_t>(row.size()));
    values = values.subspan(row.size());
  }
}

// One run of a program on one block. It uses the thread's scratch memory, since for a block of a few cells
// allocations would cost more than the arithmetic.
class Run {
 public:
  Run(const Code& code, const simd::Kernels& kernels, const model::Region& region, const Data& data,
      Scratch& scratch)
      : code_(code),
        kernels_(kernels),
        data_(data),
        scratch_(scratch),
        cells_(to_size(region.size())),
        piece_(std::min(longest_piece, (cells_ + 7) / 8 * 8)) {
    scratch.lines.resize(std::max(scratch.lines.size(), code.registers * piece_ / 8));
    scratch.values.assign(code.values, {});
    scratch.loads.clear();
    scratch.sinks.clear();
    for (const Load& load : code.loads) walk_over(load.dims, region, scratch.loads);
    for (const Sink& sink : code.sinks) walk_over(code.kept[sink.kept], region, scratch.sinks);
    for (const auto& [value, number] : code.constants)
      scratch.values[value] = {.data = &number, .step = 0, .ahead = 0};
    begin_sinks(region);
    limit_ = one_look() ? cells_ : piece_;
  }

  void go() {
    for (done_ = 0; done_ < cells_; done_ += n_) {
      n_ = std::min(limit_, cells_ - done_);
      for (const Walk& walk : scratch_.loads)
        if (walk.stretch() >= short_stretch) n_ = std::min(n_, to_size(walk.left()));
      for (const Step& step : code_.steps) take(step);
    }
  }

 private:
  void begin_sinks(const model::Region& region) {
    scratch_.kept.resize(std::max(scratch_.kept.size(), code_.kept.size()));
    for (std::size_t kept = 0; kept < code_.kept.size(); ++kept)
      scratch_.kept[kept].assign_part(region, code_.kept[kept]);
    for (const Sink& sink : code_.sinks) data_.sinks[sink.sink]->begin(scratch_.kept[sink.kept]);
  }

  // Whether the only source can be read in place at once, without pieces.
  bool one_look() const {
    if (!code_.instructions.empty() || code_.loads.size() != 1 || code_.steps.size() != 2) return false;
    const Walk& walk = scratch_.loads[0];
    return in_place(data_.sources[code_.loads[0].source]) && walk.stride() == 1 &&
           to_size(walk.stretch()) == cells_;
  }

  void take(const Step& step) {
    switch (step.kind) {
      case Step::load: {
        const Load& load = code_.loads[step.number];
        scratch_.values[load.value] = next(kernels_, data_.sources[load.source], scratch_.loads[step.number],
                                           n_, a_register(load.scratch));
        return;
      }
      case Step::compute: return compute(code_.instructions[step.number]);
      case Step::store: {
        const Store& store = code_.stores[step.number];
        const auto values = row(store.value);
        std::ranges::copy(values, data_.stores[store.store].subspan(done_).begin());
        return;
      }
      case Step::sink: {
        const Sink& sink = code_.sinks[step.number];
        pour(*data_.sinks[sink.sink], scratch_.sinks[step.number], row(sink.value));
      }
    }
  }

  void compute(const Instruction& instruction) {
    std::array<simd::Operand, 3> arguments;
    std::size_t step = 0;
    for (std::size_t i = 0; i < instruction.arity; ++i) {
      simd::Operand& value = scratch_.values[instruction.arguments[i]];
      arguments[i] = value;
      step |= value.step;
      value.ahead = 0;  // prefetch only once
    }
    double* const result = a_register(instruction.result);
    instruction.function(arguments.data(), result, step ? n_ : 1);
    scratch_.values[instruction.value] = {.data = result, .step = step, .ahead = 0};
  }

  std::span<const double> row(std::size_t value) {
    const simd::Operand& operand = scratch_.values[value];
    if (operand.step == 1) return {operand.data, n_};
    double* const spread = a_register(0);
    std::fill_n(spread, n_, *operand.data);
    return {spread, n_};
  }

  double* a_register(std::size_t number) { return scratch_.a_register(number, piece_); }

  const Code& code_;
  const simd::Kernels& kernels_;
  const Data& data_;
  Scratch& scratch_;
  std::size_t cells_, piece_, limit_ = 0;
  std::size_t done_ = 0, n_ = 0;  // cells
};

}  // namespace

void run(const Code& code, const simd::Kernels& kernels, const model::Region& region, const Data& data) {
  TAILRACE_ASSERT(region.rank() == code.space && region.rank() <= most_dims,
                  "the block does not have the dims of the program");
  if (region.size() == 0) return;
  thread_local Scratch scratch;
  Run(code, kernels, region, data, scratch).go();
}

}  // namespace tailrace::analytics::program
