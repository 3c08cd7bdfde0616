// Program of the kernel dyn_vi_rhow_solver: implicit vertical momentum.
#include <cmath>

#include "programs.hpp"

namespace igcm::nicam {
namespace {

Dataset make(const Options& options) {
  Dataset data = made_regions(options);
  data.set("const_names", "dt alpha");
  data.set("const_values", {60., options.choices.at("alpha") == "1" ? 1. : 0.}, Type::real64);
  add_noise(data, "rhogw0", 0, 1e-3);
  add_noise(data, "preg0", 0, 26);
  add_noise(data, "rhog0", 0, 1e-3);
  add_noise(data, "Srho", 0, 1e-6);
  add_noise(data, "Sw", 0, 1e-5);
  add_noise(data, "Spre", 0, 1e-2);
  add_noise(data, "Mc", 1.4, 0.2);
  add_noise(data, "Ml", -0.4, 0.2);
  add_noise(data, "Mu", -0.4, 0.2);
  for (const char* name : {"VMTR_RGSGAM2", "VMTR_RGSGAM2H", "VMTR_RGAMH", "VMTR_RGAM", "VMTR_GSGAM2H"})
    add_noise(data, name, 1, 0.03);
  add_noise(data, "rhogw", 0, 1e-3);
  return data;
}

void call(Dataset& data, const Options& options, Timers& timers) {
  const RegionShape s = shape_of(data);
  const auto kall = static_cast<std::size_t>(s.kall);
  const auto get = [&](const char* name) { return with_poles(data, name); };
  const WithPoles rhogw0 = get("rhogw0"), preg0 = get("preg0"), rhog0 = get("rhog0"), srho = get("Srho");
  const WithPoles sw = get("Sw"), spre = get("Spre"), mc = get("Mc"), ml = get("Ml"), mu = get("Mu");
  const WithPoles rgsgam2 = get("VMTR_RGSGAM2"), rgsgam2h = get("VMTR_RGSGAM2H"), rgamh = get("VMTR_RGAMH");
  const WithPoles rgam = get("VMTR_RGAM"), gsgam2h = get("VMTR_GSGAM2H"), rhogw = get("rhogw");
  const auto kernel =
      options.language == Language::cpp ? igcm_c_dyn_vi_rhow_solver : igcm_f_dyn_vi_rhow_solver;
  timers.start("____vi_rhow_solver");
  kernel(s, data.constant("dt"), data.constant("alpha"), data.values("GRD_rdgzh", {kall}),
         data.values("GRD_afact", {kall}), data.values("GRD_bfact", {kall}), rhogw0.field, rhogw0.poles,
         preg0.field, preg0.poles, rhog0.field, rhog0.poles, srho.field, srho.poles, sw.field, sw.poles,
         spre.field, spre.poles, mc.field, mc.poles, ml.field, ml.poles, mu.field, mu.poles, rgsgam2.field,
         rgsgam2.poles, rgsgam2h.field, rgsgam2h.poles, rgamh.field, rgamh.poles, rgam.field, rgam.poles,
         gsgam2h.field, gsgam2h.poles, rhogw.field, rhogw.poles);
  timers.stop("____vi_rhow_solver");
}

}  // namespace
}  // namespace igcm::nicam

int main(int argc, char** argv) {
  using namespace igcm::nicam;
  std::vector<std::string> written{"GRD_dgz",   "GRD_dgzh",  "GRD_rdgz",  "GRD_rdgzh", "GRD_afact",
                                   "GRD_bfact", "GRD_cfact", "GRD_dfact", "rhogw",     "rhogw_pl"};
  std::vector<std::string> stored =
      and_poles({"rhogw0", "preg0", "rhog0", "Srho", "Sw", "Spre", "Mc", "Ml", "Mu", "VMTR_RGSGAM2",
                 "VMTR_RGSGAM2H", "VMTR_RGAMH", "VMTR_RGAM", "VMTR_GSGAM2H", "rhogw"});
  stored.insert(stored.end(), {"GRD_gz", "GRD_gzh", "GRD_x", "GRD_x_pl"});
  return igcm::run_kernel(
      {.name = "dyn_vi_rhow_solver",
       .inputs =
           and_poles({"rhogw", "check_rhogw", "rhogw0", "preg0", "Srho", "Sw", "Spre", "Mc", "Ml", "Mu"}),
       .in_out = and_poles({"rhogw"}),
       .outputs = and_poles({"rhogw"}),
       .written = written,
       .stored = stored,
       .sizes = default_sizes,
       .choices = {{"alpha", {"1", "0"}}},
       .nicam = true,
       .make = make,
       .prepare = [](igcm::Dataset& data, const igcm::Options&) { add_vertical_factors(data); },
       .call = call},
      argc, argv);
}
