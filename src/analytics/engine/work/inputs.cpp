#include "analytics/engine/work/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::engine::work {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Inputs::Inputs(StepValues& values)
    : values_(values),
      plan_(values.plan()),
      rows_(plan_.layout().clients.size(), std::vector<Row>(plan_.nodes())) {}

void Inputs::open() {
  for (int node = 0; base::index(node) < plan_.nodes(); ++node) {
    if (plan_.node(node).kind != NodeKind::input || !plan_.several(node)) continue;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      const std::size_t members = plan_.members(node).size();
      const std::span<double> room =
          values_.of_client(c, node).make(static_cast<std::size_t>(plan_.region(node, c).size()));
      Row& row = rows_[c][base::index(node)];
      row.values = room.data();
      row.members = members;
      row.cells = room.size() / members;
      row.arrived.assign(members, 0);
    }
  }
}

void Inputs::take(int input, std::size_t client, model::DataType type, std::span<const std::byte> payload) {
  const planning::Bundled::Position position = plan_.position(input);
  const auto fill = plan_.may_lack(input) ? plan_.layout().fills[base::index(input)] : std::nullopt;
  Row& row = rows_[client][base::index(position.node)];
  if (row.members == 0) {
    values_.of_client(client, position.node).put(type, payload, fill);
    return;
  }
  TAILRACE_ASSERT(
      payload.size() == row.cells * model::size_of(type) && base::index(position.member) < row.members,
      "a block of another size");
  double* const room = row.values + base::index(position.member) * row.cells;
  if (type == model::DataType::float64 && !fill)
    std::memcpy(room, payload.data(), payload.size());
  else
    convert(type, payload, fill, room);
  row.arrived[base::index(position.member)] = 1;
}

// No other data are written to the place of the block, so it stays valid when the step's memory is reused.
void Inputs::take_fixed(int input, std::size_t client, model::DataType type,
                        std::span<const std::byte> payload) {
  const planning::Bundled::Position position = plan_.position(input);
  if (position.node < 0) return;
  Row& row = rows_[client][base::index(position.node)];
  row.fixed.resize(std::max<std::size_t>(row.members, 1), 0);
  char& is_here = row.fixed[row.members == 0 ? 0 : base::index(position.member)];
  if (is_here == 0) {
    take(input, client, type, payload);
    is_here = 1;
  } else if (row.members == 0) {
    values_.of_client(client, position.node).present = true;
  } else {
    row.arrived[base::index(position.member)] = 1;
  }
}

std::string Inputs::not_put(std::size_t client, int original) const {
  return fmt::format("rank {} of the model did not put \"{}\" at step {}", plan_.layout().clients[client],
                     plan_.layout().graph.nodes[base::index(original)].name, values_.tick.step);
}

void Inputs::close() {
  for (int node = 0; base::index(node) < plan_.nodes(); ++node) {
    if (plan_.node(node).kind != NodeKind::input || plan_.place(node) == Place::known) continue;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      // A replicated field comes from the first rank only.
      if (plan_.place(node) != Place::local && plan_.layout().clients[c] != 0) break;
      close_block(node, c);
      values_.bytes += values_.of_client(c, node).bytes.size();
    }
  }
}

void Inputs::close_block(int node, std::size_t client) {
  Value& value = values_.of_client(client, node);
  const auto& members = plan_.members(node);
  // Ranks without cells put nothing.
  if (plan_.place(node) == Place::local && plan_.region(node, client).size() == 0) {
    value.make(0);
  } else if (members.size() == 1) {
    if (!value.present) value.absent({{.member = 0, .why = not_put(client, members.front())}});
  } else {
    const Row& row = rows_[client][base::index(node)];
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (row.arrived[m]) continue;
      std::fill_n(row.values + m * row.cells, row.cells, nan);
      value.absences.push_back({.member = static_cast<int>(m), .why = not_put(client, members[m])});
    }
  }
}

}  // namespace tailrace::analytics::engine::work
