#include <algorithm>
#include <cmath>
#include <complex>
#include <kissfft/kissfft.hh>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/coordinates.hpp"
#include "analytics/operators/support/gather.hpp"
#include "units/unit_system.hpp"

namespace tailrace::analytics::operators {
namespace {

using Complex = std::complex<double>;
using Fourier = kissfft<double>;

// Transforms `count` lines in place; `step` is the stride of values, `line_step` that of lines.
void transform(std::vector<Complex>& values, std::size_t length, std::size_t step, std::size_t count,
               std::size_t line_step) {
  const Fourier fourier(length, false);
  std::vector<Complex> in(length), out(length);
  for (std::size_t line = 0; line < count; ++line) {
    for (std::size_t i = 0; i < length; ++i) in[i] = values[line * line_step + i * step];
    fourier.transform(in.data(), out.data());
    for (std::size_t i = 0; i < length; ++i) values[line * line_step + i * step] = out[i];
  }
}

// The bin of the power of each mode.
struct Bins {
  std::vector<std::size_t> of_mode;
  std::size_t count = 0;
};

std::int64_t frequency(std::int64_t i, std::int64_t n) { return 2 * i <= n ? i : n - i; }

Bins bins_along(std::int64_t n) {
  Bins bins{{}, static_cast<std::size_t>(n / 2 + 1)};
  for (std::int64_t i = 0; i < n; ++i) bins.of_mode.push_back(static_cast<std::size_t>(frequency(i, n)));
  return bins;
}

// Rings of width 1 in units of the lowest wave number of the longer side.
Bins bins_of_rings(std::int64_t rows, std::int64_t columns, const std::vector<double>& spacing) {
  const double height = static_cast<double>(rows) * spacing[0];
  const double width = static_cast<double>(columns) * spacing[1];
  const double longest = std::max(height, width);
  Bins bins;
  for (std::int64_t j = 0; j < rows; ++j)
    for (std::int64_t i = 0; i < columns; ++i) {
      const double along = static_cast<double>(frequency(j, rows)) * (longest / height);
      const double across = static_cast<double>(frequency(i, columns)) * (longest / width);
      const auto bin = static_cast<std::size_t>(std::sqrt(along * along + across * across) + 0.5);
      bins.of_mode.push_back(bin);
      bins.count = std::max(bins.count, bin + 1);
    }
  return bins;
}

std::vector<double> spacing_of(const Call& call) {
  if (!call.parameters.contains("spacing")) return {1.0, 1.0};
  std::vector<double> spacing = numbers(call, "spacing");
  if (spacing.size() != 2 || !(spacing[0] > 0.0) || !(spacing[1] > 0.0))
    throw CallProblem(-1, "spacing",
                      "\"spacing\" must be two numbers above 0, in the order of the dimensions");
  return spacing;
}

Bins bins_of(const Call& call) {
  std::vector<std::size_t> places = dim_places(call);
  if (places.empty() || places.size() > 2)
    throw CallProblem(-1, "", "takes one or two dimensions: spectrum(a, x) or spectrum(a, y, x)");
  std::vector<double> spacing = spacing_of(call);
  const Dims& dims = call.arguments[0].dims;
  for (const std::size_t place : places)
    if (dims[place].extent < 1) throw CallProblem(-1, dims[place].name, "dimension has no cells");
  if (places.size() == 1) {
    if (call.parameters.contains("spacing"))
      throw CallProblem(-1, "spacing", "\"spacing\" applies only to a spectrum in two dimensions");
    return bins_along(dims[places[0]].extent);
  }
  if (places[0] > places[1]) {  // the block has its own order of dims
    std::swap(places[0], places[1]);
    std::swap(spacing[0], spacing[1]);
  }
  return bins_of_rings(dims[places[0]].extent, dims[places[1]].extent, spacing);
}

Array spectra(const std::vector<bool>& consumed, const Bins& bins, const ConstArray& a) {
  const Slabs slabs(*a.region, consumed);
  Array result{kept_and(*a.region, consumed, {static_cast<std::int64_t>(bins.count)}), {}};
  result.values.assign(slabs.kept.size() * bins.count, 0.0);
  const std::size_t cells = slabs.consumed.size();
  const auto columns = static_cast<std::size_t>(slabs.extents.back());
  const double scale = 1.0 / static_cast<double>(cells) / static_cast<double>(cells);
  std::vector<Complex> modes(cells);
  for (std::size_t k = 0; k < slabs.kept.size(); ++k) {
    for (std::size_t c = 0; c < cells; ++c) modes[c] = a.values[slabs.at(k, c)];
    transform(modes, columns, 1, cells / columns, columns);
    if (slabs.extents.size() == 2) transform(modes, cells / columns, columns, columns, 1);
    for (std::size_t c = 0; c < cells; ++c)
      result.values[k * bins.count + bins.of_mode[c]] += std::norm(modes[c]) * scale;
  }
  return result;
}

// The spacing of a coordinate that is uniform to one in a thousand, since coordinates are often rounded.
std::optional<double> even_spacing(const DimCoordinate& coordinate) {
  const std::size_t cells = coordinate.values.size();
  if (cells < 2) return std::nullopt;
  const double step = (coordinate.values.back() - coordinate.values.front()) / static_cast<double>(cells - 1);
  for (std::size_t i = 0; i < cells; ++i)
    if (!(std::abs(coordinate.values[i] - (coordinate.values.front() + static_cast<double>(i) * step)) <=
          1e-3 * std::abs(step)))
      return std::nullopt;
  return step == 0.0 ? std::nullopt : std::optional(std::abs(step));
}

// The length of the domain (of its longer side), in units of the coordinates.
struct Length {
  double length = 0.0;
  std::string units;
};

// None if the coordinates do not determine it, or their spacing differs from that of the rings.
std::optional<Length> length_of(const Call& call, const std::vector<Described>& arguments) {
  Length longest;
  const std::vector<double> spacing = spacing_of(call);
  double scale = 0.0;  // the ratio of the coordinates' spacing to that of the call
  for (std::size_t d = 0; d < call.dims.size(); ++d) {
    const DimCoordinate* coordinate = coordinate_along(call, arguments, call.dims[d]);
    const auto step = coordinate != nullptr ? even_spacing(*coordinate) : std::nullopt;
    if (!step || coordinate->units.empty()) return std::nullopt;
    if (d > 0 && (coordinate->units != longest.units || std::abs(*step / spacing[d] - scale) > 1e-6 * scale))
      return std::nullopt;
    if (d == 0) scale = *step / spacing[d];
    longest.units = coordinate->units;
    longest.length = std::max(longest.length, *step * static_cast<double>(coordinate->values.size()));
  }
  return longest;
}

class Spectrum final : public Kernel {
 public:
  OperatorDoc doc() const override {
    return {"spectrum(a, DIM [, DIM2], spacing=[...], dim=\"wavenumber\")",
            "Power by wave number along a new last dimension, k = 0, 1, ... waves over the (periodic) "
            "domain. Along one dimension it is |numpy.fft.fft(a)|**2 / n**2 with k and -k added (the "
            "one-sided spectrum, of length n/2 + 1). Over two dimensions the modes are added in rings: k is "
            "the whole number nearest to the distance from 0, in units of the lowest wave number of the "
            "longer side (spacing: that of the cells along each dimension, where they differ). The sum over "
            "all k is the mean of a squared. NaN gives NaN for all k. Empty blocks of kept dimensions give "
            "empty blocks; for length 1 it is the square, at k = 0.",
            "n log n for n with small prime factors, else n * p with the largest one, p; gathers the "
            "dimensions it consumes",
            "Parseval's theorem"};
  }
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_parameters(call, {"spacing", "dim"});
    const Bins bins = bins_of(call);
    Shape shape = without(call, consumed_dims(call));
    add_dim(shape, wave_dim(call), static_cast<std::int64_t>(bins.count));
    shape.units = power_units(shape.units, 2.0);
    return shape;
  }
  std::optional<DimCoordinate> coordinate_made(const Call& call, const std::string& dim,
                                               const std::vector<Described>& arguments) const override {
    if (dim != wave_dim(call)) return std::nullopt;
    DimCoordinate coordinate{dim, counted(bins_of(call).count, 0.0), "1"};
    const auto domain = length_of(call, arguments);
    const auto units = domain ? units::unit_system().power(domain->units, -1.0) : std::nullopt;
    coordinate.long_name = units                   ? "wave number (waves per length)"
                           : call.dims.size() == 1 ? "wave number (waves over the domain)"
                                                   : "wave number (waves over the longer side of the domain)";
    if (!units) return coordinate;
    coordinate.units = *units;
    for (double& wave : coordinate.values) wave /= domain->length;
    return coordinate;
  }
  std::vector<std::string> needs_whole(const Call& call) const override { return split_consumed(call); }
  std::unique_ptr<KernelRun> start(const Call& call) const override {
    return run_of(
        [consumed = consumed_dims(call), bins = bins_of(call)](std::span<const ConstArray> arguments) {
          return spectra(consumed, bins, arguments[0]);
        });
  }

 private:
  static std::string wave_dim(const Call& call) { return text(call, "dim", "wavenumber"); }
};

const OperatorEntry spectrum("spectrum", std::make_shared<Spectrum>());

}  // namespace
}  // namespace tailrace::analytics::operators
