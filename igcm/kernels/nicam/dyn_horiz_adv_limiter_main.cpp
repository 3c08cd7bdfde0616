// Program of the kernel dyn_horiz_adv_limiter: horizontal flux limiter.
#include <algorithm>

#include "programs.hpp"

namespace igcm::nicam {
namespace {

// Faces 4..6 are the faces 1..3 of the cells across, with the other sign; cmask is 1 where ch(1..3) is
// negative.
void make_courant_numbers(Dataset& data) {
  const RegionShape s = shape_of(data);
  const auto n1 = static_cast<std::size_t>(s.n1), gall = n1 * n1;
  const std::size_t layers = static_cast<std::size_t>(s.lall * s.kall), across[3] = {1, n1 + 1, n1};
  std::vector<double>&ch = data.field("ch").values, &cmask = data.field("cmask").values;
  for (std::size_t m = 0; m < 3; ++m)
    for (std::size_t layer = 0; layer < layers; ++layer)
      for (std::size_t g = 0; g < gall; ++g) {
        const std::size_t own = (m * layers + layer) * gall + g;
        cmask[own] = ch[own] < 0 ? 1 : 0;
        if (g + across[m] >= gall) continue;
        ch[own + 3 * layers * gall + across[m]] = -ch[own];
        cmask[own + 3 * layers * gall + across[m]] = 1 - cmask[own];
      }
  std::vector<double>&ch_pl = data.field("ch_pl").values, &mask_pl = data.field("cmask_pl").values;
  std::ranges::transform(ch_pl, mask_pl.begin(), [](double c) { return c < 0 ? 1. : 0.; });
}

void set_poles(Dataset& data, const std::string& name, const std::string& from) {
  data.add(name, data.field(from).shape).values = data.field(from).values;
}

Dataset make(const Options& options) {
  Dataset data = made_regions(options);
  add_noise(data, "q", 3.5, 3);
  add_noise(data, "d", 0, 0.01);
  add_noise(data, "q_a", 3.5, 4, {6});
  add_noise(data, "ch", 0, 0.2, {6});
  add_noise(data, "cmask", 0, 1, {6});
  add_noise(data, "pole", 0, 0.2);
  set_poles(data, "q_a_pl", "q_pl");
  set_poles(data, "ch_pl", "pole_pl");
  set_poles(data, "cmask_pl", "pole_pl");
  make_courant_numbers(data);
  add_noise(data, "Qout_prev", 0, 1, {2});
  // The bounds of the outflow lie around q.
  add_noise(data, "Qout_post", 0, 1, {2});
  for (const char* pl : {"", "_pl"}) {
    const std::vector<double>& q = data.field(std::string("q") + pl).values;
    std::vector<double>& out = data.field(std::string("Qout_post") + pl).values;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = q[i % q.size()] + (i < q.size() ? -1.5 : 1.5) + 0.5 * out[i];
  }
  return data;
}

void call(Dataset& data, const Options& options, Timers& timers) {
  const RegionShape s = shape_of(data);
  const std::vector<int> sgp = singular_regions(data);
  const bool cpp = options.language == Language::cpp;
  const auto bounds = cpp ? igcm_c_dyn_horiz_adv_limiter_bounds : igcm_f_dyn_horiz_adv_limiter_bounds;
  const auto apply = cpp ? igcm_c_dyn_horiz_adv_limiter_apply : igcm_f_dyn_horiz_adv_limiter_apply;
  const WithPoles q = with_poles(data, "q"), d = with_poles(data, "d");
  const auto faces = [&](const char* name) {
    return WithPoles{data.values(name, points(s, {6})),
                     data.values(std::string(name) + "_pl", pole_points(s))};
  };
  const WithPoles ch = faces("ch"), cmask = faces("cmask"), q_a = faces("q_a");
  const WithPoles previous = with_poles(data, "Qout_prev", {2}), post = with_poles(data, "Qout_post", {2});
  timers.start("____horizontal_adv_limiter");
  bounds(s, sgp.data(), q.field, q.poles, d.field, d.poles, ch.field, ch.poles, cmask.field, cmask.poles,
         previous.field, previous.poles);
  timers.stop("____horizontal_adv_limiter");
  timers.start("____horizontal_adv_limiter");
  apply(s, sgp.data(), q.field, q.poles, cmask.field, cmask.poles, post.field, post.poles, q_a.field,
        q_a.poles);
  timers.stop("____horizontal_adv_limiter");
}

}  // namespace
}  // namespace igcm::nicam

int main(int argc, char** argv) {
  using namespace igcm::nicam;
  return igcm::run_kernel(
      {.name = "dyn_horiz_adv_limiter",
       .inputs = and_poles({"q_a", "check_q_a", "q", "d", "ch", "cmask", "check_Qout_prev", "Qout_post"}),
       .in_out = and_poles({"q_a", "Qout_prev"}),
       .outputs = and_poles({"q_a", "Qout_prev"}),
       .written = and_poles({"q_a", "Qout_prev"}),
       .stored = {"ch", "cmask", "q", "d", "q_a", "Qout_post", "Qout_prev", "ch_pl", "cmask_pl", "q_pl",
                  "d_pl", "q_a_pl", "Qout_post_pl", "Qout_prev_pl", "GRD_x", "GRD_x_pl"},
       .sizes = default_sizes,
       .nicam = true,
       .make = make,
       .head = constants_line,
       .call = call},
      argc, argv);
}
