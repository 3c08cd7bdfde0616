// The part of a run of many ranks that one rank or server sees; no other rank needs to exist.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/declarer.hpp"
#include "pipeline/blueprint.hpp"

namespace tailrace::server::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int many_ranks = 4096;  // programs are ten times as slow
#else
inline constexpr int many_ranks = 32768;
#endif

// A model like MONC: blocks of columns, and profiles to which every rank contributes; 319 diagnostics, most
// of which add these up.
class LargeRun {
 public:
  // `most`: fields of a kind. `ranges`: of a grid of listed cells that each rank holds; 0: there is none.
  explicit LargeRun(int ranks, int most = 1000, int ranges = 0)
      : ranks_(ranks),
        across_(static_cast<int>(std::sqrt(ranks))),
        profiles_(std::min(290, most)),
        totals_(std::min(8, most)),
        planes_(std::min(21, most)),
        blocks_(std::min(22, most)),
        ranges_(ranges) {
    while (ranks_ % across_ != 0) --across_;
  }

  int ranks() const { return ranks_; }
  int servers() const { return (ranks_ + 99) / 100; }

  client::Declarer declarer(int rank) const {
    client::Declarer declarer("atmosphere", rank, ranks_);
    const model::Box own = columns(rank);
    const std::int64_t ny = ranks_ / across_ * 7, nx = across_ * 9;
    add_grid(declarer, "block", {"z", "y", "x"}, {levels, ny, nx},
             {{0, own.offset[0], own.offset[1]}, {levels, own.count[0], own.count[1]}});
    add_grid(declarer, "plane", {"y", "x"}, {ny, nx}, own);
    add_partial_grid(declarer, "profile", {"z"}, {levels});
    add_partial_grid(declarer, "total", {}, {});
    if (ranges_ > 0) add_listed_grid(declarer, rank);
    for (const auto& [kind, count] : counts())
      for (int i = 0; i < count; ++i) {
        model::Field field;
        field.name = fmt::format("{}_{}", kind, i);
        declarer.field(kind, field);
      }
    return declarer;
  }

  std::string configuration() const {
    std::string names, diagnostics, variables;
    for (const auto& [kind, count] : counts())
      for (int i = 0; i < count; ++i) names += fmt::format("{}_{}, ", kind, i);
    int number = 0;
    for (const std::string& is : expressions()) {
      diagnostics += fmt::format("  d{}: {{is: \"{}\"}}\n", number, is);
      variables += fmt::format("      - {{field: d{}, time: mean, every: 10 s}}\n", number++);
    }
    for (int i = 0; i < blocks_; ++i)
      variables += fmt::format("      - {{field: block_{}, every: 20 s}}\n", i);
    for (int i = 0; i < planes_; ++i)
      variables += fmt::format("      - {{field: plane_{}, every: 20 s}}\n", i);
    return fmt::format(
        "tailrace: 1\nfields: {{all: {{names: [{}]}}}}\ndiagnostics:\n{}output:\n  diagnostics.nc:\n"
        "    format: memory\n    write_every: 100 s\n    variables:\n{}",
        names, diagnostics, variables);
  }

  std::vector<std::string> expressions() const {
    std::vector<std::string> all;
    for (int i = 0; i < std::min(profiles_, 260); ++i)
      all.push_back(fmt::format("sum(profile_{}, rank) / 1048576", i));
    for (int i = 260; i < profiles_; ++i)  // the mean over the cells that satisfy a condition
      all.push_back(
          fmt::format("where(sum(profile_{0}, rank) > 0, sum(profile_{1}, rank) / sum(profile_{0}, rank), 0)",
                      i, i - 200));
    for (int i = 0; i < totals_; ++i) all.push_back(fmt::format("max(total_{}, rank)", i));
    for (int i = 0; i < std::min(planes_, 15); ++i) all.push_back(fmt::format("mean(plane_{}, y, x)", i));
    for (int i = 0; i + 1 < std::min(planes_, 4); ++i)
      all.push_back(fmt::format("where(plane_{0} > 0, plane_{0} - plane_{1}, 0)", i, i + 1));
    for (int i = 0; i < std::min(blocks_, 3); ++i) all.push_back(fmt::format("max(block_{}, z)", i));
    return all;
  }

  // The form in which a server receives it, in the message of the component's first rank.
  pipeline::ComponentInfo info() const {
    pipeline::ComponentInfo info;
    const std::map<std::string, std::string> no_options;
    info.configuration = settings::parse_configuration({{"run.yaml", configuration()}}, &no_options);
    info.declarations = declarer(0).declarations();
    const LargeRun without_fields(ranks_, 0, ranges_);
    for (int rank = 0; rank < ranks_; ++rank) {
      const client::Declarer declared = without_fields.declarer(rank);
      info.decomposition.regions.resize(declared.regions().size());
      for (std::size_t g = 0; g < declared.regions().size(); ++g)
        info.decomposition.regions[g].push_back(declared.regions()[g]);
    }
    info.decomposition.regions.resize(info.declarations.grids.size());
    info.history = "now";
    return info;
  }

 private:
  static constexpr std::int64_t levels = 76;

  std::vector<std::pair<const char*, int>> counts() const {
    return {{"profile", profiles_}, {"total", totals_}, {"plane", planes_}, {"block", blocks_}};
  }

  model::Box columns(int rank) const {
    const std::int64_t y = rank / across_, x = rank % across_;
    return {{y * 7, x * 9}, {7, 9}};
  }

  static void add_grid(client::Declarer& declarer, const char* name, std::vector<std::string> dims,
                       std::vector<std::int64_t> shape, const model::Box& own) {
    client::GridArguments grid;
    grid.name = name;
    grid.dims = std::move(dims);
    grid.shape = std::move(shape);
    grid.offset = own.offset;
    grid.count = own.count;
    declarer.grid(grid);
  }

  static void add_partial_grid(client::Declarer& declarer, const char* name, std::vector<std::string> dims,
                               std::vector<std::int64_t> shape) {
    client::GridArguments grid;
    grid.name = name;
    grid.dims = std::move(dims);
    grid.shape = std::move(shape);
    grid.partial = true;
    declarer.grid(grid);
  }

  // Ranges of 20 cells, dealt out to the ranks in turn.
  void add_listed_grid(client::Declarer& declarer, int rank) const {
    std::vector<std::int64_t> cells;
    for (int range = 0; range < ranges_; ++range)
      for (std::int64_t i = 0; i < 20; ++i)
        cells.push_back((std::int64_t{range} * ranks_ + (rank + range) % ranks_) * 20 + i);
    client::GridArguments grid;
    grid.name = "list";
    grid.dims = {"level", "cell"};
    grid.shape = {60, std::int64_t{ranges_} * ranks_ * 20};
    grid.indexed_dim = "cell";
    grid.indices = cells;
    declarer.grid(grid);
  }

  int ranks_, across_;  // the number of blocks next to each other
  int profiles_, totals_, planes_, blocks_, ranges_;
};

}  // namespace tailrace::server::testing
