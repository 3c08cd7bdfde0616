#include "analytics/operators/support/kept_pieces.hpp"

#include <algorithm>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/walk.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::operators {
namespace {

std::vector<std::byte> key_of(const model::Region& region) {
  base::ByteWriter key;
  for (std::size_t d = 0; d < region.rank(); ++d) key.put_all(std::span<const model::Run>(region.runs(d)));
  return key.take();
}

model::Region region_of(std::span<const std::byte> key, std::size_t rank) {
  base::ByteReader reader(key);
  std::vector<model::Runs> runs(rank);
  for (model::Runs& along : runs) along = reader.get_all<model::Run>();
  return model::Region(std::move(runs));
}

void extend(model::Box& box, const Dims& dims) {
  for (const Dim& dim : dims) {
    box.offset.push_back(0);
    box.count.push_back(dim.extent);
  }
}

}  // namespace

KeptPieces::KeptPieces(const Dims& kept, const Dims& made, Make make) : make_(std::move(make)) {
  extend(kept_, kept);
  whole_ = model::Region::of_box(kept_);
  result_ = kept_;
  extend(result_, made);
}

KeptPieces::Piece& KeptPieces::added(model::Region region) {
  std::vector<std::byte> key = key_of(region);
  auto cells = make_(static_cast<std::size_t>(region.size()));
  last_ = pieces_.size();
  return pieces_.emplace_back(
      Piece{.region = std::move(region), .key = std::move(key), .cells = std::move(cells), .used = false});
}

Cells& KeptPieces::of(const model::Region& kept) {
  // Blocks arrive in the same order at each step, so the piece after the last one is the most likely.
  for (std::size_t tried = 0; tried < pieces_.size(); ++tried) {
    Piece& piece = pieces_[(last_ + tried) % pieces_.size()];
    if (piece.region != kept) continue;
    last_ = (last_ + tried) % pieces_.size();
    piece.used = true;
    return *piece.cells;
  }
  Piece& piece = added(kept);
  piece.used = true;
  return *piece.cells;
}

void KeptPieces::merge(std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  for (auto left = reader.get<std::uint32_t>(); left > 0; --left) {
    const auto key = reader.take(reader.get<std::uint32_t>());
    const base::ByteReader state(reader.take(reader.get<std::uint64_t>()));
    auto piece = std::find_if(pieces_.begin(), pieces_.end(),
                              [&](const Piece& known) { return std::ranges::equal(known.key, key); });
    Piece& into = piece == pieces_.end() ? added(region_of(key, kept_.count.size())) : *piece;
    into.used = true;
    into.cells->merge(state);
  }
}

std::vector<std::byte> KeptPieces::to_bytes() const {
  base::ByteWriter bytes;
  bytes.put(static_cast<std::uint32_t>(
      std::count_if(pieces_.begin(), pieces_.end(), [](const Piece& piece) { return piece.used; })));
  for (const Piece& piece : pieces_) {
    if (!piece.used) continue;
    base::ByteWriter state;
    piece.cells->write(state);
    bytes.put(static_cast<std::uint32_t>(piece.key.size()));
    bytes.put_bytes(piece.key);
    bytes.put(static_cast<std::uint64_t>(state.bytes().size()));
    bytes.put_bytes(state.bytes());
  }
  return bytes.take();
}

void KeptPieces::clear() {
  for (Piece& piece : pieces_) {
    if (piece.used) piece.cells->clear();
    piece.used = false;
  }
}

const Cells* KeptPieces::covers_all() const {
  const Piece* only = nullptr;
  for (const Piece& piece : pieces_) {
    if (!piece.used) continue;
    if (only != nullptr) return nullptr;
    only = &piece;
  }
  return only != nullptr && only->region == whole_ ? only->cells.get() : nullptr;
}

bool KeptPieces::overlap() const {
  if (std::count_if(pieces_.begin(), pieces_.end(), [](const Piece& piece) { return piece.used; }) < 2)
    return false;
  std::vector<bool> covered(static_cast<std::size_t>(kept_.size()), false);
  for (const Piece& piece : pieces_) {
    if (!piece.used) continue;
    for (const model::Segment& part : model::intersect(piece.region, kept_))
      for (std::int64_t i = 0; i < part.count; ++i) {
        auto cell = covered[base::index(part.target + i)];
        if (cell) return true;
        cell = true;
      }
  }
  return false;
}

void KeptPieces::collect(std::span<double> values) const {
  const std::size_t width = values.size() / static_cast<std::size_t>(kept_.size());
  std::vector<double> part_values;
  for (const Piece& piece : pieces_) {
    if (!piece.used) continue;
    part_values.resize(static_cast<std::size_t>(piece.region.size()) * width);
    piece.cells->results(part_values);
    for (const model::Segment& part : model::intersect(piece.region, kept_))
      std::copy_n(part_values.begin() + part.source * static_cast<std::int64_t>(width),
                  part.count * static_cast<std::int64_t>(width),
                  values.begin() + part.target * static_cast<std::int64_t>(width));
  }
}

Array KeptPieces::finish() const {
  Array result{model::Region::of_box(result_), std::vector<double>(static_cast<std::size_t>(result_.size()))};
  if (result.values.empty()) return result;
  if (const Cells* all = covers_all()) {
    all->results(result.values);
    return result;
  }
  if (overlap()) {
    const auto whole = make_(static_cast<std::size_t>(kept_.size()));
    for (const Piece& piece : pieces_) {
      if (!piece.used) continue;
      for (const model::Segment& part : model::intersect(piece.region, kept_))
        whole->merge(*piece.cells, static_cast<std::size_t>(part.source),
                     static_cast<std::size_t>(part.target), static_cast<std::size_t>(part.count));
    }
    whole->results(result.values);
    return result;
  }
  const auto nothing = make_(1);
  std::vector<double> of_nothing(nothing->width());
  nothing->results(of_nothing);
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] = of_nothing[i % of_nothing.size()];
  collect(result.values);
  return result;
}

KeptPartial::KeptPartial(std::vector<bool> consumed, KeptPieces pieces)
    : consumed_(std::move(consumed)), pieces_(std::move(pieces)) {}

void KeptPartial::begin(const model::Region& kept) {
  if (kept.size() > 0) cells_ = static_cast<ValueCells*>(&pieces_.of(kept));
}

void KeptPartial::add(std::span<const ConstArray> arguments) {
  const ConstArray& block = arguments[0];
  const Stretches stretches(block.region->counts(), consumed_);
  if (block.region->size() == 0) return;
  begin(kept_of(*block.region, consumed_));
  const auto length = static_cast<std::size_t>(stretches.length);
  if (stretches.into_one)
    stretches.for_each(
        [&](std::size_t at, std::size_t cell) { add_row(cell, block.values.subspan(at, length)); });
  else
    stretches.for_each(
        [&](std::size_t at, std::size_t cell) { add_cells(cell, block.values.subspan(at, length)); });
}

std::unique_ptr<Partial> kept_partial(const Call& call, KeptPieces::Make make, const Dims& made) {
  std::vector<bool> consumed = consumed_dims(call);
  const Dims kept = without(call, consumed).dims;
  return std::make_unique<KeptPartial>(std::move(consumed), KeptPieces(kept, made, std::move(make)));
}

}  // namespace tailrace::analytics::operators
