// Program of the kernel dyn_divdamp: gradient of the three-dimensional divergence.
#include <algorithm>

#include "programs.hpp"

namespace igcm::nicam {
namespace {

Dataset make(const Options& options) {
  Dataset data = made_regions(options);
  for (const char* name : {"rhogvx", "rhogvy", "rhogvz", "rhogw"}) add_noise(data, name, 0, 0.25);
  add_noise(data, "VMTR_RGSQRTH", 1, 0.05);
  add_noise(data, "VMTR_RGAM", 1, 0.02);
  add_noise(data, "VMTR_RGAMH", 1, 0.02);
  for (const char* name : {"ddivdx", "ddivdy", "ddivdz"}) add_noise(data, name, 0, 1e-10);
  const std::size_t lall = options.size("regions"), kall = options.size("kall");
  const std::size_t gall = data.field("rhogw").shape.back();
  // The factors of region and level are made level by level as those of six components.
  add_noise(data, "noise", 0, 0.02, {6});
  for (const bool pole : {false, true}) {
    const std::vector<double>& noise = data.field(pole ? "noise_pl" : "noise").values;
    const std::size_t regions = pole ? 2 : lall, length = (pole ? 6 : gall) * kall;
    std::vector<double>& factor =
        data.add(pole ? "VMTR_C2WfactGz_pl" : "VMTR_C2WfactGz", {regions, 6, kall, pole ? 6 : gall}).values;
    for (std::size_t c = 0; c < 6; ++c)
      for (std::size_t l = 0; l < regions; ++l)
        std::copy_n(&noise[(c * regions + l) * length], length, &factor[(l * 6 + c) * length]);
  }
  return data;
}

void call(Dataset& data, const Options& options, Timers& timers) {
  const RegionShape s = shape_of(data);
  const std::vector<int> sgp = singular_regions(data);
  const auto lall = static_cast<std::size_t>(s.lall), gall = static_cast<std::size_t>(s.points());
  const auto kall = static_cast<std::size_t>(s.kall);
  const auto get = [&](const char* name) { return with_poles(data, name); };
  const WithPoles vx = get("rhogvx"), vy = get("rhogvy"), vz = get("rhogvz"), w = get("rhogw");
  const WithPoles sqrth = get("VMTR_RGSQRTH"), gam = get("VMTR_RGAM"), gamh = get("VMTR_RGAMH");
  const WithPoles x = get("ddivdx"), y = get("ddivdy"), z = get("ddivdz");
  const auto kernel = options.language == Language::cpp ? igcm_c_dyn_divdamp : igcm_f_dyn_divdamp;
  timers.start("OPRT3D_divdamp");
  kernel(s, sgp.data(), vx.field, vx.poles, vy.field, vy.poles, vz.field, vz.poles, w.field, w.poles,
         data.values("coef_intp", {lall, 2, 3, 3, gall}), data.values("coef_intp_pl", {2, 3, 3, 6}),
         data.values("coef_diff", {lall, 3, 6, gall}), data.values("coef_diff_pl", {2, 3, 5}), sqrth.field,
         sqrth.poles, gam.field, gam.poles, gamh.field, gamh.poles,
         data.values("VMTR_C2WfactGz", {lall, 6, kall, gall}),
         data.values("VMTR_C2WfactGz_pl", {2, 6, kall, 6}), data.values("GRD_rdgz", {kall}), x.field, x.poles,
         y.field, y.poles, z.field, z.poles);
  timers.stop("OPRT3D_divdamp");
}

}  // namespace
}  // namespace igcm::nicam

int main(int argc, char** argv) {
  using namespace igcm::nicam;
  const std::vector<std::string> changed = and_poles({"ddivdx", "ddivdy", "ddivdz"});
  std::vector<std::string> written{"GRD_dgz",   "GRD_dgzh",  "GRD_rdgz",  "GRD_rdgzh",
                                   "GRD_afact", "GRD_bfact", "GRD_cfact", "GRD_dfact"};
  written.insert(written.end(), changed.begin(), changed.end());
  std::vector<std::string> stored =
      and_poles({"coef_intp", "coef_diff", "rhogvx", "rhogvy", "rhogvz", "rhogw", "VMTR_RGSQRTH", "VMTR_RGAM",
                 "VMTR_RGAMH", "VMTR_C2WfactGz", "ddivdx", "ddivdy", "ddivdz"});
  stored.insert(stored.end(), {"GRD_gz", "GRD_gzh", "GRD_x", "GRD_x_pl"});
  return igcm::run_kernel(
      {.name = "dyn_divdamp",
       .inputs =
           and_poles({"check_ddivdx", "check_ddivdy", "check_ddivdz", "rhogvx", "rhogvy", "rhogvz", "rhogw"}),
       .in_out = changed,
       .outputs = changed,
       .written = written,
       .stored = stored,
       .sizes = default_sizes,
       .nicam = true,
       .make = make,
       .prepare = [](igcm::Dataset& data, const igcm::Options&) { add_vertical_factors(data); },
       .call = call},
      argc, argv);
}
