#include "server/input/record_cut.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "input/levels_dim.hpp"
#include "model/parts.hpp"

namespace tailrace::server {
namespace {

bool is_divided(model::GridKind kind) {
  return kind == model::GridKind::block || kind == model::GridKind::indexed;
}

std::int64_t count_missing(model::DataType type, std::span<const std::byte> values) {
  return model::dispatch(type, [&](auto sample) -> std::int64_t {
    using T = decltype(sample);
    std::int64_t missing = 0;
    for (std::size_t at = 0; at < values.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, values.data() + at, sizeof value);
      missing += value != value;
    }
    return missing;
  });
}

void copy(const model::Overlap& overlap, std::size_t item, const std::byte* from, std::byte* to) {
  overlap.for_each([&](const model::Segment& segment) {
    std::memcpy(to + base::index(segment.source) * item, from + base::index(segment.target) * item,
                base::index(segment.count) * item);
  });
}

}  // namespace

std::size_t RecordCut::Cell::payload(std::int64_t cells) const {
  return sizeof(input::RecordHead) + base::index(cells) * (value + level);
}

std::int64_t RecordCut::Shape::cells() const {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

RecordCut::RecordCut(const model::Declarations& declarations, const model::Decomposition& decomposition,
                     std::vector<std::vector<int>> clients)
    : declarations_(declarations),
      decomposition_(decomposition),
      clients_(std::move(clients)),
      parts_(model::parts_by_rank(decomposition)) {}

RecordCut::Cell RecordCut::cell_of(const input::PreparedField& field) {
  const bool has_levels = field.vertical && field.vertical->come_with_records;
  return {model::size_of(field.travels_as), has_levels ? sizeof(double) : 0};
}

RecordCut::Shape RecordCut::shape_of(const input::PreparedField& field) const {
  const model::Grid& grid =
      declarations_.grids[base::index(declarations_.fields[base::index(field.field)].grid)];
  Shape shape{grid.shape, -1};
  if (!field.vertical) return shape;
  shape.levels_dim = input::levels_dim(grid, field.request.vertical->to);
  shape.extents[base::index(shape.levels_dim)] = field.vertical->count;
  return shape;
}

std::size_t RecordCut::record_bytes(const input::PreparedField& field) const {
  const Cell cell = cell_of(field);
  return base::index(shape_of(field).cells()) * (cell.value + cell.level);
}

const RecordCut::Shares& RecordCut::shares(const input::PreparedField& field, int server) const {
  const int grid = declarations_.fields[base::index(field.field)].grid;
  const Shape shape = shape_of(field);
  std::unique_lock lock(mutex_);
  Shares& found = shares_[{grid, field.vertical ? field.vertical->count : -1, server}];
  lock.unlock();
  std::call_once(found.once, [&] { make(grid, shape, server, found); });
  return found;
}

void RecordCut::make(int grid, const Shape& shape, int server, Shares& shares) const {
  shares.is_whole = !is_divided(declarations_.grids[base::index(grid)].kind);
  if (shares.is_whole) {
    shares.of_clients.push_back({shape.cells(), {}});
    return;
  }
  for (const int client : clients_[base::index(server)])
    shares.of_clients.push_back(share_of(grid, shape, client));
}

// A rank that has only some of the model's levels needs all levels of the file.
RecordCut::Share RecordCut::share_of(int grid, const Shape& shape, int client) const {
  const model::Box whole{std::vector<std::int64_t>(shape.extents.size(), 0), shape.extents};
  Share share;
  for (const int part : parts_[base::index(client)]) {
    if (decomposition_.is_hole(part)) continue;
    const model::Region& of_model = decomposition_.regions[base::index(grid)][base::index(part)];
    std::vector<model::Runs> runs;
    for (std::size_t d = 0; d < of_model.rank(); ++d)
      runs.push_back(static_cast<int>(d) == shape.levels_dim ? model::Runs{{0, shape.extents[d]}}
                                                             : of_model.runs(d));
    const model::Region region(std::move(runs));
    if (of_model.size() == 0 || region.size() == 0) continue;
    share.blocks.push_back({model::Overlap(region, whole), share.cells});
    share.cells += region.size();
  }
  return share;
}

std::size_t RecordCut::bytes(const input::PreparedField& field, int server) const {
  const Cell cell = cell_of(field);
  std::size_t bytes = 0;
  for (const Share& share : shares(field, server).of_clients) bytes += cell.payload(share.cells);
  return bytes;
}

std::vector<RecordCut::Place> RecordCut::places(const input::PreparedField& field, int server) const {
  const Cell cell = cell_of(field);
  const Shares& all = shares(field, server);
  std::vector<Place> places;
  if (all.is_whole)
    return {clients_[base::index(server)].size(), {0, cell.payload(all.of_clients.front().cells)}};
  std::size_t begin = 0;
  for (const Share& share : all.of_clients) {
    places.push_back({begin, cell.payload(share.cells)});
    begin += places.back().bytes;
  }
  return places;
}

void RecordCut::cut(const input::PreparedField& field, const input::RecordValues& record, int server,
                    std::span<std::byte> message) const {
  TAILRACE_ASSERT(record.bytes.size() == record_bytes(field), "a record of an input field fills its grid");
  const Cell cell = cell_of(field);
  const Shares& all = shares(field, server);
  const std::byte* values = record.bytes.data();
  const std::byte* levels = values + base::index(shape_of(field).cells()) * cell.value;
  std::byte* payload = message.data();
  for (const Share& share : all.of_clients) {
    std::byte* to = payload + sizeof(input::RecordHead);
    const std::size_t value_bytes = base::index(share.cells) * cell.value;
    if (all.is_whole && !record.bytes.empty()) std::memcpy(to, values, record.bytes.size());
    for (const Block& block : share.blocks) {
      copy(block.overlap, cell.value, values, to + base::index(block.begin) * cell.value);
      if (cell.level > 0)
        copy(block.overlap, cell.level, levels, to + value_bytes + base::index(block.begin) * cell.level);
    }
    input::RecordHead head;
    if (record.missing > 0) head.missing = count_missing(field.travels_as, {to, value_bytes});
    std::memcpy(payload, &head, sizeof head);
    payload += cell.payload(share.cells);
  }
}

}  // namespace tailrace::server
