// What servers tell each other of blocks and of whole arrays.
#include <algorithm>
#include <limits>

#include "analytics/engine_blocks.hpp"
#include "analytics/engine_regions.hpp"
#include "base/bytes.hpp"

namespace tailrace::analytics {
namespace {

void put(base::ByteWriter& writer, const Absences& absences) {
  writer.put(static_cast<std::int32_t>(absences.size()));
  for (const Absence& absence : absences) {
    writer.put(static_cast<std::int32_t>(absence.member));
    writer.put_text(absence.why);
  }
}

Absences get_absences(base::ByteReader& reader) {
  Absences absences(static_cast<std::size_t>(reader.get<std::int32_t>()));
  for (Absence& absence : absences) {
    absence.member = reader.get<std::int32_t>();
    absence.why = reader.get_text();
  }
  return absences;
}

void put(base::ByteWriter& writer, const Value& value) {
  put(writer, value.absences);
  writer.put(value.present);
  writer.put(value.type);
  writer.put_all(std::span<const std::byte>(value.bytes));
}

Value get_value(base::ByteReader& reader) {
  Value value;
  value.absences = get_absences(reader);
  value.present = reader.get<bool>();
  value.type = reader.get<model::DataType>();
  value.bytes = reader.get_all<std::byte>();
  return value;
}

}  // namespace

void Engine::Blocks::merge_lanes(Work& work, std::size_t phase) const {
  auto& lanes = work.lanes[phase];
  for (std::size_t lane = 1; lane < lanes.size(); ++lane) {
    for (std::size_t n = 0; n < lanes[lane].partials.size(); ++n) {
      add(lanes.front().absences[n], lanes[lane].absences[n]);
      lanes[lane].absences[n].clear();
      if (!lanes[lane].partials[n]) continue;
      partial(lanes.front(), static_cast<int>(n)).merge(lanes[lane].partials[n]->to_bytes());
      lanes[lane].partials[n]->clear();
    }
  }
}

messaging::Bytes Engine::Blocks::contribution(Work& work, std::size_t phase, const RootPlan& root) const {
  merge_lanes(work, phase);
  base::ByteWriter writer;
  const Lane& lane = work.lanes[phase].front();
  for (const int node : root.reductions) {
    put(writer, lane.absences[at(node)]);
    const auto& partial = lane.partials[at(node)];
    writer.put_all(std::span<const std::byte>(partial ? partial->to_bytes() : std::vector<std::byte>()));
  }
  for (const int node : root.gathered) {
    writer.put(static_cast<std::int32_t>(clients_.size()));
    for (std::size_t c = 0; c < clients_.size(); ++c) {
      writer.put(static_cast<std::int32_t>(clients_[c]));
      put(writer, work.clients[c].nodes[at(node)]);
    }
  }
  return writer.take();
}

void Engine::Blocks::take_contribution(Work&, const RootPlan& root, const messaging::Bytes& part, Lane& lane,
                                       std::map<int, std::vector<std::pair<int, Value>>>& blocks) const {
  base::ByteReader reader(part);
  for (const int node : root.reductions) {
    add(lane.absences[at(node)], get_absences(reader));
    const auto bytes = reader.get_all<std::byte>();
    if (!bytes.empty()) partial(lane, node).merge(bytes);
  }
  for (const int node : root.gathered)
    for (auto count = reader.get<std::int32_t>(); count > 0; --count) {
      const auto client = reader.get<std::int32_t>();
      blocks[node].emplace_back(client, get_value(reader));
    }
}

void Engine::Blocks::gather_blocks(Work& work, int number,
                                   const std::vector<std::pair<int, Value>>& blocks) const {
  const Shape& shape = node(number).shape;
  Value& whole = work.globals[at(number)];
  const auto doubles = whole.make(static_cast<std::size_t>(shape.size()));
  std::fill(doubles.begin(), doubles.end(), std::numeric_limits<double>::quiet_NaN());
  const model::Box box = whole_box(shape);
  const auto& regions = layout_.regions[at(bundled_.placement.cut[at(number)])];
  for (const auto& [client, block] : blocks) {
    if (!block.present) return whole.absent(block.absences);
    const std::vector<double> from = block.as_doubles();
    for (const model::Segment& segment : model::intersect(regions[at(client)], box))
      std::copy_n(from.begin() + segment.source, segment.count, doubles.begin() + segment.target);
  }
}

messaging::Bytes Engine::Blocks::announcement(const Work& work, const RootPlan& root) const {
  base::ByteWriter writer;
  for (const int node : root.broadcast) put(writer, work.globals[at(node)]);
  return writer.take();
}

void Engine::Blocks::take_announcement(Work& work, const RootPlan& root,
                                       const messaging::Bytes& message) const {
  base::ByteReader reader(message);
  for (const int node : root.broadcast) work.globals[at(node)] = get_value(reader);
}

}  // namespace tailrace::analytics
