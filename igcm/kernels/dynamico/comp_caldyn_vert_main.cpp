// Program of the kernel comp_caldyn_vert: vertical mass flux and transport.
#include <stdexcept>

#include "programs.hpp"

namespace igcm::dynamico {
namespace {

Dataset make(const Options& options) {
  const int w = options.sizes.at("iim"), h = options.sizes.at("jjm"), layers = options.sizes.at("llm");
  Dataset data = made_rhombus(options, {2 * w + 2, (h - 2) * w - 1, 2, layers - 1});
  const std::size_t llm = options.size("llm");
  data.set("const_names", "g");
  data.set("const_values", {9.80616}, Type::real64);
  std::vector<double>& bp = data.add("bp", {llm + 1}).values;
  for (std::size_t l = 0; l <= llm; ++l) {
    const double sigma = 1 - static_cast<double>(l) / static_cast<double>(llm);
    bp[l] = sigma * sigma;
  }
  add_noise(data, "u", At::edges, llm, 0, 0.4);
  add_noise(data, "theta", At::cells, llm, 400, 100);
  add_noise(data, "rhodz", At::cells, llm, 700, 300);
  add_noise(data, "convm", At::cells, llm, 0, 1e-3);
  add_noise(data, "wflux", At::cells, llm + 1, 0, 1e-3);
  add_noise(data, "wwuu", At::edges, llm + 1, 0, 1e-5);
  add_noise(data, "dps", At::cells, 0, 0, 1e-2);
  add_noise(data, "dtheta_rhodz", At::cells, llm, 0, 1);
  add_noise(data, "du", At::edges, llm, 0, 3e-3);
  return data;
}

void check(Dataset& data, const Options&) {
  const Rhombus r = rhombus_of(data, 4);
  const int begin = extra_index(data, 0), end = extra_index(data, 1);
  if (begin < 1 || end > r.cells())
    throw std::runtime_error(data.path() + ": ij_omp_begin and ij_omp_end in \"indices\" are " +
                             std::to_string(begin) + " and " + std::to_string(end) + "; expected 1 to " +
                             std::to_string(r.cells()));
}

void call(Dataset& data, const Options& options, Timers&) {
  const Rhombus r = rhombus_of(data, 4);
  const auto n = static_cast<std::size_t>(r.cells()), llm = static_cast<std::size_t>(r.llm);
  const int begin = extra_index(data, 0), end = extra_index(data, 1);
  const auto kernel = options.language == Language::cpp ? igcm_c_comp_caldyn_vert : igcm_f_comp_caldyn_vert;
  kernel(r, begin, end, data.constant("g"), data.values("u", {llm, 3 * n}), data.values("theta", {llm, n}),
         data.values("rhodz", {llm, n}), data.values("bp", {llm + 1}), data.values("convm", {llm, n}),
         data.values("wflux", {llm + 1, n}), data.values("wwuu", {llm + 1, 3 * n}), data.values("dps", {n}),
         data.values("dtheta_rhodz", {llm, n}), data.values("du", {llm, 3 * n}));
}

}  // namespace
}  // namespace igcm::dynamico

int main(int argc, char** argv) {
  using namespace igcm::dynamico;
  const std::vector<std::string> changed{"convm", "wflux", "wwuu", "du", "dtheta_rhodz", "dps"};
  return igcm::run_kernel(
      {.name = "comp_caldyn_vert",
       .fixed = {"bp"},
       .inputs = {"u", "theta", "rhodz", "convm", "wflux", "wwuu", "du", "dtheta_rhodz", "dps"},
       .in_out = changed,
       .outputs = changed,
       .written = {"convm", "wflux", "wwuu", "dps", "dtheta_rhodz", "du"},
       .stored = {"bp", "u", "theta", "rhodz", "convm", "wflux", "wwuu", "dps", "dtheta_rhodz", "du"},
       .sizes = default_sizes,
       .make = make,
       .prepare = check,
       .head =
           [](const igcm::Dataset& data) {
             return head(data, {"ij_omp_begin", "ij_omp_end", "ll_beginp1", "ll_endm1"});
           },
       .call = call},
      argc, argv);
}
