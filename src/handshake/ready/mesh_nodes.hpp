// Nodes of meshes that ranks gave in parts: each goes to the rank in whose share it lies, which hands it over
// to the servers. No rank ever has more than its share and what it gave.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/declarer.hpp"
#include "comm/communicator.hpp"
#include "handshake/connection.hpp"

namespace tailrace::handshake {

// To each rank whose share has nodes that this rank gave, those nodes of one mesh.
struct NodePacket {
  int to = 0;
  std::vector<std::byte> bytes;
};
std::vector<NodePacket> node_packets(const std::vector<client::GivenNodes>& given, int ranks);

// What is wrong with the nodes of a mesh, within the shares of some neighbouring ranks.
struct NodeFindings {
  std::int64_t missing = 0, first_missing = -1;
  std::string conflict;  // of a node that two ranks gave differently: the first of the first such rank

  void add(const NodeFindings& of_next_ranks);
};

// By mesh, as a word up the tree.
std::vector<std::byte> findings_word(const std::vector<NodeFindings>& findings);
// Throws the fault of a rank that could not go on.
void add_findings(std::vector<NodeFindings>& findings, const std::vector<std::byte>& word);
// Throws Error(usage) where something was found.
void refuse_findings(const std::vector<NodeFindings>& findings,
                     const std::vector<client::GivenNodes>& meshes);

// The share of one rank, as it comes in.
class NodeShares {
 public:
  // `meshes`: what the rank gave itself, which tells the size of each mesh.
  NodeShares(const std::vector<client::GivenNodes>& meshes, int rank, int ranks);

  void take(int from, std::vector<std::byte> packet);
  // Once all is there: by mesh. Whatever came first, the ranks are looked at in their order.
  std::vector<NodeFindings> join();
  std::vector<client::StaticValues> values() const;  // to be handed over, once it is joined

 private:
  struct Share {
    client::NodeShare nodes;
    std::vector<double> x, y;
    std::vector<std::int32_t> giver;  // by node; -1: nobody so far
  };
  void place(int from, const std::vector<std::byte>& packet, std::vector<NodeFindings>& findings);

  const std::vector<client::GivenNodes>& meshes_;
  std::vector<Share> shares_;
  std::vector<std::pair<int, std::vector<std::byte>>> packets_;  // with the rank they came from
};

// The packets of all ranks on their way. A rank is through with it when all that it sent has arrived, and all
// have arrived when all ranks are through.
class NodeExchange {
 public:
  NodeExchange(comm::Communicator& component, const std::vector<client::GivenNodes>& given);
  bool progress();  // whether all that this rank sent has arrived
  NodeShares& shares() { return shares_; }

 private:
  comm::Communicator& component_;
  NodeShares shares_;
  std::vector<Sending> sendings_;
  std::size_t under_way_ = 0;
};

}  // namespace tailrace::handshake
