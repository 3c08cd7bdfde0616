// Program of the kernel dyn_vert_adv_limiter: vertical flux limiter.
#include "programs.hpp"

namespace igcm::nicam {
namespace {

// The upper face of a layer is the lower face of the next, seen from the other side.
void make_courant_numbers(Dataset& data) {
  for (const char* name : {"ck", "ck_pl"}) {
    Field& ck = data.field(name);
    const std::size_t kall = ck.shape[2], length = ck.shape[3], all = ck.values.size() / 2;
    for (std::size_t i = 0; i < all; ++i)
      if (i / length % kall + 1 < kall) ck.values[all + i] = -ck.values[i + length];
  }
}

Dataset make(const Options& options) {
  Dataset data = made_regions(options);
  add_noise(data, "ck", 0, 0.03, {2});
  make_courant_numbers(data);
  add_noise(data, "q", 3.5, 3);
  add_noise(data, "d", 0, 0.01);
  add_noise(data, "q_h", 3.5, 4);
  return data;
}

void call(Dataset& data, const Options& options, Timers& timers) {
  const RegionShape s = shape_of(data);
  const WithPoles q = with_poles(data, "q"), d = with_poles(data, "d"), ck = with_poles(data, "ck", {2});
  const WithPoles q_h = with_poles(data, "q_h");
  const auto kernel =
      options.language == Language::cpp ? igcm_c_dyn_vert_adv_limiter : igcm_f_dyn_vert_adv_limiter;
  timers.start("____vertical_adv_limiter");
  kernel(s, q.field, q.poles, d.field, d.poles, ck.field, ck.poles, q_h.field, q_h.poles);
  timers.stop("____vertical_adv_limiter");
}

}  // namespace
}  // namespace igcm::nicam

int main(int argc, char** argv) {
  using namespace igcm::nicam;
  return igcm::run_kernel({.name = "dyn_vert_adv_limiter",
                           .inputs = and_poles({"q_h", "check_q_h", "q", "d", "ck"}),
                           .in_out = and_poles({"q_h"}),
                           .outputs = and_poles({"q_h"}),
                           .written = and_poles({"q_h"}),
                           .stored = and_poles({"ck", "q", "d", "q_h", "GRD_x"}),
                           .sizes = default_sizes,
                           .nicam = true,
                           .make = make,
                           .head = constants_line,
                           .call = call},
                          argc, argv);
}
