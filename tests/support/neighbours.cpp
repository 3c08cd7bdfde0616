#include "neighbours.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace player {

Neighbours::Neighbours(MPI_Comm comm, std::size_t values)
    : comm_(comm), exceptions_(std::uncaught_exceptions()), out_(values), in_(values) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  over_ = values == 0 || ranks_ == 1;
}

Neighbours::~Neighbours() {
  if (std::uncaught_exceptions() > exceptions_) exchange(1);
}

void Neighbours::exchange() {
  exchange(0);
  const int left = (rank_ + ranks_ - 1) % ranks_;
  if (!over_ && in_.back() != 1000.0 * left + round_)
    throw std::logic_error("a halo holds what no neighbour sent");
}

void Neighbours::exchange(int goes) {
  if (over_) return;
  ++round_;
  const int right = (rank_ + 1) % ranks_, left = (rank_ + ranks_ - 1) % ranks_;
  std::fill(out_.begin(), out_.end(), 1000.0 * rank_ + round_);
  const int count = static_cast<int>(out_.size());
  MPI_Sendrecv(out_.data(), count, MPI_DOUBLE, right, 0, in_.data(), count, MPI_DOUBLE, left, 0, comm_,
               MPI_STATUS_IGNORE);
  int gone = 0;
  MPI_Allreduce(&goes, &gone, 1, MPI_INT, MPI_MAX, comm_);
  over_ = gone != 0;
}

}  // namespace player
