// The fifth part of ServedComponent: records in pieces, on their way to the owners of their chunks, and
// complete chunks on theirs to the owners of the files.
#include "base/bytes.hpp"
#include "session/component.hpp"
#include "session/stream.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::session {
namespace {

// Records smaller than this are put together where the file is; larger ones are spread over the servers.
constexpr std::size_t worth_spreading = std::size_t{64} << 10;
template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

int ServedComponent::chunk_owner(const Stream& stream, std::int64_t spatial,
                                 std::int64_t record_chunk) const {
  const int file = file_owner(stream.file);
  if (stream.record_bytes < worth_spreading) return file;
  const std::int64_t chunks = stream.geometry->grid().chunks_per_record();
  // Chunks of several records keep their owner, because it holds them open from commit to commit.
  const std::int64_t turn = stream.geometry->grid().records_per_chunk > 1 ? 0 : record_chunk * chunks;
  return static_cast<int>((file + static_cast<std::int64_t>(stream.variable) + spatial + turn) %
                          messenger_.size());
}

void ServedComponent::emit(Stream& stream, int client, std::int64_t record,
                           std::span<const std::byte> values) {
  const std::int64_t per_chunk = stream.geometry->grid().records_per_chunk;
  for (const Piece& piece : stream.geometry->pieces(client)) {
    const int owner = chunk_owner(stream, piece.spatial, record / per_chunk);
    if (owner != messenger_.rank()) {
      send_piece(stream, owner, client, record, piece, values);
      continue;
    }
    const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::assemble, services_.trace);
    stream.assembly->add(record, piece.spatial, values, piece.segments);
  }
}

struct ServedComponent::PieceHead {
  std::int64_t stream, record, spatial, client;
};

void ServedComponent::send_piece(const Stream& stream, int to, int client, std::int64_t record,
                                 const Piece& piece, std::span<const std::byte> values) {
  const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::message, services_.trace);
  const std::size_t element = model::size_of(stream.output);
  std::vector<std::byte> packed(static_cast<std::size_t>(piece.cells) * element);
  std::byte* to_byte = packed.data();
  for (const model::Segment& segment : piece.segments) {
    const std::size_t bytes = static_cast<std::size_t>(segment.count) * element;
    std::memcpy(to_byte, values.data() + static_cast<std::size_t>(segment.source) * element, bytes);
    to_byte += bytes;
  }
  const PieceHead head{static_cast<std::int64_t>(stream.number), record, piece.spatial, client};
  services_.counters.messages_sent.add();
  services_.counters.message_bytes_sent.add(packed.size());
  outbox_.add(to, piece_item, bytes_of(head), packed);
}

void ServedComponent::receive_piece(std::span<const std::byte> item) {
  if (fatal_ || over()) return;
  base::ByteReader reader(item);
  const auto head = reader.get<PieceHead>();
  std::vector<std::byte> packed(reader.rest().begin(), reader.rest().end());
  held_bytes_.fetch_add(packed.size(), std::memory_order_relaxed);
  work([this, head, packed = std::move(packed)] {
    const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::assemble, services_.trace);
    Stream& stream = *streams_[static_cast<std::size_t>(head.stream)];
    const Piece& piece = stream.geometry->piece(static_cast<int>(head.client), head.spatial);
    std::vector<model::Segment> segments = piece.segments;  // now from the packed order
    std::int64_t source = 0;
    for (model::Segment& segment : segments) {
      segment.source = source;
      source += segment.count;
    }
    stream.assembly->add(head.record, head.spatial, packed, segments);
    held_bytes_.fetch_sub(packed.size(), std::memory_order_relaxed);
  });
}

struct ServedComponent::ChunkHead {
  std::int64_t stream, spatial, record_chunk, records_end, filtered;
};

void ServedComponent::chunk_done(std::size_t number, output::FinishedChunk&& chunk) {
  const Stream& stream = *streams_[number];
  services_.counters.raw_bytes_out.add(static_cast<std::size_t>(stream.geometry->grid().cells_per_chunk() *
                                                                stream.geometry->grid().records_per_chunk) *
                                       model::size_of(stream.output));
  const int owner = file_owner(stream.file);
  if (owner != messenger_.rank()) {
    const ChunkHead head{static_cast<std::int64_t>(number), chunk.spatial, chunk.record_chunk,
                         chunk.records_end, chunk.filtered ? 1 : 0};
    services_.counters.messages_sent.add();
    services_.counters.message_bytes_sent.add(chunk.bytes.size());
    outbox_.add(owner, chunk_item, bytes_of(head), chunk.bytes);
    return;
  }
  held_bytes_.fetch_add(chunk.bytes.size(), std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  delivered_.push_back({stream.file, stream.variable, std::move(chunk)});
}

void ServedComponent::receive_chunk(std::span<const std::byte> item) {
  base::ByteReader reader(item);
  const auto head = reader.get<ChunkHead>();
  const Stream& stream = *streams_[static_cast<std::size_t>(head.stream)];
  files_[stream.file]->deliver(stream.variable, {head.spatial,
                                                 head.record_chunk,
                                                 head.records_end,
                                                 head.filtered != 0,
                                                 {reader.rest().begin(), reader.rest().end()}});
}

bool ServedComponent::take_delivered() {
  std::vector<Delivered> arrived;
  {
    const std::lock_guard lock(mutex_);
    arrived.swap(delivered_);
  }
  for (Delivered& next : arrived) {
    held_bytes_.fetch_sub(next.chunk.bytes.size(), std::memory_order_relaxed);
    files_[next.file]->deliver(next.variable, std::move(next.chunk));
  }
  return !arrived.empty();
}

}  // namespace tailrace::session
