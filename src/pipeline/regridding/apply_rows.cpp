#include "pipeline/regridding/apply_rows.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "env/faults.hpp"
#include "pipeline/regridding/project.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::pipeline::regridding {
namespace {

// Products of a weight and a value in one task: some hundred microseconds.
constexpr std::int64_t products_at_once = std::int64_t{1} << 18;
constexpr std::size_t light_bytes = std::size_t{32} << 10;

std::vector<std::byte> element_of(model::DataType type, const model::FillValue& fill) {
  return model::dispatch(type, [&]<class T>(T) {
    const T value = fill.as<T>();
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

class Work : public std::enable_shared_from_this<Work> {
 public:
  Work(const Exchange& exchange, std::vector<Piece> pieces, const ApplyParts& parts,
       std::function<void(RegriddedPart&&)> part_done,
       std::function<void(const std::optional<base::Fault>&)> done)
      : exchange_(exchange),
        pieces_(std::move(pieces)),
        services_(parts),
        part_done_(std::move(part_done)),
        done_(std::move(done)),
        element_(model::size_of(exchange.conversion.to)),
        parts_left_(static_cast<int>(exchange.weights->parts.size())) {
    is_missing_ = std::ranges::any_of(pieces_, [](const Piece& piece) { return piece.values.empty(); });
  }

  void run() {
    place();
    for (const PartRows& rows : exchange_.weights->parts) begin(rows);
  }

 private:
  struct Part {
    const PartRows* rows = nullptr;
    base::Slab values;  // (level, cell)
    std::vector<double> fraction;
    std::atomic<int> left{0};
    std::atomic<bool> has_failed{false};
  };

  std::int64_t levels() const { return exchange_.cells->dims().levels; }

  telemetry::PhaseTimer timer() const {
    return {services_.services.counters, telemetry::Phase::regrid, services_.services.trace};
  }

  void place() {
    const auto timed = timer();
    const std::int64_t count = exchange_.weights->count;
    packed_ = services_.slabs.take(static_cast<std::size_t>(levels() * count) * element_);
    const std::vector<std::byte> fill = element_of(exchange_.conversion.to, exchange_.conversion.fill);
    std::vector<std::byte> missing;
    for (const Piece& piece : pieces_) {
      const CellExchange::Incoming& from = exchange_.cells->incoming().at(piece.part);
      std::span<const std::byte> values = piece.values;
      if (values.empty()) {
        missing.resize(static_cast<std::size_t>(from.block.levels() * from.count) * element_);
        base::fill_with(fill, missing);
        values = missing;
      }
      from.block.place(from.cells, element_, values, count, packed_.data());
    }
    pieces_.clear();
  }

  void begin(const PartRows& rows) {
    Part& part = parts_.emplace_back();
    part.rows = &rows;
    const std::int64_t cells = rows.rows.rows();
    part.values = services_.slabs.take(static_cast<std::size_t>(levels() * cells) * element_);
    if (exchange_.wants_fractions()) part.fraction.resize(base::index(levels() * cells));
    const std::int64_t products =
        std::max<std::int64_t>(1, std::ssize(rows.rows.weight)) * std::max<std::int64_t>(1, levels());
    const std::int64_t tasks =
        std::clamp<std::int64_t>(products / products_at_once, 1, std::max<std::int64_t>(1, cells));
    part.left.store(static_cast<int>(tasks), std::memory_order_relaxed);
    for (std::int64_t t = 0; t < tasks; ++t) {
      const auto piece = [self = shared_from_this(), &part, begin = cells * t / tasks,
                          end = cells * (t + 1) / tasks] { self->apply(part, begin, end); };
      if (t + 1 == tasks && &rows == &exchange_.weights->parts.back())
        piece();  // this thread has nothing else to do
      else
        services_.tasks.submit(piece, part.values.size() <= light_bytes);
    }
  }

  void apply(Part& part, std::int64_t begin, std::int64_t end) {
    try {
      const auto timed = timer();
      env::maybe_fail("rows");
      const std::int64_t cells = part.rows->rows.rows();
      regrid::Arrays arrays;
      arrays.type = exchange_.conversion.to;
      arrays.from = packed_.bytes();
      arrays.to = part.values.bytes();
      arrays.fraction = part.fraction;
      arrays.levels = levels();
      arrays.source_stride = exchange_.weights->count;
      arrays.target_stride = cells;
      arrays.fill = exchange_.conversion.fill;
      if (exchange_.may_lack || is_missing_) arrays.missing = exchange_.conversion.fill;
      regrid::apply(part.rows->rows, exchange_.plan->rule, arrays, begin, end);
    } catch (...) {
      part.has_failed.store(true, std::memory_order_relaxed);
      const std::lock_guard lock(mutex_);
      if (!fault_) fault_ = base::current_fault();
    }
    if (part.left.fetch_sub(1, std::memory_order_acq_rel) == 1) finish(part);
  }

  void finish(Part& part) {
    if (part.has_failed.load(std::memory_order_relaxed)) {
      base::fill_with(element_of(exchange_.conversion.to, exchange_.conversion.fill), part.values.bytes());
      std::ranges::fill(part.fraction, 0.0);
    }
    RegriddedPart made{part.rows->part, std::move(part.values), std::move(part.fraction)};
    if (exchange_.component_step > 0) project(exchange_, *part.rows, services_.slabs, made);
    if (exchange_.inner > 1) reorder(made, part.rows->rows.rows());
    part_done_(std::move(made));
    if (parts_left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    done_(fault_);  // no other thread is left
  }

  void reorder(RegriddedPart& part, std::int64_t cells) const {
    base::Slab values = services_.slabs.take(part.values.size());
    from_levels(part.values.bytes(), cells, exchange_.inner, element_, values.data());
    part.values = std::move(values);
    std::vector<double> fraction(part.fraction.size());
    from_levels(std::as_bytes(std::span(part.fraction)), cells, exchange_.inner, sizeof(double),
                std::as_writable_bytes(std::span(fraction)).data());
    part.fraction = std::move(fraction);
  }

  const Exchange& exchange_;
  std::vector<Piece> pieces_;
  ApplyParts services_;
  std::function<void(RegriddedPart&&)> part_done_;
  std::function<void(const std::optional<base::Fault>&)> done_;
  std::size_t element_;
  bool is_missing_ = false;
  base::Slab packed_;
  std::deque<Part> parts_;
  std::atomic<int> parts_left_;
  std::mutex mutex_;
  std::optional<base::Fault> fault_;
};

}  // namespace

void apply_rows(const Exchange& exchange, std::vector<Piece> pieces, const ApplyParts& parts,
                std::function<void(RegriddedPart&&)> part_done,
                std::function<void(const std::optional<base::Fault>&)> done) {
  const std::size_t bytes =
      static_cast<std::size_t>(exchange.cells->dims().levels * exchange.weights->count) *
      model::size_of(exchange.conversion.to);
  const auto work =
      std::make_shared<Work>(exchange, std::move(pieces), parts, std::move(part_done), std::move(done));
  parts.tasks.submit([work] { work->run(); }, bytes <= light_bytes);
}

}  // namespace tailrace::pipeline::regridding
