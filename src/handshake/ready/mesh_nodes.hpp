// Redistribution of mesh nodes that ranks gave in parts: each node is sent to the rank that owns it, which
// passes it to the servers. A rank never holds more than the nodes that it gave and those that it owns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/declarer.hpp"
#include "comm/communicator.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {

// The nodes of one mesh that this rank gave and rank `to` owns.
struct NodePacket {
  int to = 0;
  std::vector<std::byte> bytes;
};
std::vector<NodePacket> node_packets(const std::vector<client::GivenNodes>& given, int ranks);

// Errors in the nodes of a mesh that some consecutive ranks own.
struct NodeFindings {
  std::int64_t missing = 0, first_missing = -1;
  std::string conflict;  // the message about the first node that two ranks gave differently

  void add(const NodeFindings& of_next_ranks);
};

// `findings` by mesh, as a message up the tree.
std::vector<std::byte> findings_message(const std::vector<NodeFindings>& findings);
// Throws the fault of a rank that gave up.
void add_findings(std::vector<NodeFindings>& findings, const std::vector<std::byte>& message);
// Throws Error(usage) if there are errors.
void refuse_findings(const std::vector<NodeFindings>& findings,
                     const std::vector<client::GivenNodes>& meshes);

// The nodes that one rank owns.
class NodeShares {
 public:
  // `meshes`: the nodes that the rank gave itself, with the size of each mesh.
  NodeShares(const std::vector<client::GivenNodes>& meshes, int rank, int ranks);

  void take(int from, std::vector<std::byte> packet);
  // Called when all packets have arrived. Merges them in rank order, so the result does not depend on the
  // order of arrival. Returns the errors by mesh.
  std::vector<NodeFindings> join();
  std::vector<client::StaticValues> values() const;  // the coordinates of the nodes, after join()

 private:
  struct Share {
    client::NodeShare nodes;
    std::vector<double> x, y;
    std::vector<std::int32_t> giver;  // by node: the first rank that gave it; -1: none so far
  };
  void place(int from, const std::vector<std::byte>& packet, std::vector<NodeFindings>& findings);

  const std::vector<client::GivenNodes>& meshes_;
  std::vector<Share> shares_;
  std::vector<std::pair<int, std::vector<std::byte>>> packets_;  // with their sources
};

// Exchange of the packets of all ranks. A rank does not know how many packets it will receive, so each packet
// is acknowledged: when all ranks have all their acknowledgements (see messaging::barrier()), every packet
// has arrived.
class NodeExchange {
 public:
  NodeExchange(comm::Communicator& component, const std::vector<client::GivenNodes>& given);
  bool progress();  // true if all packets of this rank have been acknowledged
  NodeShares& shares() { return shares_; }

 private:
  comm::Communicator& component_;
  NodeShares shares_;
  std::vector<messaging::Sending> sendings_;
  std::size_t under_way_ = 0;
};

}  // namespace tailrace::handshake
