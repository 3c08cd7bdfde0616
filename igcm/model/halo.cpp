#include "halo.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "fetch.hpp"
#include "part.hpp"

namespace igcm::model {
namespace {

LocalPoints owned_by_vertices(const Part& part, const std::vector<std::int32_t>& numbers, int each) {
  LocalPoints points{numbers, {}};
  for (const std::int32_t number : numbers) {
    const auto& first = part.first_of_rank;
    points.owners.push_back(
        static_cast<std::int32_t>(std::ranges::upper_bound(first, number / each) - first.begin()) - 1);
  }
  return points;
}

std::array<LocalPoints, locations> points_of(const Part& part) {
  return {owned_by_vertices(part, part.cell_numbers, 2), owned_by_vertices(part, part.edge_numbers, 3),
          owned_by_vertices(part, part.vertex_numbers, 1)};
}

// Calls use(value) for each level of each of these points.
template <class Use>
void for_values(const HaloField& field, const std::vector<std::int32_t>& points, const Use& use) {
  for (const std::int32_t point : points) {
    const std::ptrdiff_t block = field.block, p = point;
    double* first = field.values + p / block * field.levels * block + p % block;
    for (std::int32_t level = 0; level < field.levels; ++level) use(first[level * block]);
  }
}

}  // namespace

Halo::Halo(const std::array<LocalPoints, locations>& points, MPI_Comm comm) : comm_(comm) {
  MPI_Comm_rank(comm, &rank_);
  std::string mistake;
  for (int location = 0; location < locations; ++location)
    connect(location, points[static_cast<std::size_t>(location)], mistake);
  // All ranks fail together: one that went on would wait for the others.
  int wrong = mistake.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, comm);
  if (wrong != 0)
    throw std::invalid_argument(mistake.empty() ? "points do not fit on another rank" : mistake);
}

Halo::Halo(const Part& part, MPI_Comm comm) : Halo(points_of(part), comm) {}

Halo::Neighbour& Halo::neighbour(int rank) {
  const auto found = std::ranges::find(neighbours_, rank, &Neighbour::rank);
  if (found != neighbours_.end()) return *found;
  neighbours_.emplace_back().rank = rank;
  return neighbours_.back();
}

// Both sides list the points of a message in the order of the rank that receives it.
void Halo::connect(int location, const LocalPoints& points, std::string& mistake) {
  const auto at = static_cast<std::size_t>(location);
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  std::vector<Numbers> wanted(static_cast<std::size_t>(ranks));
  std::unordered_map<std::int32_t, std::int32_t> own;
  for (std::size_t k = 0; k < points.numbers.size(); ++k) {
    const std::int32_t owner = points.owners[k], place = static_cast<std::int32_t>(k);
    if (owner == rank_) {
      own.emplace(points.numbers[k], place);
      continue;
    }
    wanted.at(static_cast<std::size_t>(owner)).push_back(points.numbers[k]);
    neighbour(owner).in[at].push_back(place);
  }
  const std::vector<Numbers> asked = lists_for_others(wanted, comm_);
  for (std::size_t r = 0; r < asked.size(); ++r)
    for (const std::int32_t number : asked[r]) {
      const auto found = own.find(number);
      if (found == own.end()) {
        constexpr std::array names{"cell", "edge", "vertex"};
        mistake = "rank " + std::to_string(r) + " expects " + names[at] + " " + std::to_string(number) +
                  " from rank " + std::to_string(rank_) + ", which does not own it";
      } else {
        neighbour(static_cast<int>(r)).out[at].push_back(found->second);
      }
    }
}

void Halo::begin(std::span<const HaloField> fields) {
  fields_.assign(fields.begin(), fields.end());
  requests_.clear();
  for (Neighbour& one : neighbours_) {
    one.outgoing.clear();
    std::size_t incoming = 0;
    for (const HaloField& field : fields_) {
      const auto at = static_cast<std::size_t>(field.location);
      for_values(field, one.out[at], [&](double value) { one.outgoing.push_back(value); });
      incoming += one.in[at].size() * static_cast<std::size_t>(field.levels);
    }
    one.incoming.resize(incoming);
    const auto start = [&](const auto& call, std::vector<double>& values) {
      if (!values.empty())
        call(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, one.rank, 0, comm_,
             &requests_.emplace_back());
    };
    start(MPI_Irecv, one.incoming);
    start(MPI_Isend, one.outgoing);
  }
}

void Halo::begin(std::int32_t count, double* const* fields, const std::int32_t* shapes) {
  std::vector<HaloField> list;
  for (std::int32_t k = 0; k < count; ++k)
    list.push_back({fields[k], shapes[3 * k], shapes[3 * k + 1], shapes[3 * k + 2]});
  begin(list);
}

void Halo::end() {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  for (const Neighbour& one : neighbours_) {
    const double* next = one.incoming.data();
    for (const HaloField& field : fields_)
      for_values(field, one.in[static_cast<std::size_t>(field.location)],
                 [&](double& value) { value = *next++; });
  }
  fields_.clear();
}

}  // namespace igcm::model
