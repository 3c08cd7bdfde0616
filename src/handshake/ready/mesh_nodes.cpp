#include "handshake/ready/mesh_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {
namespace {

// Tags on the component's communicator.
constexpr int packet_tag = 4;
constexpr int arrived_tag = 5;

// The contents of a packet: nodes of one mesh with one owner.
struct Nodes {
  std::int32_t mesh = 0;
  std::vector<std::int32_t> places;  // index among the nodes of the owner
  std::vector<double> x, y;

  std::vector<std::byte> to_bytes() const {
    base::ByteWriter out;
    out.put(mesh);
    out.put_all(std::span<const std::int32_t>(places));
    out.put_all(std::span<const double>(x));
    out.put_all(std::span<const double>(y));
    return out.take();
  }
  static Nodes from_bytes(std::span<const std::byte> bytes) {
    base::ByteReader in(bytes);
    Nodes nodes;
    nodes.mesh = in.get<std::int32_t>();
    nodes.places = in.get_all<std::int32_t>();
    nodes.x = in.get_all<double>();
    nodes.y = in.get_all<double>();
    TAILRACE_ASSERT(nodes.x.size() == nodes.places.size() && nodes.y.size() == nodes.places.size(),
                    "a node has two coordinates");
    return nodes;
  }
};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

std::vector<NodePacket> node_packets(const std::vector<client::GivenNodes>& given, int ranks) {
  std::vector<NodePacket> packets;
  for (std::size_t mesh = 0; mesh < given.size(); ++mesh) {
    const client::GivenNodes& own = given[mesh];
    std::vector<std::size_t> order(own.numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return own.numbers[i]; });
    for (auto next = order.begin(); next != order.end();) {
      const int to = client::rank_with_node(own.numbers[*next], own.nodes, ranks);
      const client::NodeShare share = client::node_share(own.nodes, to, ranks);
      Nodes nodes{static_cast<std::int32_t>(mesh), {}, {}, {}};
      for (; next != order.end() && own.numbers[*next] < share.begin + share.count; ++next) {
        nodes.places.push_back(static_cast<std::int32_t>(own.numbers[*next] - share.begin));
        nodes.x.push_back(own.x[*next]);
        nodes.y.push_back(own.y[*next]);
      }
      packets.push_back({to, nodes.to_bytes()});
    }
  }
  return packets;
}

void NodeFindings::add(const NodeFindings& of_next_ranks) {
  if (missing == 0) first_missing = of_next_ranks.first_missing;
  missing += of_next_ranks.missing;
  if (conflict.empty()) conflict = of_next_ranks.conflict;
}

std::vector<std::byte> findings_message(const std::vector<NodeFindings>& findings) {
  base::ByteWriter out;
  put_fault(out, std::nullopt);
  for (const NodeFindings& of_mesh : findings) {
    out.put(of_mesh.missing);
    out.put(of_mesh.first_missing);
    out.put_text(of_mesh.conflict);
  }
  return out.take();
}

void add_findings(std::vector<NodeFindings>& findings, const std::vector<std::byte>& message) {
  base::ByteReader in(message);
  if (const auto fault = get_fault(in)) throw Error(fault->code, fault->message);
  for (NodeFindings& of_mesh : findings) {
    NodeFindings next;
    next.missing = in.get<std::int64_t>();
    next.first_missing = in.get<std::int64_t>();
    next.conflict = in.get_text();
    of_mesh.add(next);
  }
}

void refuse_findings(const std::vector<NodeFindings>& findings,
                     const std::vector<client::GivenNodes>& meshes) {
  for (std::size_t m = 0; m < findings.size(); ++m) {
    const NodeFindings& found = findings[m];
    if (!found.conflict.empty()) throw Error(ErrorCode::usage, found.conflict);
    if (found.missing > 0)
      throw Error(
          ErrorCode::usage,
          fmt::format("mesh \"{}\": no rank gives {} of its {} nodes, the first of them node {} (counted "
                      "from {})",
                      meshes[m].mesh, found.missing, meshes[m].nodes,
                      found.first_missing + meshes[m].first_index, meshes[m].first_index));
  }
}

NodeShares::NodeShares(const std::vector<client::GivenNodes>& meshes, int rank, int ranks) : meshes_(meshes) {
  for (const client::GivenNodes& mesh : meshes) {
    Share& share = shares_.emplace_back();
    share.nodes = client::node_share(mesh.nodes, rank, ranks);
    const auto count = static_cast<std::size_t>(share.nodes.count);
    share.x.resize(count);
    share.y.resize(count);
    share.giver.assign(count, -1);
  }
}

void NodeShares::take(int from, std::vector<std::byte> packet) {
  packets_.emplace_back(from, std::move(packet));
}

std::vector<NodeFindings> NodeShares::join() {
  std::vector<NodeFindings> findings(shares_.size());
  std::ranges::stable_sort(packets_, {}, [](const auto& packet) { return packet.first; });
  for (const auto& [from, packet] : packets_) place(from, packet, findings);
  packets_.clear();
  for (std::size_t mesh = 0; mesh < shares_.size(); ++mesh) {
    const std::vector<std::int32_t>& giver = shares_[mesh].giver;
    findings[mesh].missing = std::ranges::count(giver, -1);
    if (findings[mesh].missing > 0)
      findings[mesh].first_missing =
          shares_[mesh].nodes.begin + (std::ranges::find(giver, -1) - giver.begin());
  }
  return findings;
}

void NodeShares::place(int from, const std::vector<std::byte>& packet, std::vector<NodeFindings>& findings) {
  const Nodes nodes = Nodes::from_bytes(packet);
  const auto mesh = base::index(nodes.mesh);
  TAILRACE_ASSERT(mesh < shares_.size(), fmt::format("rank {} sent nodes of mesh {}", from, nodes.mesh));
  Share& share = shares_[mesh];
  std::optional<std::size_t> first;  // the first node that an earlier rank gave differently
  for (std::size_t i = 0; i < nodes.places.size(); ++i) {
    const auto at = base::index(nodes.places[i]);
    TAILRACE_ASSERT(at < share.x.size(),
                    fmt::format("rank {} sent node {} of a share of {}", from, at, share.x.size()));
    if (share.giver[at] < 0) {
      share.giver[at] = from;
      share.x[at] = nodes.x[i];
      share.y[at] = nodes.y[i];
    } else if (!(same_bits(share.x[at], nodes.x[i]) && same_bits(share.y[at], nodes.y[i])) && !first) {
      first = i;
    }
  }
  std::string& conflict = findings[mesh].conflict;
  if (!first || !conflict.empty()) return;
  const auto at = base::index(nodes.places[*first]);
  conflict = fmt::format(
      "mesh \"{}\": rank {} gives node {} (counted from {}) at ({}, {}), but rank {} at ({}, {}); ranks that "
      "share a node must give the same bits",
      meshes_[mesh].mesh, share.giver[at],
      share.nodes.begin + static_cast<std::int64_t>(at) + meshes_[mesh].first_index,
      meshes_[mesh].first_index, share.x[at], share.y[at], from, nodes.x[*first], nodes.y[*first]);
}

std::vector<client::StaticValues> NodeShares::values() const {
  const auto bytes_of = [](const std::vector<double>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  std::vector<client::StaticValues> values;
  for (std::size_t mesh = 0; mesh < shares_.size(); ++mesh) {
    if (shares_[mesh].nodes.count == 0) continue;
    values.push_back({meshes_[mesh].x_field, bytes_of(shares_[mesh].x)});
    values.push_back({meshes_[mesh].y_field, bytes_of(shares_[mesh].y)});
  }
  return values;
}

NodeExchange::NodeExchange(comm::Communicator& component, const std::vector<client::GivenNodes>& given)
    : component_(component), shares_(given, component.rank(), component.size()) {
  for (NodePacket& packet : node_packets(given, component.size())) {
    if (packet.to == component.rank()) {
      shares_.take(packet.to, std::move(packet.bytes));
    } else {
      sendings_.emplace_back(component, std::move(packet.bytes), packet.to, packet_tag);
      ++under_way_;
    }
  }
}

bool NodeExchange::progress() {
  while (const auto incoming = component_.probe(comm::any, packet_tag)) {
    std::vector<std::byte> packet(incoming->bytes);
    component_.receive(packet, incoming->source, packet_tag);
    shares_.take(incoming->source, std::move(packet));
    sendings_.emplace_back(component_, std::vector<std::byte>{}, incoming->source, arrived_tag);
  }
  while (const auto incoming = component_.probe(comm::any, arrived_tag)) {
    component_.receive({}, incoming->source, arrived_tag);
    --under_way_;
  }
  std::erase_if(sendings_, [](messaging::Sending& sending) { return sending.done(); });
  return under_way_ == 0;
}

}  // namespace tailrace::handshake
