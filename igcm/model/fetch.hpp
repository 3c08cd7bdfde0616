// Values by global number from the ranks that have them: from one decomposition into another.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace igcm::model {

/// Entry r: what this rank wants of rank r. Returns what rank r wants of this one. Collective.
std::vector<std::vector<std::int32_t>> lists_for_others(const std::vector<std::vector<std::int32_t>>& wanted,
                                                        MPI_Comm comm);

class Fetch {
 public:
  /// The value of an entry `number`, which rank `owner` has, is put at `place` of an array of this rank.
  struct Wish {
    int owner = 0;
    std::int32_t number = 0, place = 0;
  };
  /// place_of: where this rank has the entries that it owns. Collective over comm.
  Fetch(const std::vector<Wish>& wishes, const std::function<std::int32_t(std::int32_t number)>& place_of,
        MPI_Comm comm);

  /// Fields of the owners into as many fields of those that want them, which may be the same. Collective;
  /// blocks until all values are here.
  void operator()(std::span<const double* const> from, std::span<double* const> to);

 private:
  struct Partner {
    std::vector<std::int32_t> out, in;  // places
    std::vector<double> outgoing, incoming;
  };
  MPI_Comm comm_;
  int rank_ = 0;
  std::vector<Partner> partners_;  // by rank
};

}  // namespace igcm::model
