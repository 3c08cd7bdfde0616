// The model's own communication between two calls of Tailrace: halos around a ring, and a collective.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace player {

// A rank that leaves early (by an exception) takes part in one last exchange, from its destructor, which
// tells the others; after that no rank exchanges. So an error on one rank leaves no other waiting for it.
class Neighbours {
 public:
  // `values`: the size of a halo; 0: no exchange.
  Neighbours(MPI_Comm comm, std::size_t values);
  ~Neighbours();
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  void exchange();  // throws std::logic_error for wrong values from the neighbour

 private:
  void exchange(int goes);

  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 1;
  int exceptions_;  // in flight when this was made
  bool over_ = false;
  int round_ = 0;
  std::vector<double> out_, in_;
};

}  // namespace player
