#include "pipeline/checkpoints/pieces.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "model/kept_value.hpp"

namespace tailrace::pipeline::checkpoints {
namespace {

constexpr std::size_t bundle_bytes = std::size_t{4} << 20;

std::size_t owner_by_name(const std::string& array, int servers) {
  const auto digest = base::digest(std::as_bytes(std::span(array.data(), array.size())));
  return static_cast<std::size_t>(digest % static_cast<std::uint64_t>(servers));
}

}  // namespace

Owners owners_of_fields(const plan::Plan& plan, const model::Declarations& declarations, int servers) {
  std::vector<std::pair<std::size_t, std::string>> arrays;
  for (std::size_t f = 0; f < plan.fields.size(); ++f) {
    if (!plan.fields[f].kept) continue;
    const model::StateArray array = model::kept_array(declarations, static_cast<int>(f));
    std::size_t bytes = model::size_of(array.type);
    for (const std::int64_t extent : array.shape) bytes *= static_cast<std::size_t>(extent);
    arrays.emplace_back(bytes, array.name);
  }
  std::ranges::sort(arrays, std::greater{});
  std::vector<std::size_t> load(static_cast<std::size_t>(servers), 0);
  Owners owners;
  for (const auto& [bytes, name] : arrays) {
    const auto least = std::ranges::min_element(load);
    *least += bytes;
    owners.emplace(name, static_cast<std::size_t>(least - load.begin()));
  }
  return owners;
}

PieceSender::PieceSender(ControlChannel& control, const Owners& owners, std::function<void(OwnPiece&&)> keep)
    : control_(control),
      owners_(owners),
      keep_(std::move(keep)),
      bundles_(static_cast<std::size_t>(control.size())) {}

std::size_t PieceSender::owner_of(const std::string& array) const {
  const auto known = owners_.find(array);
  return known != owners_.end() ? known->second : owner_by_name(array, control_.size());
}

void PieceSender::hand_over(OwnPiece&& piece) {
  if (owner_of(piece.array.name) == static_cast<std::size_t>(control_.rank())) return keep_(std::move(piece));
  save(piece.array, piece.region, piece.values);
}

void PieceSender::save(const model::StateArray& array, const model::Region& region,
                       std::span<const std::byte> values) {
  const std::size_t owner = owner_of(array.name);
  base::ByteWriter& bundle = bundles_[owner];
  bundle.put_text(array.name);
  bundle.put(array.type);
  bundle.put(static_cast<std::int64_t>(array.dims.size()));
  for (const std::string& dim : array.dims) bundle.put_text(dim);
  bundle.put_all(std::span<const std::int64_t>(array.shape));
  for (std::size_t d = 0; d < region.rank(); ++d) bundle.put_all(std::span<const model::Run>(region.runs(d)));
  bundle.put_all(values);
  if (bundle.bytes().size() >= bundle_bytes) send(owner);
}

void PieceSender::send(std::size_t owner) {
  if (bundles_[owner].bytes().empty()) return;
  control_.messenger().send(static_cast<int>(owner), control_.kind(ControlMessage::state),
                            bundles_[owner].take());
  bundles_[owner] = {};
  ++sent_;
}

std::size_t PieceSender::finish() {
  for (std::size_t owner = 0; owner < bundles_.size(); ++owner) send(owner);
  return sent_;
}

void unpack(std::span<const std::byte> bundle, model::StateSaver& into) {
  base::ByteReader reader(bundle);
  while (!reader.rest().empty()) {
    model::StateArray array;
    array.name = reader.get_text();
    array.type = reader.get<model::DataType>();
    const auto dims = reader.get<std::int64_t>();
    for (std::int64_t d = 0; d < dims; ++d) array.dims.push_back(reader.get_text());
    array.shape = reader.get_all<std::int64_t>();
    std::vector<model::Runs> runs;
    for (std::int64_t d = 0; d < dims; ++d) runs.push_back(reader.get_all<model::Run>());
    const auto values = reader.get_all<std::byte>();
    into.save(array, model::Region(std::move(runs)), values);
  }
}

}  // namespace tailrace::pipeline::checkpoints
