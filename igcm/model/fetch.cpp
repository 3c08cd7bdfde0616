#include "fetch.hpp"

namespace igcm::model {

using Numbers = std::vector<std::int32_t>;

std::vector<Numbers> lists_for_others(const std::vector<Numbers>& wanted, MPI_Comm comm) {
  const std::size_t ranks = wanted.size();
  std::vector<int> out(ranks), in(ranks), out_at(ranks), in_at(ranks);
  for (std::size_t r = 0; r < ranks; ++r) out[r] = static_cast<int>(wanted[r].size());
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm);
  Numbers sent, received;
  int total = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    out_at[r] = static_cast<int>(sent.size());
    sent.insert(sent.end(), wanted[r].begin(), wanted[r].end());
    in_at[r] = total;
    total += in[r];
  }
  received.resize(static_cast<std::size_t>(total));
  MPI_Alltoallv(sent.data(), out.data(), out_at.data(), MPI_INT32_T, received.data(), in.data(), in_at.data(),
                MPI_INT32_T, comm);
  std::vector<Numbers> lists(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    lists[r].assign(received.begin() + in_at[r], received.begin() + in_at[r] + in[r]);
  return lists;
}

Fetch::Fetch(const std::vector<Wish>& wishes, const std::function<std::int32_t(std::int32_t)>& place_of,
             MPI_Comm comm)
    : comm_(comm) {
  int ranks = 1;
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks);
  partners_.resize(static_cast<std::size_t>(ranks));
  std::vector<Numbers> wanted(partners_.size());
  for (const Wish& wish : wishes) {
    wanted[static_cast<std::size_t>(wish.owner)].push_back(wish.number);
    partners_[static_cast<std::size_t>(wish.owner)].in.push_back(wish.place);
  }
  const std::vector<Numbers> asked = lists_for_others(wanted, comm);
  for (std::size_t r = 0; r < partners_.size(); ++r)
    for (const std::int32_t number : asked[r]) partners_[r].out.push_back(place_of(number));
}

void Fetch::operator()(std::span<const double* const> from, std::span<double* const> to) {
  std::vector<MPI_Request> requests;
  for (std::size_t r = 0; r < partners_.size(); ++r) {
    Partner& one = partners_[r];
    one.outgoing.clear();
    for (const double* field : from)
      for (const std::int32_t place : one.out) one.outgoing.push_back(field[place]);
    if (static_cast<int>(r) == rank_) {  // what it has itself needs no message
      one.incoming.swap(one.outgoing);
      continue;
    }
    one.incoming.resize(one.in.size() * to.size());
    const auto transfer = [&](const auto& start, std::vector<double>& values) {
      if (!values.empty())
        start(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, static_cast<int>(r), 1, comm_,
              &requests.emplace_back());
    };
    transfer(MPI_Irecv, one.incoming);
    transfer(MPI_Isend, one.outgoing);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (const Partner& one : partners_) {
    std::size_t k = 0;
    for (double* field : to)
      for (const std::int32_t place : one.in) field[place] = one.incoming[k++];
  }
}

}  // namespace igcm::model
