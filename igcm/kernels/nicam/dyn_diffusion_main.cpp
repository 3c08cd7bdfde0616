// Program of the kernel dyn_diffusion: diffusion of a scalar.
#include "programs.hpp"

namespace igcm::nicam {
namespace {

Dataset make(const Options& options) {
  Dataset data = made_regions(options);
  add_noise(data, "scl", 0, 1e-11);
  add_noise(data, "kh", 1.5e12, 1.4e12);
  add_noise(data, "dscl", 0, 6e-8);
  return data;
}

void call(Dataset& data, const Options& options, Timers& timers) {
  const RegionShape s = shape_of(data);
  const std::vector<int> sgp = singular_regions(data);
  const auto lall = static_cast<std::size_t>(s.lall), gall = static_cast<std::size_t>(s.points());
  const WithPoles scl = with_poles(data, "scl"), kh = with_poles(data, "kh"), dscl = with_poles(data, "dscl");
  const auto kernel = options.language == Language::cpp ? igcm_c_dyn_diffusion : igcm_f_dyn_diffusion;
  timers.start("OPRT_diffusion");
  kernel(s, sgp.data(), options.switches.contains("as-published"), scl.field, scl.poles, kh.field, kh.poles,
         data.values("coef_intp", {lall, 2, 3, 3, gall}), data.values("coef_intp_pl", {2, 3, 3, 6}),
         data.values("coef_diff", {lall, 3, 6, gall}), data.values("coef_diff_pl", {2, 3, 5}), dscl.field,
         dscl.poles);
  timers.stop("OPRT_diffusion");
}

}  // namespace
}  // namespace igcm::nicam

int main(int argc, char** argv) {
  using namespace igcm::nicam;
  return igcm::run_kernel(
      {.name = "dyn_diffusion",
       .inputs = and_poles({"check_dscl", "scl", "kh"}),
       .in_out = and_poles({"dscl"}),
       .outputs = and_poles({"dscl"}),
       .written = and_poles({"dscl"}),
       .stored = and_poles({"coef_intp", "coef_diff", "scl", "kh", "dscl", "GRD_x", "GMTR_p"}),
       .sizes = default_sizes,
       .switches = {"as-published"},
       .nicam = true,
       .make = make,
       .call = call},
      argc, argv);
}
