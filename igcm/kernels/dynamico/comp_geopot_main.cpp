// Program of the kernel comp_geopot: Exner pressure and geopotential.
#include "programs.hpp"

namespace igcm::dynamico {
namespace {

Dataset make(const Options& options) {
  const bool mass = options.choices.at("caldyn_eta") == "eta_mass";
  const auto boussinesq = options.switches.find("boussinesq");
  Dataset data = made_rhombus(options, {mass ? 1 : 2, boussinesq == options.switches.end() ? 0 : 1});
  const std::size_t llm = options.size("llm");
  data.set("const_names", "g ptop kappa cpp preff");
  data.set("const_values", {9.80616, mass ? 0. : 219., 0.2857143, 1004.70885, 101325.}, Type::real64);
  add_hybrid(data, "mass_ak", "mass_bk", llm);
  add_noise(data, "ps", At::cells, 0, 1e5, 2e3);
  add_noise(data, "rhodz", At::cells, llm, 700, 300);
  add_noise(data, "theta", At::cells, llm, 400, 100);
  add_noise(data, "pk", At::cells, llm, 800, 200);
  add_noise(data, "geopot", At::cells, llm + 1, 2e5, 1e5);
  return data;
}

void call(Dataset& data, const Options& options, Timers&) {
  const Rhombus r = rhombus_of(data, 2);
  const auto n = static_cast<std::size_t>(r.cells()), llm = static_cast<std::size_t>(r.llm);
  const GeopotConstants k{data.constant("g"), data.constant("ptop"), data.constant("kappa"),
                          data.constant("cpp"), data.constant("preff")};
  const auto kernel = options.language == Language::cpp ? igcm_c_comp_geopot : igcm_f_comp_geopot;
  kernel(r, extra_index(data, 0), extra_index(data, 1), k, data.values("ps", {n}),
         data.values("rhodz", {llm, n}), data.values("theta", {llm, n}), data.values("pk", {llm, n}),
         data.values("geopot", {llm + 1, n}), data.values("mass_ak", {llm}), data.values("mass_bk", {llm}));
}

}  // namespace
}  // namespace igcm::dynamico

int main(int argc, char** argv) {
  using namespace igcm::dynamico;
  return igcm::run_kernel({.name = "comp_geopot",
                           .fixed = {"mass_ak", "mass_bk"},
                           .inputs = {"ps", "rhodz", "theta", "pk", "geopot"},
                           .in_out = {"ps", "pk", "geopot"},
                           .outputs = {"ps", "pk", "geopot"},
                           .written = {"ps", "pk", "geopot"},
                           .stored = {"mass_ak", "mass_bk", "ps", "rhodz", "theta", "pk", "geopot"},
                           .sizes = default_sizes,
                           .switches = {"boussinesq"},
                           .choices = {{"caldyn_eta", {"eta_mass", "eta_lag"}}},
                           .make = make,
                           .prepare =
                               [](igcm::Dataset& data, const igcm::Options&) {
                                 check_indices(data, {caldyn_eta, boussinesq_switch});
                               },
                           .head =
                               [](const igcm::Dataset& data) {
                                 return head(data, {"caldyn_eta", "boussinesq"});
                               },
                           .call = call},
                          argc, argv);
}
