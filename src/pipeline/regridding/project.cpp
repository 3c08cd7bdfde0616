#include "pipeline/regridding/project.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "base/index.hpp"
#include "time/masked_reductions.hpp"

namespace tailrace::pipeline::regridding {
namespace {

using Axis = std::array<double, 3>;

Axis axis_at(plan::Projection projection, double lat, double lon) {
  constexpr double degree = std::numbers::pi / 180.0;
  const double p = lat * degree, l = lon * degree;
  if (projection == plan::Projection::east) return {-std::sin(l), std::cos(l), 0.0};
  return {-std::sin(p) * std::cos(l), -std::sin(p) * std::sin(l), std::cos(p)};
}

}  // namespace

void project(const Exchange& exchange, const PartRows& rows, base::SlabPool& slabs, RegriddedPart& part) {
  const std::size_t cells = rows.lat.size(), step = base::index(exchange.component_step);
  const std::size_t levels = base::index(exchange.levels());
  std::vector<Axis> axes;
  for (std::size_t cell = 0; cell < cells; ++cell)
    axes.push_back(axis_at(exchange.plan->projection, rows.lat[cell], rows.lon[cell]));
  // The level of the first component of each level of the target.
  const auto first_of = [step](std::size_t level) { return level / step * 3 * step + level % step; };
  model::dispatch(exchange.conversion.to, [&]<class Value>(Value) {
    base::Slab result = slabs.take(levels * cells * sizeof(Value));
    const auto* const from = reinterpret_cast<const Value*>(part.values.data());
    auto* const to = reinterpret_cast<Value*>(result.data());
    const time::Mask<Value> mask{.fill = exchange.conversion.fill.as<Value>()};
    for (std::size_t level = 0; level < levels; ++level)
      for (std::size_t cell = 0; cell < cells; ++cell) {
        double sum = 0.0;
        bool misses = false;
        for (std::size_t k = 0; k < 3; ++k) {
          const Value component = from[(first_of(level) + k * step) * cells + cell];
          misses = misses || mask.hides(component);
          sum += static_cast<double>(component) * axes[cell][k];
        }
        to[level * cells + cell] = misses ? mask.fill : static_cast<Value>(sum);
      }
    part.values = std::move(result);
  });
  if (part.fraction.empty()) return;
  std::vector<double> fraction;  // all components of a vector are missing at once
  for (std::size_t level = 0; level < levels; ++level) {
    const auto begin = part.fraction.begin() + static_cast<std::ptrdiff_t>(first_of(level) * cells);
    fraction.insert(fraction.end(), begin, begin + static_cast<std::ptrdiff_t>(cells));
  }
  part.fraction = std::move(fraction);
}

}  // namespace tailrace::pipeline::regridding
