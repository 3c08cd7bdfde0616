// Weights by a formula, in place of those that a maker computes: each server gets what its set-up would read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "pipeline/regridding/weights.hpp"
#include "pipeline/served_component.hpp"
#include "plan/regridding.hpp"
#include "regrid/needs.hpp"

namespace tailrace::pipeline::play {

struct Link {
  std::int64_t source;
  double weight;
};

// The links of a target cell, ascending by source. Some have none, and some do not reach 1.
inline std::vector<Link> links_of(std::int64_t sources, std::int64_t target, regrid::Method method) {
  if (target % 11 == 7) return {};
  if (method == regrid::Method::nearest) return {{target * 17 % sources, 1.0}};
  std::vector<std::int64_t> cells;
  for (std::int64_t k = 0; k < 1 + target % 4; ++k) cells.push_back((target * 13 + 7 * k * k + k) % sources);
  std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  std::vector<Link> links;
  double sum = 0.0;
  for (const std::int64_t cell : cells) {
    links.push_back({cell, 1.0 + static_cast<double>((target + cell) % 3)});
    sum += links.back().weight;
  }
  for (Link& link : links) link.weight *= (target % 5 == 2 ? 0.75 : 1.0) / sum;
  return links;
}

inline regrid::Rows rows_of(const plan::WeightsPlan& plan, regrid::Share share) {
  const std::int64_t sources = std::accumulate(plan.source.shape.begin(), plan.source.shape.end(),
                                               std::int64_t{1}, std::multiplies<>());
  regrid::Rows rows;
  rows.first = share.first;
  rows.start.push_back(0);
  for (std::int64_t target = share.first; target < share.first + share.count; ++target) {
    for (const Link& link : links_of(sources, target, plan.method)) {
      rows.source.push_back(link.source);
      rows.weight.push_back(link.weight);
    }
    rows.start.push_back(std::ssize(rows.source));
  }
  return rows;
}

// `clients_of`: by server.
inline regridding::Prepared hand_made_weights(const Blueprint& blueprint,
                                              const std::vector<std::vector<int>>& clients_of, int server) {
  regridding::Prepared prepared;
  const plan::Regridding& regridding = *blueprint.plan.regridding;
  const std::size_t ranks = blueprint.info.decomposition.ranks();
  for (const plan::WeightsPlan& plan : regridding.weights) {
    const plan::TargetGrid& target = regridding.targets[base::index(plan.target_cells)];
    std::vector<regridding::Weights> all;
    for (const std::vector<int>& clients : clients_of) {
      std::vector<std::pair<int, regrid::Rows>> parts;
      for (const int part : clients)
        parts.emplace_back(
            part, rows_of(plan, regrid::share_of(target.cells, target.unit, base::index(part), ranks)));
      all.push_back(regridding::weights_of(parts));
    }
    regridding::Weights& own = prepared.weights.emplace_back(all[base::index(server)]);
    for (std::size_t other = 0; other < all.size(); ++other)
      if (!all[other].cells.empty()) own.wanted.push_back({static_cast<int>(other), all[other].cells});
  }
  for (const plan::TargetCoordinate& coordinate : regridding.coordinates)
    for (const int part : clients_of[base::index(server)]) {
      const model::Region& region = blueprint.region(blueprint.field(coordinate.field).grid, part);
      if (region.size() == 0) continue;
      std::vector<std::int64_t> numbers(base::index(region.size()));
      std::iota(numbers.begin(), numbers.end(), region.runs(0).front().start);
      const auto bytes = std::as_bytes(std::span(numbers));
      prepared.coordinates.push_back({coordinate.field, part, {bytes.begin(), bytes.end()}});
    }
  return prepared;
}

}  // namespace tailrace::pipeline::play
