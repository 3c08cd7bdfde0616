#include "time/accumulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "time/masked_reductions.hpp"
#include "time/reductions.hpp"

namespace tailrace::time {
namespace {

using model::DataType;

struct Named {
  ReductionKind kind;
  const char* name;
  const char* cell_method;
};

constexpr std::array<Named, 7> kinds{{
    {ReductionKind::snapshot, "snapshot", "point"},
    {ReductionKind::mean, "mean", "mean"},
    {ReductionKind::min, "min", "minimum"},
    {ReductionKind::max, "max", "maximum"},
    {ReductionKind::sum, "sum", "sum"},
    {ReductionKind::std, "std", "standard_deviation"},
    {ReductionKind::valid_fraction, "valid_fraction", "mean"},
}};

const Named& named(ReductionKind kind) {
  for (const Named& known : kinds)
    if (known.kind == kind) return known;
  base::assertion_failed("kind", __FILE__, __LINE__, "unknown ReductionKind");
}

template <class Rule, class In, ReductionKind kind, DataType input>
class Folding final : public Accumulator {
  using Kept = typename Rule::Kept;

 public:
  Folding(const Stored& output, std::size_t size, Rule rule = {})
      : size_(size), kept_(Rule::names.size() * size), rule_(rule), output_(output) {}

  void combine(std::span<const std::byte> sample, double weight, double fraction) override {
    TAILRACE_ASSERT(sample.size() == size_ * sizeof(In), "a sample has the size of its block");
    TAILRACE_ASSERT(weight >= 0.0, "weights are lengths of time");
    if (weight == 0.0) return;
    rule_.fold(sample.data(), kept_.data(), size_, {.weight = weight, .fraction = fraction}, totals_);
    ++totals_.samples;
    totals_.weight += weight;
  }

  Lost finish(std::span<std::byte> record) override {
    TAILRACE_ASSERT(record.size() == size_ * model::size_of(output_.type),
                    "a record has the size of its block");
    TAILRACE_ASSERT(!empty(), "a record needs a sample");
    const Lost lost = write(record.data());
    totals_ = {};
    return lost;
  }

  bool empty() const override { return totals_.samples == 0; }

  std::vector<KeptArray> kept_arrays() const override {
    const DataType type = std::is_same_v<Kept, double> ? DataType::float64 : input;
    std::vector<KeptArray> arrays;
    for (const char* name : Rule::names) arrays.push_back({name, type});
    return arrays;
  }

  AccumulatorState state() const override {
    AccumulatorState state{totals_, {}};
    if (empty()) return state;
    for (std::size_t array = 0; array < Rule::names.size(); ++array) {
      const auto bytes = std::as_bytes(std::span<const Kept>(kept_).subspan(array * size_, size_));
      state.values.emplace_back(bytes.begin(), bytes.end());
    }
    return state;
  }

  void restore(const AccumulatorState& state) override {
    if (state.totals.samples < 0) refuse(fmt::format("it has {} samples", state.totals.samples));
    const std::size_t arrays = state.totals.samples == 0 ? 0 : Rule::names.size();
    if (state.values.size() != arrays)
      refuse(fmt::format("it has {} arrays where {} are expected", state.values.size(), arrays));
    for (const auto& values : state.values)
      if (values.size() != size_ * sizeof(Kept))
        refuse(fmt::format("it holds {} values", values.size() / sizeof(Kept)));
    for (std::size_t array = 0; array < arrays; ++array)
      std::memcpy(kept_.data() + array * size_, state.values[array].data(), size_ * sizeof(Kept));
    totals_ = state.totals;
  }

 private:
  Lost write(std::byte* record) const {
    if (!output_.packing && output_.type == DataType::float64) return write_as<double>(record);
    if (!output_.packing && output_.type == input && std::is_same_v<Kept, In>) return write_as<In>(record);
    Lost lost;
    constexpr std::size_t batch = 512;
    std::array<double, batch> values;
    std::array<bool, batch> valid;
    const std::size_t element = model::size_of(output_.type);
    for (std::size_t first = 0; first < size_; first += batch) {
      const std::size_t count = std::min(batch, size_ - first);
      for (std::size_t i = 0; i < count; ++i) {
        valid[i] = is_valid(first + i);
        values[i] = static_cast<double>(rule_.result(kept_.data(), size_, first + i, totals_));
      }
      lost.add(store(output_, std::span(values).first(count), std::span(valid).first(count),
                     record + first * element));
    }
    return lost;
  }

  // It is the type that is kept, or holds all of its values: only those that equal the fill value are lost.
  template <class Out>
  Lost write_as(std::byte* record) const {
    const Out fill = output_.fill.as<Out>();
    std::uint64_t equal = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const bool valid = is_valid(i);
      const Out value = valid ? static_cast<Out>(rule_.result(kept_.data(), size_, i, totals_)) : fill;
      equal += static_cast<std::uint64_t>(valid && value == fill);
      std::memcpy(record + i * sizeof(Out), &value, sizeof(Out));
    }
    return {.values = equal, .first = equal == 0 ? 0.0 : static_cast<double>(fill)};
  }

  bool is_valid(std::size_t i) const {
    if constexpr (requires { rule_.mask; })
      return rule_.is_valid(kept_.data(), size_, i, totals_);
    else
      return true;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::resource, fmt::format("saved state does not fit a {} over {} values of {}: {}",
                                                 name_of(kind), size_, model::name_of(input), why));
  }

  // In this order: what each sample needs lies in one line of the cache.
  std::size_t size_;
  std::vector<Kept> kept_;
  Totals totals_;
  Rule rule_;
  Stored output_;
};

template <DataType input, class In>
std::unique_ptr<Accumulator> make_plain(ReductionKind kind, const Stored& output, std::size_t size) {
  using enum ReductionKind;
  switch (kind) {
    case snapshot: return std::make_unique<Folding<Snapshot<In>, In, snapshot, input>>(output, size);
    case mean: return std::make_unique<Folding<Mean<In>, In, mean, input>>(output, size);
    case min: return std::make_unique<Folding<Min<In>, In, min, input>>(output, size);
    case max: return std::make_unique<Folding<Max<In>, In, max, input>>(output, size);
    case sum: return std::make_unique<Folding<Sum<In>, In, sum, input>>(output, size);
    case std: return std::make_unique<Folding<Std<In>, In, std, input>>(output, size);
    case valid_fraction: break;
  }
  base::assertion_failed("kind", __FILE__, __LINE__, "valid_fraction needs to know what is missing");
}

template <DataType input, class In, template <class> class Reduction, ReductionKind kind>
std::unique_ptr<Accumulator> make_one_masked(const Stored& output, std::size_t size, const Missing& missing) {
  Reduction<In> rule;
  rule.mask = {.fill = missing.fill.as<In>(), .propagates = missing.propagates};
  return std::make_unique<Folding<Reduction<In>, In, kind, input>>(output, size, rule);
}

template <DataType input, class In>
std::unique_ptr<Accumulator> make_masked(ReductionKind kind, const Stored& output, std::size_t size,
                                         const Missing& missing) {
  using enum ReductionKind;
  switch (kind) {
    case snapshot: return make_one_masked<input, In, MaskedSnapshot, snapshot>(output, size, missing);
    case mean: return make_one_masked<input, In, MaskedMean, mean>(output, size, missing);
    case min: return make_one_masked<input, In, MaskedMin, min>(output, size, missing);
    case max: return make_one_masked<input, In, MaskedMax, max>(output, size, missing);
    case sum: return make_one_masked<input, In, MaskedSum, sum>(output, size, missing);
    case std: return make_one_masked<input, In, MaskedStd, std>(output, size, missing);
    case valid_fraction:
      return make_one_masked<input, In, ValidFraction, valid_fraction>(output, size, missing);
  }
  base::assertion_failed("kind", __FILE__, __LINE__, "unknown ReductionKind");
}

template <DataType input, class In>
std::unique_ptr<Accumulator> make_for(ReductionKind kind, const Stored& output, std::size_t size,
                                      const std::optional<Missing>& missing) {
  return missing ? make_masked<input, In>(kind, output, size, *missing)
                 : make_plain<input, In>(kind, output, size);
}

}  // namespace

std::string_view name_of(ReductionKind kind) { return named(kind).name; }
std::string_view cell_method_of(ReductionKind kind) { return named(kind).cell_method; }

std::vector<std::string> reduction_names() {
  std::vector<std::string> names;
  for (const Named& known : kinds) names.emplace_back(known.name);
  return names;
}

std::optional<ReductionKind> find_reduction(std::string_view name) {
  for (const Named& known : kinds)
    if (name == known.name) return known.kind;
  return std::nullopt;
}

bool needs_window(ReductionKind kind) { return kind != ReductionKind::snapshot; }

std::unique_ptr<Accumulator> make_accumulator(ReductionKind kind, DataType input, const Stored& output,
                                              std::size_t size, const std::optional<Missing>& missing) {
  switch (input) {
    case DataType::float32: return make_for<DataType::float32, float>(kind, output, size, missing);
    case DataType::float64: return make_for<DataType::float64, double>(kind, output, size, missing);
    case DataType::int32: return make_for<DataType::int32, std::int32_t>(kind, output, size, missing);
    case DataType::int64: return make_for<DataType::int64, std::int64_t>(kind, output, size, missing);
    default: base::assertion_failed("input", __FILE__, __LINE__, "no field has this type");
  }
}

}  // namespace tailrace::time
