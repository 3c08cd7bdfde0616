// Program of the kernel comp_pvort: potential vorticity.
#include "programs.hpp"

namespace igcm::dynamico {
namespace {

Dataset make(const Options& options) {
  const bool mass = options.choices.at("caldyn_eta") == "eta_mass";
  Dataset data = made_rhombus(options, {mass ? 1 : 2});
  const std::size_t llm = options.size("llm");
  data.set("const_names", "g");
  data.set("const_values", {9.80616}, Type::real64);
  add_noise(data, "ps", At::cells, 0, 1e5, 2e3);
  add_noise(data, "u", At::edges, llm, 0, 0.4);
  add_noise(data, "rhodz", At::cells, llm, 700, 300);
  add_noise(data, "theta_rhodz", At::cells, llm, 2e5, 5e4);
  add_noise(data, "theta", At::cells, llm, 400, 100);
  add_noise(data, "qu", At::edges, llm, 0, 1e-6);
  add_noise(data, "qv", At::vertices, llm, 0, 1e-6);
  std::vector<double>& dak = data.add("mass_dak", {llm}).values;
  std::vector<double>& dbk = data.add("mass_dbk", {llm}).values;
  for (std::size_t l = 0; l < llm; ++l) {
    const double lower = 1 - static_cast<double>(l) / static_cast<double>(llm);
    const double upper = 1 - static_cast<double>(l + 1) / static_cast<double>(llm);
    dbk[l] = lower * lower - upper * upper;
    dak[l] = 1e5 * (lower - upper - dbk[l]);
  }
  return data;
}

void call(Dataset& data, const Options& options, Timers&) {
  const Rhombus r = rhombus_of(data, 1);
  const auto n = static_cast<std::size_t>(r.cells()), llm = static_cast<std::size_t>(r.llm);
  const auto kernel = options.language == Language::cpp ? igcm_c_comp_pvort : igcm_f_comp_pvort;
  kernel(r, extra_index(data, 0), data.constant("g"), data.values("ps", {n}), data.values("u", {llm, 3 * n}),
         data.values("theta_rhodz", {llm, n}), data.values("rhodz", {llm, n}), data.values("theta", {llm, n}),
         data.values("qu", {llm, 3 * n}), data.values("qv", {llm, 2 * n}), data.values("Av", {2 * n}),
         data.values("de", {3 * n}), data.values("Riv2", {6, n}), data.values("fv", {2 * n}),
         data.values("mass_dak", {llm}), data.values("mass_dbk", {llm}));
}

}  // namespace
}  // namespace igcm::dynamico

int main(int argc, char** argv) {
  using namespace igcm::dynamico;
  return igcm::run_kernel(
      {.name = "comp_pvort",
       .fixed = {"Av", "de", "Riv2", "fv", "mass_dak", "mass_dbk"},
       .inputs = {"u", "ps", "theta_rhodz", "theta", "rhodz", "qu", "qv"},
       .in_out = {"rhodz", "theta", "qu", "qv"},
       .outputs = {"theta", "rhodz", "qu", "qv"},
       .written = {"rhodz", "theta", "qu", "qv"},
       .stored = {"Av", "de", "Riv2", "fv", "mass_dak", "mass_dbk", "ps", "u", "theta_rhodz", "rhodz",
                  "theta", "qu", "qv"},
       .sizes = default_sizes,
       .choices = {{"caldyn_eta", {"eta_mass", "eta_lag"}}},
       .make = make,
       .prepare = [](igcm::Dataset& data, const igcm::Options&) { check_indices(data, {caldyn_eta}); },
       .head = [](const igcm::Dataset& data) { return head(data, {"caldyn_eta"}); },
       .call = call},
      argc, argv);
}
