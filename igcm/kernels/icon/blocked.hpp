// The kernels of ICON's kind on blocked fields, in Fortran (igcm_f_icon_*) and C++ (igcm_c_icon_*), for float
// and double. The contracts are in kernels.F90.
#pragma once

namespace igcm {

// As the type of kernels.F90.
struct Blocked {
  int slots, levels, cell_blocks, edge_blocks;
};

}  // namespace igcm

extern "C" {
#define IGCM_ICON(LANGUAGE, REAL)                                                                           \
  void igcm_##LANGUAGE##_icon_vertical_integration_##REAL(const igcm::Blocked&, const REAL* t,              \
                                                          const REAL* thickness, REAL* vi);                 \
  void igcm_##LANGUAGE##_icon_divergence_##REAL(const igcm::Blocked&, const int* edge, const REAL* weight,  \
                                                const REAL* grad, REAL* dvg);                               \
  void igcm_##LANGUAGE##_icon_gradient_##REAL(const igcm::Blocked&, const int* first, const int* second,    \
                                              const REAL* weight, const REAL* t, REAL* grad);               \
  void igcm_##LANGUAGE##_icon_neighbour_mean_##REAL(const igcm::Blocked&, const int* neighbour,             \
                                                    const REAL* t, REAL* mean);                             \
  void igcm_##LANGUAGE##_icon_laplacian_##REAL(const igcm::Blocked&, const int* neighbour,                  \
                                               const REAL* weight, const REAL* t, REAL* lap);               \
  void igcm_##LANGUAGE##_icon_weighted_##REAL(                                                              \
      const igcm::Blocked&, const int* first, const int* second, const int* cell_first,                     \
      const int* cell_second, const REAL* weight, const REAL* parameter, const REAL* t, REAL* var);         \
  void igcm_##LANGUAGE##_icon_mixed_##REAL(const igcm::Blocked&, const int* edge, const REAL* p1,           \
                                           const REAL* p2, const REAL* p3, const REAL* q, const REAL* grad, \
                                           REAL* var);                                                      \
  void igcm_##LANGUAGE##_icon_add_scaled_##REAL(const igcm::Blocked&, double factor, const REAL* x, REAL* t);
IGCM_ICON(f, float)
IGCM_ICON(f, double)
IGCM_ICON(c, float)
IGCM_ICON(c, double)
#undef IGCM_ICON
}
