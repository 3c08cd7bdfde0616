// The kernels of DYNAMICO's kind on a rhombus, in Fortran (igcm_f_*) and C++ (igcm_c_*). Arrays as in the
// page igcm/kernels/README.md: the horizontal index is the fastest, levels go from the ground up.
#pragma once

namespace igcm {

// As the type of rhombus.f90. The linear ranges ij_* begin with 1 and include their ends.
struct Rhombus {
  int iim, jjm, llm;
  int ij_begin, ij_end, ij_begin_ext, ij_end_ext;
  int ll_begin, ll_end;
  int t_right, t_rup, t_lup, t_left, t_ldown, t_rdown;
  int u_right, u_rup, u_lup, u_left, u_ldown, u_rdown;
  int z_rup, z_up, z_lup, z_ldown, z_down, z_rdown;

  [[nodiscard]] int cells() const { return iim * jjm; }
};

struct GeopotConstants {
  double g, ptop, kappa, cpp, preff;
};

}  // namespace igcm

extern "C" {
#define IGCM_DYNAMICO(LANGUAGE)                                                                              \
  void igcm_##LANGUAGE##_comp_pvort(const igcm::Rhombus&, int caldyn_eta, double g, const double* ps,        \
                                    const double* u, const double* theta_rhodz, double* rhodz,               \
                                    double* theta, double* qu, double* qv, const double* Av,                 \
                                    const double* de, const double* Riv2, const double* fv,                  \
                                    const double* mass_dak, const double* mass_dbk);                         \
  void igcm_##LANGUAGE##_comp_geopot(const igcm::Rhombus&, int caldyn_eta, int boussinesq,                   \
                                     const igcm::GeopotConstants&, double* ps, const double* rhodz,          \
                                     const double* theta, double* pk, double* geopot, const double* mass_ak, \
                                     const double* mass_bk);                                                 \
  void igcm_##LANGUAGE##_comp_caldyn_horiz(                                                                  \
      const igcm::Rhombus&, int caldyn_conserv, int boussinesq, double g, double ptop, const double* u,      \
      const double* rhodz, const double* qu, const double* theta, double* pk, const double* geopot,          \
      double* hflux, double* convm, double* dtheta_rhodz, double* du, const double* le, const double* Ai,    \
      const double* de, const double* Wee);                                                                  \
  void igcm_##LANGUAGE##_comp_caldyn_vert(const igcm::Rhombus&, int omp_begin, int omp_end, double g,        \
                                          const double* u, const double* theta, const double* rhodz,         \
                                          const double* bp, double* convm, double* wflux, double* wwuu,      \
                                          double* dps, double* dtheta_rhodz, double* du);
IGCM_DYNAMICO(f)
IGCM_DYNAMICO(c)
#undef IGCM_DYNAMICO
}
