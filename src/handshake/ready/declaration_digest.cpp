#include "handshake/ready/declaration_digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace tailrace::handshake {
std::uint64_t digest_of(const model::Declarations& declarations) {
  return base::digest(declarations.to_bytes());
}

DeclaredThings things_in(const model::Declarations& declarations) {
  DeclaredThings things;
  for (const auto& [name, value] : declarations.options) {
    const auto bytes = std::as_bytes(std::span(value));
    things.emplace_back(fmt::format("option \"{}\"", name), base::digest(bytes));
  }
  for (const auto& [name, value] : declarations.attributes) {
    model::Declarations part;
    part.attributes[name] = value;
    things.emplace_back(fmt::format("attribute \"{}\" of the files", name), digest_of(part));
  }
  for (const model::Grid& grid : declarations.grids) {
    model::Declarations part;
    part.grids.push_back(grid);
    part.grids.back().coordinates.clear();
    things.emplace_back(grid.name.empty() ? "the scalar fields" : fmt::format("grid \"{}\"", grid.name),
                        digest_of(part));
    for (const model::Coordinate& coordinate : grid.coordinates) {
      model::Declarations alone;
      alone.grids.emplace_back().coordinates.push_back(coordinate);
      things.emplace_back(fmt::format("coordinate \"{}\" of grid \"{}\"", coordinate.name, grid.name),
                          digest_of(alone));
    }
  }
  for (const model::Field& field : declarations.fields) {
    model::Declarations part;
    part.fields.push_back(field);
    things.emplace_back(fmt::format("field \"{}\"", field.name), digest_of(part));
  }
  return things;
}

void check_same(int rank, const DeclaredThings& mine, const DeclaredThings& theirs) {
  for (std::size_t i = 0; i < std::max(mine.size(), theirs.size()); ++i) {
    if (i < mine.size() && i < theirs.size() && mine[i] == theirs[i]) continue;
    const bool same_name = i < mine.size() && i < theirs.size() && mine[i].first == theirs[i].first;
    const auto name = [&](const DeclaredThings& things) {
      return i < things.size() ? things[i].first : std::string("nothing");
    };
    throw Error(
        ErrorCode::usage,
        same_name
            ? fmt::format("ranks 0 and {} of the component declare {} differently (shape, type, units, "
                          "names or values); all ranks must declare the same",
                          rank, mine[i].first)
            : fmt::format("ranks 0 and {} of the component declare different things: rank 0 {}, rank {} {}; "
                          "all ranks must declare the same in the same order",
                          rank, name(mine), rank, name(theirs)));
  }
}

}  // namespace tailrace::handshake
