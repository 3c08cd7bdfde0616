// Cuts the records of input fields into what each client gets: the values of its blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "input/record_values.hpp"
#include "model/declarations.hpp"
#include "model/overlap.hpp"

namespace tailrace::server {

// The owner of a record sends each server one message for all of its clients. For each client it holds the
// payload of a packet `input_record`, in the order of the clients. If every rank has the whole grid, there is
// one payload for all.
//
// Safe from several threads. The overlaps of the clients' regions with the grid are computed once for each
// server that asks, so a server whose entries nobody needs computes none.
class RecordCut {
 public:
  // `clients`: by server, the ranks in the component, ascending. The declarations and the decomposition must
  // live longer.
  RecordCut(const model::Declarations& declarations, const model::Decomposition& decomposition,
            std::vector<std::vector<int>> clients);

  const std::vector<std::vector<int>>& clients() const { return clients_; }

  // The payload of one client, in a message.
  struct Place {
    std::size_t begin = 0, bytes = 0;
  };
  std::size_t bytes(const input::PreparedField& field, int server) const;          // of the message
  std::vector<Place> places(const input::PreparedField& field, int server) const;  // by client of the server
  std::size_t record_bytes(const input::PreparedField& field) const;               // of the whole record
  // Fills the message. Throws Error(internal) if the record has another size than the grid.
  void cut(const input::PreparedField& field, const input::RecordValues& record, int server,
           std::span<std::byte> message) const;

 private:
  struct Block {
    model::Overlap overlap;  // with the whole grid
    std::int64_t begin = 0;  // in the values of the client
  };
  struct Share {
    std::int64_t cells = 0;
    std::vector<Block> blocks;
  };
  // The shares of the clients of one server in a grid; a single one if all have the whole.
  struct Shares {
    std::once_flag once;
    bool is_whole = false;
    std::vector<Share> of_clients;
  };
  // Bytes of a cell: its value, and its level if levels come with the records.
  struct Cell {
    std::size_t value = 0, level = 0;
    std::size_t payload(std::int64_t cells) const;
  };
  // The grid as the records have it: with the file's levels, if there are any.
  struct Shape {
    std::vector<std::int64_t> extents;
    int levels_dim = -1;  // the dim that has the file's levels; -1: none
    std::int64_t cells() const;
  };

  Shape shape_of(const input::PreparedField& field) const;
  const Shares& shares(const input::PreparedField& field, int server) const;
  void make(int grid, const Shape& shape, int server, Shares& shares) const;
  Share share_of(int grid, const Shape& shape, int client) const;
  static Cell cell_of(const input::PreparedField& field);

  const model::Declarations& declarations_;
  const model::Decomposition& decomposition_;
  std::vector<std::vector<int>> clients_;
  std::vector<std::vector<int>> parts_;            // by rank of the component
  using Key = std::tuple<int, std::int64_t, int>;  // grid, levels of the file or -1, server
  mutable std::mutex mutex_;                       // guards the map, not its values
  mutable std::map<Key, Shares> shares_;
};

}  // namespace tailrace::server
