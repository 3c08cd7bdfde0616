#include "pipeline/routing/router.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "pipeline/routing/open_chunks.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::pipeline::routing {
namespace {

// Kinds of items in the outbox's bundles.
constexpr std::int32_t piece_item = 0;
constexpr std::int32_t chunk_item = 1;

constexpr std::size_t worth_sharing = std::size_t{64} << 10;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// Packs the segments of a piece contiguously.
void pack(const Piece& piece, std::size_t element, std::span<const std::byte> values, std::byte* to) {
  piece.overlap.for_each([&](const model::Segment& segment) {
    const std::size_t count = static_cast<std::size_t>(segment.count) * element;
    std::memcpy(to, values.data() + static_cast<std::size_t>(segment.source) * element, count);
    to += count;
  });
}

// Copies a small item, which would otherwise keep its whole large message in memory.
base::SharedBytes detached(const base::SharedBytes& item, std::size_t first) {
  const base::SharedBytes bytes = item.part(first, item.size() - first);
  return bytes.size() < worth_sharing ? base::SharedBytes(bytes.copy()) : bytes;
}

// Sets the sources of segments to their positions in packed values; `source` is the first position, and is
// advanced.
void set_packed_sources(std::span<model::Segment> part, std::int64_t& source) {
  for (model::Segment& segment : part) {
    segment.source = source;
    source += segment.count;
  }
}

}  // namespace

struct Router::PieceHead {
  std::int64_t output_variable, record, spatial, client;
};

// `reached` of codecs::lossy::Reached follow it, and then the bytes of the chunk.
struct Router::ChunkHead {
  std::int64_t output_variable, spatial, record_chunk, records_end, filtered, is_exact, level, reached;
};

Router::Router(Parts parts, std::span<const std::unique_ptr<sampling::OutputVariable>> output_variables)
    : parts_(std::move(parts)),
      variables_(output_variables),
      owners_(parts_.blueprint.info.number, parts_.control.size()),
      outbox_(parts_.control.messenger(), parts_.control.kind(ControlMessage::bundle)) {
  for (const auto& output_variable : variables_)
    routes_.push_back(make_route(
        parts_.blueprint, *output_variable,
        {&geometry(*output_variable), parts_.control.messenger().slabs(), parts_.services, open_bytes_},
        [this, &output_variable = *output_variable](output::FinishedChunk&& chunk) {
          chunk_done(output_variable, std::move(chunk));
        }));
  outbox_.on(piece_item, [this](const base::SharedBytes& item) { receive_piece(item); });
  outbox_.on(chunk_item, [this](const base::SharedBytes& item) { receive_chunk(item); });
}

const Geometry& Router::geometry(const sampling::OutputVariable& output_variable) {
  const cf::VariableLayout& layout =
      parts_.blueprint.layouts[output_variable.file].variables[output_variable.variable];
  const int grid = parts_.blueprint.field(output_variable.field).grid;
  std::vector<std::int64_t> key = layout.chunk;
  key.push_back(layout.records_per_chunk);
  auto& slot = geometries_[{grid, std::move(key)}];
  if (!slot) {
    slot = std::make_unique<Geometry>(output::ChunkGrid{layout.shape, layout.chunk, layout.records_per_chunk},
                                      parts_.blueprint.info.decomposition.regions[base::index(grid)]);
    slot->count_in(geometry_bytes_);
  }
  return *slot;
}

plan::MemoryNeed Router::open_need() const {
  return check_open_chunks(parts_.blueprint, routes_, owners_, parts_.control.rank());
}

std::size_t Router::make_geometry(std::span<const int> clients) {
  for (const auto& [key, geometry] : geometries_)
    for (const int client : clients) geometry->pieces(client);
  return geometry_bytes();
}

void Router::emit(const sampling::OutputVariable& output_variable, int client, std::int64_t record,
                  std::span<const std::byte> values) {
  const Route& route = routes_[output_variable.number];
  const std::int64_t record_chunk = record / route.geometry->grid().records_per_chunk;
  for (const Piece& piece : route.geometry->pieces(client)) {
    const int owner = owners_.of_chunk(route.variable, piece.spatial, record_chunk);
    if (owner != parts_.control.rank()) {
      send_piece(output_variable, owner,
                 {static_cast<std::int64_t>(output_variable.number), record, piece.spatial, client}, piece,
                 values);
      continue;
    }
    const telemetry::PhaseTimer timer(parts_.services.counters, telemetry::Phase::assemble,
                                      parts_.services.trace);
    piece.overlap.in_parts([&](std::span<const model::Segment> part) {
      route.assembly->add(record, piece.spatial, values, part);
    });
  }
}

void Router::send_piece(const sampling::OutputVariable& output_variable, int to, const PieceHead& head,
                        const Piece& piece, std::span<const std::byte> values) {
  const telemetry::PhaseTimer timer(parts_.services.counters, telemetry::Phase::message,
                                    parts_.services.trace);
  const std::size_t element = model::size_of(output_variable.output);
  const std::size_t bytes = static_cast<std::size_t>(piece.cells()) * element;
  parts_.services.counters.messages_sent.add();
  parts_.services.counters.message_bytes_sent.add(bytes);
  outbox_.add(to, piece_item, bytes_of(head), bytes,
              [&](std::span<std::byte> place) { pack(piece, element, values, place.data()); });
}

// Numbers from other servers are checked before they are used as indices, so a damaged message is an error.
void Router::check_variable(std::int64_t output_variable) const {
  TAILRACE_ASSERT(output_variable >= 0 && static_cast<std::size_t>(output_variable) < routes_.size(),
                  fmt::format("a message about variable {}, of {}", output_variable, routes_.size()));
}

void Router::receive_piece(const base::SharedBytes& item) {
  if (parts_.drops()) return;
  const auto head = base::ByteReader(item).get<PieceHead>();
  check_variable(head.output_variable);
  const Geometry& cut = *routes_[base::index(head.output_variable)].geometry;
  TAILRACE_ASSERT(head.record >= 0 && head.client >= 0 && head.client < cut.clients(),
                  fmt::format("a piece of record {} of client {}, of {} clients", head.record, head.client,
                              cut.clients()));
  base::SharedBytes values = detached(item, sizeof head);
  piece_bytes_.fetch_add(values.size(), std::memory_order_relaxed);
  parts_.tasks.submit([this, head, values = std::move(values)] {
    const telemetry::PhaseTimer timer(parts_.services.counters, telemetry::Phase::assemble,
                                      parts_.services.trace);
    const Route& route = routes_[base::index(head.output_variable)];
    const Piece& piece = route.geometry->piece(static_cast<int>(head.client), head.spatial);
    const std::size_t expected = static_cast<std::size_t>(piece.cells()) *
                                 model::size_of(variables_[base::index(head.output_variable)]->output);
    TAILRACE_ASSERT(values.size() == expected,
                    fmt::format("a piece has {} bytes instead of {}", values.size(), expected));
    std::int64_t source = 0;
    piece.overlap.in_parts([&](std::span<model::Segment> part) {
      set_packed_sources(part, source);
      route.assembly->add_shared(head.record, head.spatial, values, part);
    });
    piece_bytes_.fetch_sub(values.size(), std::memory_order_relaxed);
  });
}

void Router::chunk_done(const sampling::OutputVariable& output_variable, output::FinishedChunk&& chunk) {
  const output::ChunkGrid& grid = routes_[output_variable.number].geometry->grid();
  parts_.services.counters.raw_bytes_out.add(
      static_cast<std::size_t>(grid.cells_per_chunk() * grid.records_per_chunk) *
      model::size_of(output_variable.output));
  const int home = parts_.sinks[output_variable.file]->home_of(
      {output_variable.variable, chunk.spatial, chunk.record_chunk, parts_.control.rank()});
  if (home != parts_.control.rank()) {
    const ChunkHead head{static_cast<std::int64_t>(output_variable.number),
                         chunk.spatial,
                         chunk.record_chunk,
                         chunk.records_end,
                         chunk.filtered ? 1 : 0,
                         chunk.is_exact ? 1 : 0,
                         chunk.level,
                         std::ssize(chunk.reached)};
    const auto reached = std::as_bytes(std::span(chunk.reached));
    parts_.services.counters.messages_sent.add();
    parts_.services.counters.message_bytes_sent.add(chunk.bytes.size());
    outbox_.add(home, chunk_item, bytes_of(head), reached.size() + chunk.bytes.size(),
                [&](std::span<std::byte> place) {
                  std::ranges::copy(reached, place.begin());
                  std::memcpy(place.data() + reached.size(), chunk.bytes.data(), chunk.bytes.size());
                });
    return;
  }
  delivered_bytes_.fetch_add(chunk.bytes.size(), std::memory_order_relaxed);
  const base::MutexLock lock(mutex_);
  delivered_.push_back({output_variable.file, output_variable.variable, std::move(chunk)});
}

void Router::receive_chunk(const base::SharedBytes& item) {
  const auto head = base::ByteReader(item).get<ChunkHead>();
  check_variable(head.output_variable);
  const output::ChunkGrid& grid = routes_[base::index(head.output_variable)].geometry->grid();
  TAILRACE_ASSERT(head.spatial >= 0 && head.spatial < grid.chunks_per_record() && head.record_chunk >= 0 &&
                      head.records_end > 0 &&
                      (head.records_end - 1) / grid.records_per_chunk == head.record_chunk &&
                      (head.reached == 0 || head.reached == grid.records_per_chunk) &&
                      item.size() >= sizeof head + base::index(head.reached) * sizeof(codecs::lossy::Reached),
                  fmt::format("a chunk at {}, {} that ends before record {}", head.record_chunk, head.spatial,
                              head.records_end));
  const sampling::OutputVariable& output_variable = *variables_[base::index(head.output_variable)];
  std::vector<codecs::lossy::Reached> reached(base::index(head.reached));
  const std::size_t reached_bytes = reached.size() * sizeof(codecs::lossy::Reached);
  if (reached_bytes > 0) std::memcpy(reached.data(), item.data() + sizeof head, reached_bytes);
  parts_.sinks[output_variable.file]->deliver(
      output_variable.variable, {head.spatial, head.record_chunk, head.records_end, head.filtered != 0,
                                 detached(item, sizeof head + reached_bytes), std::move(reached),
                                 head.is_exact != 0, static_cast<int>(head.level)});
}

bool Router::deliver() {
  std::vector<Delivered> arrived;
  {
    const base::MutexLock lock(mutex_);
    arrived.swap(delivered_);
  }
  for (Delivered& next : arrived) {
    delivered_bytes_.fetch_sub(next.chunk.bytes.size(), std::memory_order_relaxed);
    parts_.sinks[next.file]->deliver(next.variable, std::move(next.chunk));
  }
  return !arrived.empty();
}

void Router::flush(std::size_t file, const plan::CommitDue& due) {
  for (const auto& output_variable : variables_) {
    if (output_variable->file != file || output_variable->file_axis < 0) continue;
    const Route& route = routes_[output_variable->number];
    const output::ChunkGrid& grid = route.geometry->grid();
    if (grid.records_per_chunk == 1) continue;
    std::vector<std::int64_t> owned;
    for (std::int64_t spatial = 0; spatial < grid.chunks_per_record(); ++spatial)
      if (owners_.of_chunk(route.variable, spatial, 0) == parts_.control.rank()) owned.push_back(spatial);
    route.assembly->flush(due.lengths[base::index(output_variable->file_axis)], owned, due.ends_part);
  }
}

bool Router::send(bool all) { return outbox_.send(all); }

std::size_t Router::moving_bytes() const {
  return outbox_.bytes() + parts_.control.messenger().bytes_in_flight() + unprocessed_bytes() +
         delivered_bytes_.load(std::memory_order_relaxed);
}

sinks::SavedRecords Router::saved_records(const sampling::OutputVariable& output_variable,
                                          const std::vector<plan::Pending>& pending) const {
  return {parts_.blueprint.plan.files[output_variable.file], parts_.blueprint.layouts[output_variable.file],
          output_variable.variable, pending[output_variable.file]};
}

void Router::save(model::StateSaver& saver, const std::vector<plan::Pending>& pending) const {
  for (const auto& output_variable : variables_) {
    if (output_variable->file_axis < 0) continue;
    const sinks::SavedRecords records = saved_records(*output_variable, pending);
    routes_[output_variable->number].assembly->for_each_open(
        [&](std::int64_t spatial, std::int64_t record_chunk, std::span<const std::byte> cells,
            std::span<const codecs::lossy::Reached> reached) {
          records.save(saver, spatial, record_chunk, cells);
          records.save_reached(saver, spatial, record_chunk, reached);
        });
  }
}

void Router::load(const model::StateLoader& loader, const std::vector<plan::Pending>& pending) {
  for (const auto& output_variable : variables_) {
    const sinks::SavedRecords records = saved_records(*output_variable, pending);
    const bool is_unsaved = parts_.blueprint.plan.files[output_variable->file].is_unsaved;
    if (output_variable->file_axis < 0 || records.none() || is_unsaved) continue;
    const Route& route = routes_[output_variable->number];
    const output::ChunkGrid& grid = route.geometry->grid();
    for (std::int64_t spatial = 0; spatial < grid.chunks_per_record(); ++spatial) {
      for (std::int64_t record = records.first(); record < records.end(); ++record) {
        if (owners_.of_chunk(route.variable, spatial, record / grid.records_per_chunk) !=
            parts_.control.rank())
          continue;
        const auto cells = records.load(loader, spatial, record);
        const model::Segment all{0, 0, grid.box(spatial).size()};
        route.assembly->add_kept(record, spatial, cells, std::span(&all, 1),
                                 records.load_reached(loader, spatial, record));
      }
    }
  }
}

}  // namespace tailrace::pipeline::routing
