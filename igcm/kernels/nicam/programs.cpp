#include "programs.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "../common/noise.hpp"

namespace igcm::nicam {

RegionShape shape_of(const Dataset& data) {
  const std::vector<int> adm = data.integers("adm");
  if (adm.size() != 8)
    throw std::runtime_error(data.path() +
                             ": \"adm\": expected lall gall_1d gmin gmax kall kmin kmax have_pl, 8 numbers");
  const RegionShape s{adm[0], adm[1], adm[2], adm[3], adm[4], adm[5], adm[6], adm[7]};
  if (s.n1 > 46340 || s.have_pl < 0 || s.have_pl > 1)  // whose square is the last below 2^31
    throw std::runtime_error(data.path() + ": gall_1d and have_pl in \"adm\" are " + std::to_string(s.n1) +
                             " and " + std::to_string(s.have_pl) + "; expected at most 46340, and 0 or 1");
  if (s.lall < 1 || s.gmin < 2 || s.gmax < s.gmin || s.gmax > s.n1 - 1 || s.kmin < 2 || s.kmax <= s.kmin ||
      s.kmax > s.kall - 1)
    throw std::runtime_error(data.path() + ": a range in \"adm\" leaves the arrays");
  return s;
}

std::vector<int> singular_regions(const Dataset& data) {
  std::vector<int> sgp = data.integers("sgp");
  if (sgp.size() != static_cast<std::size_t>(shape_of(data).lall))
    throw std::runtime_error(data.path() + ": \"sgp\": expected a number for each region");
  for (const int one : sgp)
    if (one != 0 && one != 1)
      throw std::runtime_error(data.path() + ": \"sgp\" has the number " + std::to_string(one) +
                               "; expected 0 or 1");
  return sgp;
}

std::vector<std::size_t> points(const RegionShape& s, std::vector<std::size_t> before) {
  for (int length : {s.lall, s.kall, s.points()}) before.push_back(static_cast<std::size_t>(length));
  return before;
}

std::vector<std::size_t> pole_points(const RegionShape& s, std::vector<std::size_t> before) {
  for (int length : {2, s.kall, 6}) before.push_back(static_cast<std::size_t>(length));
  return before;
}

WithPoles with_poles(Dataset& data, const std::string& name, std::vector<std::size_t> before) {
  const RegionShape s = shape_of(data);
  return {data.values(name, points(s, before)), data.values(name + "_pl", pole_points(s, before))};
}

void add_vertical_factors(Dataset& data) {
  const RegionShape s = shape_of(data);
  const auto kall = static_cast<std::size_t>(s.kall);
  const auto first = static_cast<std::size_t>(s.kmin - 2), last = static_cast<std::size_t>(s.kmax - 1);
  const double *gz = data.values("GRD_gz", {kall}), *gzh = data.values("GRD_gzh", {kall});
  const auto add = [&](const char* name) { return data.add(name, {kall}).values.data(); };
  double *dgz = add("GRD_dgz"), *dgzh = add("GRD_dgzh"), *rdgz = add("GRD_rdgz"), *rdgzh = add("GRD_rdgzh");
  double *a = add("GRD_afact"), *b = add("GRD_bfact"), *c = add("GRD_cfact"), *d = add("GRD_dfact");
  for (std::size_t k = first; k <= last; ++k) dgz[k] = gzh[k + 1] - gzh[k];
  dgz[last + 1] = dgz[last];
  for (std::size_t k = first + 1; k <= last + 1; ++k) {
    dgzh[k] = gz[k] - gz[k - 1];
    a[k] = (gzh[k] - gz[k - 1]) / (gz[k] - gz[k - 1]);
  }
  dgzh[first] = dgzh[first + 1];
  a[first] = 1;
  for (std::size_t k = first + 1; k <= last; ++k) c[k] = (gz[k] - gzh[k]) / (gzh[k + 1] - gzh[k]);
  c[first] = 1;
  c[last + 1] = 0;
  for (std::size_t k = first; k <= last + 1; ++k) {
    rdgz[k] = 1 / dgz[k];
    rdgzh[k] = 1 / dgzh[k];
    b[k] = 1 - a[k];
    d[k] = 1 - c[k];
  }
}

void add_noise(Dataset& data, const std::string& name, double middle, double amplitude,
               std::vector<std::size_t> before) {
  const RegionShape s = shape_of(data);
  std::size_t copies = 1, seed = 0;
  for (std::size_t length : before) copies *= length;
  for (char letter : name) seed = 31 * seed + static_cast<unsigned char>(letter);
  const auto fill = [&](Field& field, const Field& x, std::size_t regions, std::size_t length) {
    const std::size_t kall = static_cast<std::size_t>(s.kall), all = regions * length;
    std::size_t at = 0;
    for (std::size_t copy = 0; copy < copies; ++copy) {
      const SmoothNoise noise(seed + copy);
      for (std::size_t l = 0; l < regions; ++l)
        for (std::size_t k = 0; k < kall; ++k)
          for (std::size_t g = 0; g < length; ++g) {
            const double* p = &x.values[l * length + g];
            field.values[at++] =
                middle + amplitude * noise(p[0], p[all], p[2 * all] + 0.17 * static_cast<double>(k));
          }
    }
  };
  const Field x = data.field("GRD_x"), x_pl = data.field("GRD_x_pl");
  fill(data.add(name, points(s, before)), x, static_cast<std::size_t>(s.lall),
       static_cast<std::size_t>(s.points()));
  fill(data.add(name + "_pl", pole_points(s, before)), x_pl, 2, 6);
}

std::vector<std::string> and_poles(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    result.push_back(name);
    result.push_back(name + "_pl");
  }
  return result;
}

std::string constants_line(const Dataset&) {
  return " pi, eps, huge:" + es24_16(std::numbers::pi) + es24_16(std::numeric_limits<double>::epsilon()) +
         es24_16(std::numeric_limits<double>::max()) + "\n";
}

}  // namespace igcm::nicam
