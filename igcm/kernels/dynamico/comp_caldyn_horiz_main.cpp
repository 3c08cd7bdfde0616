// Program of the kernel comp_caldyn_horiz: horizontal fluxes and tendencies.
#include "programs.hpp"

namespace igcm::dynamico {
namespace {

Dataset make(const Options& options) {
  const auto boussinesq = options.switches.find("boussinesq");
  Dataset data = made_rhombus(options, {options.choices.at("caldyn_conserv") == "energy" ? 1 : 2,
                                        boussinesq == options.switches.end() ? 0 : 1});
  const std::size_t llm = options.size("llm");
  data.set("const_names", "g ptop");
  data.set("const_values", {9.80616, 219.}, Type::real64);
  add_noise(data, "u", At::edges, llm, 0, 0.4);
  add_noise(data, "rhodz", At::cells, llm, 700, 300);
  add_noise(data, "qu", At::edges, llm, 0, 1e-6);
  add_noise(data, "theta", At::cells, llm, 400, 100);
  add_noise(data, "pk", At::cells, llm, 800, 200);
  add_noise(data, "geopot", At::cells, llm + 1, 2e5, 1e5);
  add_noise(data, "hflux", At::edges, llm, 0, 3e7);
  add_noise(data, "convm", At::cells, llm, 0, 1e-3);
  add_noise(data, "dtheta_rhodz", At::cells, llm, 0, 1);
  add_noise(data, "du", At::edges, llm, 0, 3e-3);
  return data;
}

void call(Dataset& data, const Options& options, Timers&) {
  const Rhombus r = rhombus_of(data, 2);
  const auto n = static_cast<std::size_t>(r.cells()), llm = static_cast<std::size_t>(r.llm);
  const auto kernel = options.language == Language::cpp ? igcm_c_comp_caldyn_horiz : igcm_f_comp_caldyn_horiz;
  kernel(r, extra_index(data, 0), extra_index(data, 1), data.constant("g"), data.constant("ptop"),
         data.values("u", {llm, 3 * n}), data.values("rhodz", {llm, n}), data.values("qu", {llm, 3 * n}),
         data.values("theta", {llm, n}), data.values("pk", {llm, n}), data.values("geopot", {llm + 1, n}),
         data.values("hflux", {llm, 3 * n}), data.values("convm", {llm, n}),
         data.values("dtheta_rhodz", {llm, n}), data.values("du", {llm, 3 * n}), data.values("le", {3 * n}),
         data.values("Ai", {n}), data.values("de", {3 * n}), data.values("Wee", {2, 5, 3 * n}));
}

}  // namespace
}  // namespace igcm::dynamico

int main(int argc, char** argv) {
  using namespace igcm::dynamico;
  const std::vector<std::string> changed{"pk", "hflux", "convm", "dtheta_rhodz", "du"};
  return igcm::run_kernel(
      {.name = "comp_caldyn_horiz",
       .fixed = {"le", "Ai", "de", "Av", "Wee"},
       .inputs = {"u", "rhodz", "qu", "theta", "geopot", "pk", "hflux", "convm", "dtheta_rhodz", "du"},
       .in_out = changed,
       .outputs = changed,
       .written = changed,
       .stored = {"le", "Ai", "de", "Av", "Wee", "u", "rhodz", "qu", "theta", "pk", "geopot", "hflux",
                  "convm", "dtheta_rhodz", "du"},
       .sizes = default_sizes,
       .switches = {"boussinesq"},
       .choices = {{"caldyn_conserv", {"energy", "enstrophy"}}},
       .make = make,
       .prepare =
           [](igcm::Dataset& data, const igcm::Options&) {
             check_indices(data, {caldyn_conserv, boussinesq_switch});
           },
       .head =
           [](const igcm::Dataset& data) {
             return head(data, {"caldyn_conserv", "boussinesq"});
           },
       .call = call},
      argc, argv);
}
