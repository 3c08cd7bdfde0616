// Program of the kernel dyn_horiz_adv_flux: horizontal mass fluxes.
#include "programs.hpp"

namespace igcm::nicam {
namespace {

Dataset make(const Options& options) {
  Dataset data = made_regions(options);
  data.set("const_names", "dt");
  data.set("const_values", {360.}, Type::real64);
  add_noise(data, "rhog_mean", 0.7, 0.5);
  for (const char* name : {"rhogvx", "rhogvy", "rhogvz"}) add_noise(data, name, 0, 30);
  add_noise(data, "flx_h", 0, 0.1, {6});
  data.add("flx_h_pl", data.field("rhog_mean_pl").shape).values = data.field("rhog_mean_pl").values;
  add_noise(data, "GRD_xc", 0, 6e6, {3, 3});
  add_noise(data, "pole_centre", 0, 6e6, {3});
  data.add("GRD_xc_pl", data.field("pole_centre_pl").shape).values = data.field("pole_centre_pl").values;
  return data;
}

void call(Dataset& data, const Options& options, Timers& timers) {
  const RegionShape s = shape_of(data);
  const std::vector<int> sgp = singular_regions(data);
  const auto lall = static_cast<std::size_t>(s.lall), gall = static_cast<std::size_t>(s.points());
  const WithPoles rho = with_poles(data, "rhog_mean"), vx = with_poles(data, "rhogvx");
  const WithPoles vy = with_poles(data, "rhogvy"), vz = with_poles(data, "rhogvz");
  const auto kernel =
      options.language == Language::cpp ? igcm_c_dyn_horiz_adv_flux : igcm_f_dyn_horiz_adv_flux;
  timers.start("____horizontal_adv_flux");
  kernel(s, sgp.data(), data.constant("dt"), rho.field, rho.poles, vx.field, vx.poles, vy.field, vy.poles,
         vz.field, vz.poles, data.values("GMTR_p", {8, lall, 1, gall}),
         data.values("GMTR_p_pl", {8, 2, 1, 6}), data.values("GMTR_t", {5, 2, lall, 1, gall}),
         data.values("GMTR_t_pl", {5, 2, 1, 6}), data.values("GMTR_a", {12, 3, lall, 1, gall}),
         data.values("GMTR_a_pl", {18, 2, 1, 6}), data.values("GRD_xr", {3, 3, lall, 1, gall}),
         data.values("GRD_xr_pl", {3, 2, 1, 6}), data.values("flx_h", points(s, {6})),
         data.values("flx_h_pl", pole_points(s)), data.values("GRD_xc", points(s, {3, 3})),
         data.values("GRD_xc_pl", pole_points(s, {3})));
  timers.stop("____horizontal_adv_flux");
}

}  // namespace
}  // namespace igcm::nicam

int main(int argc, char** argv) {
  using namespace igcm::nicam;
  return igcm::run_kernel({.name = "dyn_horiz_adv_flux",
                           .inputs = and_poles({"check_flx_h", "check_GRD_xc", "rhog_mean", "rhogvx",
                                                "rhogvy", "rhogvz", "GRD_xr", "GMTR_p", "GMTR_t", "GMTR_a"}),
                           .in_out = and_poles({"flx_h", "GRD_xc"}),
                           .outputs = and_poles({"flx_h", "GRD_xc"}),
                           .written = and_poles({"flx_h", "GRD_xc"}),
                           .stored = and_poles({"GMTR_p", "GMTR_t", "GMTR_a", "GRD_xr", "rhog_mean", "rhogvx",
                                                "rhogvy", "rhogvz", "flx_h", "GRD_xc", "GRD_x"}),
                           .sizes = default_sizes,
                           .nicam = true,
                           .make = make,
                           .head = constants_line,
                           .call = call},
                          argc, argv);
}
