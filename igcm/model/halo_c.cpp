#include "halo_c.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

#include "halo.hpp"

using namespace igcm::model;

struct igcm_halo {
  Halo halo;
};

igcm_halo* igcm_halo_make(int comm, const std::int32_t counts[3], const std::int32_t* const numbers[3],
                          const std::int32_t* const owners[3], char* error, std::int32_t length) {
  try {
    std::array<LocalPoints, locations> points;
    for (std::size_t at = 0; at < points.size(); ++at)
      points[at] = {{numbers[at], numbers[at] + counts[at]}, {owners[at], owners[at] + counts[at]}};
    return new igcm_halo{Halo(points, MPI_Comm_f2c(comm))};
  } catch (const std::exception& reason) {
    if (length > 0) {
      const std::string text = std::string(reason.what()).substr(0, static_cast<std::size_t>(length) - 1);
      std::memcpy(error, text.c_str(), text.size() + 1);
    }
    return nullptr;
  }
}

void igcm_halo_free(igcm_halo* halo) { delete halo; }

void igcm_halo_begin(void* halo, std::int32_t count, double* const* fields, const std::int32_t* shapes) {
  static_cast<igcm_halo*>(halo)->halo.begin(count, fields, shapes);
}

void igcm_halo_end(void* halo) { static_cast<igcm_halo*>(halo)->halo.end(); }
