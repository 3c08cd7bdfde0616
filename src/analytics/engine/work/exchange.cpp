#include "analytics/engine/work/exchange.hpp"

#include <algorithm>
#include <limits>

#include "analytics/engine/work/regions.hpp"
#include "base/bytes.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::engine::work {
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

void Exchange::merge_workers() {
  WorkerPartials& first = worker_partials_.front();
  for (std::size_t worker = 1; worker < worker_partials_.size(); ++worker) {
    for (std::size_t n = 0; n < worker_partials_[worker].partials.size(); ++n) {
      add(first.absences[n], worker_partials_[worker].absences[n]);
      worker_partials_[worker].absences[n].clear();
      if (!worker_partials_[worker].partials[n]) continue;
      values_.partial(first, static_cast<int>(n)).merge(worker_partials_[worker].partials[n]->to_bytes());
      worker_partials_[worker].partials[n]->clear();
    }
  }
}

messaging::Bytes Exchange::contribution(const planning::RootPlan& root) {
  merge_workers();
  base::ByteWriter writer;
  const WorkerPartials& worker = worker_partials_.front();
  for (const int node : root.reductions) {
    put(writer, worker.absences[base::index(node)]);
    const auto& partial = worker.partials[base::index(node)];
    writer.put_all(std::span<const std::byte>(partial ? partial->to_bytes() : std::vector<std::byte>()));
  }
  const auto& clients = plan_.layout().clients;
  for (const int node : root.gathered) {
    writer.put(static_cast<std::int32_t>(clients.size()));
    for (std::size_t c = 0; c < clients.size(); ++c) {
      writer.put(static_cast<std::int32_t>(clients[c]));
      put(writer, values_.of_client(c, node));
    }
  }
  return writer.take();
}

void Exchange::take_contribution(const planning::RootPlan& root, const messaging::Bytes& part,
                                 std::map<int, Blocks>& blocks) {
  base::ByteReader reader(part);
  WorkerPartials& worker = worker_partials_.front();
  for (const int node : root.reductions) {
    add(worker.absences[base::index(node)], get_absences(reader));
    const auto bytes = reader.get_all<std::byte>();
    if (!bytes.empty()) values_.partial(worker, node).merge(bytes);
  }
  for (const int node : root.gathered)
    for (auto count = reader.get<std::int32_t>(); count > 0; --count) {
      const auto client = reader.get<std::int32_t>();
      blocks[node].emplace_back(client, get_value(reader));
    }
}

void Exchange::collect(const planning::RootPlan& root, const std::vector<messaging::Bytes>& parts) {
  merge_workers();
  std::map<int, Blocks> blocks;
  for (std::size_t server = 0; server < parts.size(); ++server)
    if (static_cast<int>(server) != plan_.layout().server.rank)
      take_contribution(root, parts[server], blocks);
  const auto& clients = plan_.layout().clients;
  for (const int node : root.gathered) {
    for (std::size_t c = 0; c < clients.size(); ++c)
      blocks[node].emplace_back(clients[c], values_.of_client(c, node));
    gather_blocks(node, blocks[node]);
  }
  if (phase_ == 0) take_replicated();
  for (const int node : root.reductions) finish_reduction(node);
}

void Exchange::gather_blocks(int number, const Blocks& blocks) {
  const Shape& shape = plan_.node(number).shape;
  Value& whole = values_.global(number);
  const auto doubles = whole.make(static_cast<std::size_t>(shape.size()));
  std::fill(doubles.begin(), doubles.end(), std::numeric_limits<double>::quiet_NaN());
  const model::Box box = whole_box(shape);
  const auto& regions =
      plan_.layout().regions[base::index(plan_.bundled().placement.cut[base::index(number)])];
  for (const auto& [client, block] : blocks) {
    if (!block.present) return whole.absent(block.absences);
    const std::vector<double> from = block.as_doubles();
    for (const model::Segment& segment : model::intersect(regions[base::index(client)], box))
      std::copy_n(from.begin() + segment.source, segment.count, doubles.begin() + segment.target);
  }
}

// Takes replicated fields, which only the component's first rank puts.
void Exchange::take_replicated() {
  const auto& clients = plan_.layout().clients;
  if (clients.empty() || clients.front() != 0) return;
  for (int node = 0; base::index(node) < plan_.nodes(); ++node)
    if (plan_.node(node).kind == NodeKind::input && plan_.place(node) == Place::global &&
        plan_.bundled().placement.root[base::index(node)] == plan_.layout().server.rank)
      values_.global(node) = values_.of_client(0, node);
}

void Exchange::finish_reduction(int node) {
  WorkerPartials& worker = worker_partials_.front();
  Value& target = values_.global(node);
  add(target.absences, worker.absences[base::index(node)]);
  if (!target.absences.empty() && !plan_.several(node)) return;
  const Array result = values_.partial(worker, node).finish();
  std::copy(result.values.begin(), result.values.end(), target.make(result.values.size()).begin());
}

messaging::Bytes Exchange::announcement(const planning::RootPlan& root) const {
  base::ByteWriter writer;
  for (const int node : root.broadcast) put(writer, values_.global(node));
  return writer.take();
}

void Exchange::take_announcement(const planning::RootPlan& root, const messaging::Bytes& message) {
  base::ByteReader reader(message);
  for (const int node : root.broadcast) values_.global(node) = get_value(reader);
}

}  // namespace tailrace::analytics::engine::work
