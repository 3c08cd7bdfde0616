// Brings values of the halo from the ranks that own them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace igcm::model {

struct Part;

/// Locations, as fields and lists number them.
enum Location { at_cells, at_edges, at_vertices, locations };

/// Points of one location that a rank has: the global number and the owner of each, by local number.
struct LocalPoints {
  std::vector<std::int32_t> numbers, owners;
};

/// A field of a part. The value of point p at level k is values[((p / block) * levels + k) * block + p %
/// block]: with a block of 1 the levels of a point are next to each other, with one of all points the points
/// of a level.
struct HaloField {
  double* values = nullptr;
  std::int32_t location = at_cells, levels = 1, block = 1;
};

/// One message to each neighbour for any number of fields. begin, work that needs no halo, end. For one
/// thread at a time.
class Halo {
 public:
  /// Every point that is here must be here for its owner too. Throws std::invalid_argument on all ranks where
  /// one is not; the rank of that owner names it. Collective over comm, which must outlive it.
  Halo(const std::array<LocalPoints, locations>& points, MPI_Comm comm);
  /// For the icosahedral grid: hexagons are at its vertices.
  Halo(const Part& part, MPI_Comm comm);
  /// Starts the exchange. All ranks give the same fields in the same order; they may not be changed until
  /// end.
  void begin(std::span<const HaloField> fields);
  /// The same for generated stencils. shapes: location, levels and block of each field.
  void begin(std::int32_t count, double* const* fields, const std::int32_t* shapes);
  void end();

 private:
  using Numbers = std::vector<std::int32_t>;
  struct Neighbour {
    int rank = 0;
    std::array<Numbers, locations> out, in;  // local numbers
    std::vector<double> outgoing, incoming;
  };
  Neighbour& neighbour(int rank);
  void connect(int location, const LocalPoints& points, std::string& mistake);

  MPI_Comm comm_;
  int rank_ = 0;
  std::vector<Neighbour> neighbours_;
  std::vector<MPI_Request> requests_;
  std::vector<HaloField> fields_;  // of the exchange that has begun
};

}  // namespace igcm::model
