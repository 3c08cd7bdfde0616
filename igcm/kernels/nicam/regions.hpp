// The kernels of NICAM's kind on regions, in Fortran (igcm_f_*) and C++ (igcm_c_*). Arrays as in the page
// igcm/kernels/README.md: the point is the fastest index, then the level, the region and the component.
#pragma once

namespace igcm {

// As the type of regions.f90: lall regions of n1 x n1 points; gmin..gmax and kmin..kmax count from 1.
struct RegionShape {
  int lall, n1, gmin, gmax, kall, kmin, kmax, have_pl;

  [[nodiscard]] int points() const { return n1 * n1; }
};

}  // namespace igcm

extern "C" {
// `sgp`: 1 for regions whose corner (gmin, gmin) is a pentagon. Each field is followed by that of the poles.
#define IGCM_NICAM(LANGUAGE)                                                                                 \
  void igcm_##LANGUAGE##_dyn_diffusion(                                                                      \
      const igcm::RegionShape&, const int* sgp, int as_published, const double* scl, const double* scl_pl,   \
      const double* kh, const double* kh_pl, const double* coef_intp, const double* coef_intp_pl,            \
      const double* coef_diff, const double* coef_diff_pl, double* dscl, double* dscl_pl);                   \
  void igcm_##LANGUAGE##_dyn_divdamp(                                                                        \
      const igcm::RegionShape&, const int* sgp, const double* rhogvx, const double* rhogvx_pl,               \
      const double* rhogvy, const double* rhogvy_pl, const double* rhogvz, const double* rhogvz_pl,          \
      const double* rhogw, const double* rhogw_pl, const double* coef_intp, const double* coef_intp_pl,      \
      const double* coef_diff, const double* coef_diff_pl, const double* rgsqrth, const double* rgsqrth_pl,  \
      const double* rgam, const double* rgam_pl, const double* rgamh, const double* rgamh_pl,                \
      const double* c2wfact, const double* c2wfact_pl, const double* rdgz, double* ddivdx,                   \
      double* ddivdx_pl, double* ddivdy, double* ddivdy_pl, double* ddivdz, double* ddivdz_pl);              \
  void igcm_##LANGUAGE##_dyn_horiz_adv_flux(                                                                 \
      const igcm::RegionShape&, const int* sgp, double dt, const double* rho, const double* rho_pl,          \
      const double* vx, const double* vx_pl, const double* vy, const double* vy_pl, const double* vz,        \
      const double* vz_pl, const double* gmtr_p, const double* gmtr_p_pl, const double* gmtr_t,              \
      const double* gmtr_t_pl, const double* gmtr_a, const double* gmtr_a_pl, const double* xr,              \
      const double* xr_pl, double* flx, double* flx_pl, double* xc, double* xc_pl);                          \
  void igcm_##LANGUAGE##_dyn_horiz_adv_limiter_bounds(                                                       \
      const igcm::RegionShape&, const int* sgp, const double* q, const double* q_pl, const double* d,        \
      const double* d_pl, const double* ch, const double* ch_pl, const double* cmask,                        \
      const double* cmask_pl, double* qout, double* qout_pl);                                                \
  void igcm_##LANGUAGE##_dyn_horiz_adv_limiter_apply(                                                        \
      const igcm::RegionShape&, const int* sgp, const double* q, const double* q_pl, const double* cmask,    \
      const double* cmask_pl, const double* qout, const double* qout_pl, double* q_a, double* q_a_pl);       \
  void igcm_##LANGUAGE##_dyn_vert_adv_limiter(const igcm::RegionShape&, const double* q, const double* q_pl, \
                                              const double* d, const double* d_pl, const double* ck,         \
                                              const double* ck_pl, double* q_h, double* q_h_pl);             \
  void igcm_##LANGUAGE##_dyn_vi_rhow_solver(                                                                 \
      const igcm::RegionShape&, double dt, double alpha, const double* rdgzh, const double* afact,           \
      const double* bfact, const double* rhogw0, const double* rhogw0_pl, const double* preg0,               \
      const double* preg0_pl, const double* rhog0, const double* rhog0_pl, const double* srho,               \
      const double* srho_pl, const double* sw, const double* sw_pl, const double* spre,                      \
      const double* spre_pl, const double* mc, const double* mc_pl, const double* ml, const double* ml_pl,   \
      const double* mu, const double* mu_pl, const double* rgsgam2, const double* rgsgam2_pl,                \
      const double* rgsgam2h, const double* rgsgam2h_pl, const double* rgamh, const double* rgamh_pl,        \
      const double* rgam, const double* rgam_pl, const double* gsgam2h, const double* gsgam2h_pl,            \
      double* rhogw, double* rhogw_pl);
IGCM_NICAM(f)
IGCM_NICAM(c)
#undef IGCM_NICAM
}
