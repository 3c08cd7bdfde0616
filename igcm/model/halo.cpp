#include <algorithm>
#include <unordered_map>

#include "fetch.hpp"
#include "part.hpp"

namespace igcm::model {
namespace {

using Numbers = std::vector<std::int32_t>;

int owner_of(const Part& part, std::int64_t vertex) {
  return static_cast<int>(std::ranges::upper_bound(part.first_of_rank, vertex) - part.first_of_rank.begin()) -
         1;
}

}  // namespace

Halo::Neighbour& Halo::neighbour(int rank) {
  const auto found = std::ranges::find(neighbours_, rank, &Neighbour::rank);
  if (found != neighbours_.end()) return *found;
  neighbours_.emplace_back().rank = rank;
  return neighbours_.back();
}

Halo::Halo(const Part& part, bool cells, MPI_Comm comm) : comm_(comm) {
  const std::size_t ranks = part.first_of_rank.size() - 1;
  // Both kinds in turn: local numbers of the halo, global numbers that go to the owner, local numbers that it
  // sends.
  const auto connect = [&](const Numbers& numbers, std::int64_t own, int each, Numbers Neighbour::*in,
                           Numbers Neighbour::*out) {
    std::vector<Numbers> wanted(ranks);
    for (auto k = static_cast<std::size_t>(own); k < numbers.size(); ++k) {
      const int owner = owner_of(part, numbers[k] / each);
      wanted[static_cast<std::size_t>(owner)].push_back(numbers[k]);
      (neighbour(owner).*in).push_back(static_cast<std::int32_t>(k));
    }
    std::unordered_map<std::int32_t, std::int32_t> at;
    for (std::int32_t k = 0; k < own; ++k) at.emplace(numbers[static_cast<std::size_t>(k)], k);
    const std::vector<Numbers> asked = lists_for_others(wanted, comm);
    for (std::size_t r = 0; r < ranks; ++r)
      for (const std::int32_t number : asked[r])
        (neighbour(static_cast<int>(r)).*out).push_back(at.at(number));
  };
  if (cells)
    connect(part.cell_numbers, part.own_cells, 2, &Neighbour::points_in, &Neighbour::points_out);
  else
    connect(part.vertex_numbers, part.own_vertices, 1, &Neighbour::points_in, &Neighbour::points_out);
  connect(part.edge_numbers, part.own_edges, 3, &Neighbour::edges_in, &Neighbour::edges_out);
  for (Neighbour& one : neighbours_) {
    one.outgoing.resize(one.points_out.size() + one.edges_out.size());
    one.incoming.resize(one.points_in.size() + one.edges_in.size());
  }
}

void Halo::begin(std::vector<double>& at_points, std::vector<double>& at_edges) {
  points_ = &at_points;
  edges_ = &at_edges;
  requests_.clear();
  for (Neighbour& one : neighbours_) {
    std::size_t k = 0;
    for (const std::int32_t v : one.points_out) one.outgoing[k++] = at_points[static_cast<std::size_t>(v)];
    for (const std::int32_t e : one.edges_out) one.outgoing[k++] = at_edges[static_cast<std::size_t>(e)];
    MPI_Irecv(one.incoming.data(), static_cast<int>(one.incoming.size()), MPI_DOUBLE, one.rank, 0, comm_,
              &requests_.emplace_back());
    MPI_Isend(one.outgoing.data(), static_cast<int>(one.outgoing.size()), MPI_DOUBLE, one.rank, 0, comm_,
              &requests_.emplace_back());
  }
}

void Halo::end() {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  for (const Neighbour& one : neighbours_) {
    std::size_t k = 0;
    for (const std::int32_t v : one.points_in) (*points_)[static_cast<std::size_t>(v)] = one.incoming[k++];
    for (const std::int32_t e : one.edges_in) (*edges_)[static_cast<std::size_t>(e)] = one.incoming[k++];
  }
}

}  // namespace igcm::model
