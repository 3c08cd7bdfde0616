// The geometry of NICAM's regions (igcm/kernels/README.md) on a sphere of igcm/grid.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "programs.hpp"

namespace igcm::nicam {
namespace {

using grid::Vec3;

// Along the arc from p to q, and to its left; both as long as the arc, in m.
struct Arc {
  Vec3 t, n;
};
Arc arc(double radius, Vec3 p, Vec3 q) {
  const Vec3 along = q - p, left = cross(p, q);
  const double length = radius * grid::distance(p, q);
  if (length == 0) return {};
  return {length / norm(along) * along, length / norm(left) * left};
}

double component(Vec3 a, std::size_t d) { return d == 0 ? a.x : d == 1 ? a.y : a.z; }

// Writes the components of vectors into an array whose components are `stride` apart.
void put(double* first, std::size_t stride, Vec3 a) {
  for (std::size_t d = 0; d < 3; ++d) first[d * stride] = component(a, d);
}

double area_on_unit_sphere(const std::array<Vec3, 3>& corner) {
  return std::abs(grid::triangle_area(corner[0], corner[1], corner[2]));
}

std::array<double, 3> weights(Vec3 centre, const std::array<Vec3, 3>& corner) {
  std::array<double, 3> part{};
  double all = 0;
  for (std::size_t c = 0; c < 3; ++c)
    all += part[c] = std::abs(grid::triangle_area(centre, corner[(c + 1) % 3], corner[(c + 2) % 3]));
  for (double& one : part) one /= all;
  return part;
}

Vec3 centroid(const std::array<Vec3, 3>& corner) { return unit(corner[0] + corner[1] + corner[2]); }

class Region {
 public:
  Region(Dataset& data, const grid::Grid& sphere, const grid::NicamRegion& map, std::size_t l,
         std::size_t lall)
      : data_(data),
        sphere_(sphere),
        map_(map),
        radius_(sphere.options.radius),
        l_(l),
        lall_(lall),
        n_(static_cast<std::size_t>(map.n1)),
        size_(n_ * n_) {
    for (std::int32_t vertex : map.vertex) point_.push_back(sphere.vertex[static_cast<std::size_t>(vertex)]);
    triangle_[0].resize(size_);
    triangle_[1].resize(size_);
  }

  void fill() {
    put_points();
    for (std::size_t j = 0; j + 1 < n_; ++j)
      for (std::size_t i = 0; i + 1 < n_; ++i)
        for (std::size_t t = 0; t < 2; ++t) put_triangle(j * n_ + i, t);
    if (map_.singular) triangle_[0][0] = triangle_[1][1];
    for (std::size_t j = 0; j + 1 < n_; ++j)
      for (std::size_t i = 0; i + 1 < n_; ++i) put_walls(i, j);
    for (std::size_t j = 1; j + 1 < n_; ++j)
      for (std::size_t i = 1; i + 1 < n_; ++i) put_diffusion(j * n_ + i);
  }

 private:
  // Where component c of the field starts for this region; fields have (c, region, point).
  double* at(const char* name, std::size_t c) { return data_.values(name) + (c * lall_ + l_) * size_; }

  void put_points() {
    for (std::size_t g = 0; g < size_; ++g) {
      const double area = sphere_.dual_area[static_cast<std::size_t>(map_.vertex[g])];
      put(at("GRD_x", 0) + g, lall_ * size_, point_[g]);
      at("GMTR_p", 0)[g] = area;
      at("GMTR_p", 1)[g] = 1 / area;
      put(at("GMTR_p", 2) + g, lall_ * size_, grid::east(point_[g]));
      put(at("GMTR_p", 5) + g, lall_ * size_, grid::north(point_[g]));
    }
  }

  std::array<Vec3, 3> corners(std::size_t g, std::size_t t) const {
    return t == 0 ? std::array<Vec3, 3>{point_[g], point_[g + 1], point_[g + 1 + n_]}
                  : std::array<Vec3, 3>{point_[g], point_[g + 1 + n_], point_[g + n_]};
  }

  // A triangle of two points has the geometry of the other one there.
  void put_triangle(std::size_t g, std::size_t t) {
    const auto flat = [](const std::array<Vec3, 3>& c) {
      return c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
    };
    const std::array<Vec3, 3> own = corners(g, t), corner = flat(own) ? corners(g, 1 - t) : own;
    triangle_[t][g] = centroid(corner);
    const double area = radius_ * radius_ * area_on_unit_sphere(corner);
    const std::array<double, 3> w = weights(triangle_[t][g], corner);
    const std::array<double, 5> values{area, 1 / area, w[0], w[1], w[2]};
    for (std::size_t c = 0; c < 5; ++c) at("GMTR_t", 2 * c + t)[g] = values[c];
    put_gradient(g, t, 0.5 / area);
  }

  void put_gradient(std::size_t g, std::size_t t, double scale) {
    const auto n = [&](std::size_t p, std::size_t q) { return arc(radius_, point_[p], point_[q]).n; };
    const Vec3 diagonal = n(g, g + 1 + n_);
    const Vec3 side = t == 0 ? n(g + 1, g + 1 + n_) : n(g + n_, g + 1 + n_);
    const Vec3 own = t == 0 ? n(g, g + 1) : n(g, g + n_);
    const std::array<Vec3, 3> c = t == 0 ? std::array<Vec3, 3>{diagonal - own, -own - side, diagonal - side}
                                         : std::array<Vec3, 3>{own - diagonal, side - diagonal, side + own};
    double* first = data_.values("coef_intp") + (l_ * 2 + t) * 9 * size_;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t corner = 0; corner < 3; ++corner)
        first[(d * 3 + corner) * size_ + g] = scale * component(c[corner], d);
  }

  // The ends of a wall, so that its left side is that of larger i and j.
  std::array<Vec3, 2> ends(std::size_t g, std::size_t wall) const {
    if (wall == 0) return {triangle_[0][g], triangle_[1][g - n_]};
    if (wall == 1) return {triangle_[1][g], triangle_[0][g]};
    return {triangle_[0][g - 1], triangle_[1][g]};
  }

  void put_walls(std::size_t i, std::size_t j) {
    const std::size_t g = j * n_ + i;
    const std::array<std::size_t, 3> across{g + 1, g + 1 + n_, g + n_};
    for (std::size_t wall = 0; wall < 3; ++wall) {
      const auto where = [&](std::size_t c) { return at("GMTR_a", c * 3 + wall) + g; };
      const Arc tangent = arc(radius_, point_[g], point_[across[wall]]);
      put(where(6), 3 * lall_ * size_, tangent.n);
      put(where(9), 3 * lall_ * size_, tangent.t);
      if ((wall == 0 && j == 0) || (wall == 2 && i == 0)) continue;
      const auto [p, q] = ends(g, wall);
      const Arc edge = arc(radius_, p, q);
      put(where(0), 3 * lall_ * size_, edge.n);
      put(where(3), 3 * lall_ * size_, edge.t);
      put(at("GRD_xr", wall) + g, 3 * lall_ * size_, radius_ * unit(p + q));
    }
  }

  void put_diffusion(std::size_t g) {
    const double scale = 0.5 * at("GMTR_p", 1)[g];
    const std::array<std::size_t, 6> from{g, g, g - 1, g - 1 - n_, g - n_, g}, wall{1, 2, 0, 1, 2, 0};
    double* first = data_.values("coef_diff") + l_ * 18 * size_;
    for (std::size_t m = 0; m < 6; ++m)
      for (std::size_t d = 0; d < 3; ++d) {
        const double n = at("GMTR_a", d * 3 + wall[m])[from[m]];
        first[(d * 6 + m) * size_ + g] = (m >= 2 && m <= 4 ? -n : n) * scale;
      }
    if (map_.singular && g == n_ + 1)
      for (std::size_t d = 0; d < 3; ++d) first[(d * 6 + 4) * size_ + g] = 0;
  }

  Dataset& data_;
  const grid::Grid& sphere_;
  const grid::NicamRegion& map_;
  double radius_;
  std::size_t l_, lall_, n_, size_;
  std::vector<Vec3> point_;
  std::array<std::vector<Vec3>, 2> triangle_;
};

// Fields have (component, pole, 6); a ring entry v has the triangle (pole, v, v + 1) and the wall before it.
void fill_pole(Dataset& data, const grid::Grid& sphere, const std::array<std::int32_t, 6>& map,
               std::size_t l) {
  const double radius = sphere.options.radius;
  std::array<Vec3, 6> point, triangle;
  for (std::size_t v = 0; v < 6; ++v) point[v] = sphere.vertex[static_cast<std::size_t>(map[v])];
  const auto at = [&](const char* name, std::size_t c) { return data.values(name) + (c * 2 + l) * 6; };
  for (std::size_t v = 0; v < 6; ++v) {
    put(at("GRD_x_pl", 0) + v, 12, point[v]);
    const double area = sphere.dual_area[static_cast<std::size_t>(map[v])];
    at("GMTR_p_pl", 0)[v] = area;
    at("GMTR_p_pl", 1)[v] = 1 / area;
    put(at("GMTR_p_pl", 2) + v, 12, grid::east(point[v]));
    put(at("GMTR_p_pl", 5) + v, 12, grid::north(point[v]));
  }
  for (std::size_t v = 1; v < 6; ++v) {
    const std::size_t next = v % 5 + 1;
    const std::array<Vec3, 3> corner{point[0], point[v], point[next]};
    triangle[v] = centroid(corner);
    const double area = radius * radius * area_on_unit_sphere(corner);
    const std::array<double, 3> w = weights(triangle[v], corner);
    const std::array<double, 5> values{area, 1 / area, w[0], w[1], w[2]};
    for (std::size_t c = 0; c < 5; ++c) at("GMTR_t_pl", c)[v] = values[c];
    const Arc own = arc(radius, point[0], point[v]), ring = arc(radius, point[v], point[next]);
    const Vec3 other = arc(radius, point[0], point[next]).n;
    put(at("GMTR_a_pl", 6) + v, 12, own.n);
    put(at("GMTR_a_pl", 9) + v, 12, own.t);
    put(at("GMTR_a_pl", 12) + v, 12, ring.n);
    put(at("GMTR_a_pl", 15) + v, 12, ring.t);
    const std::array<Vec3, 3> c{own.n - other, own.n + ring.n, ring.n - other};
    for (std::size_t k = 0; k < 3; ++k)
      put(data.values("coef_intp_pl") + (l * 9 + k) * 6 + v, 18, 0.5 / area * c[k]);
  }
  for (std::size_t v = 1; v < 6; ++v) {
    const Vec3 before = triangle[v == 1 ? 5 : v - 1];
    const Arc wall = arc(radius, before, triangle[v]);  // clockwise: the side of the ring is on the left
    put(at("GMTR_a_pl", 0) + v, 12, wall.n);
    put(at("GMTR_a_pl", 3) + v, 12, wall.t);
    put(at("GRD_xr_pl", 0) + v, 12, radius * unit(triangle[v] + before));
    put(data.values("coef_diff_pl") + l * 15 + v - 1, 5, 0.5 * at("GMTR_p_pl", 1)[0] * wall.n);
  }
}

void add_fields(Dataset& data, std::size_t lall, std::size_t size) {
  data.add("GRD_x", {3, lall, 1, size});
  data.add("GRD_x_pl", {3, 2, 1, 6});
  data.add("GRD_xr", {3, 3, lall, 1, size});
  data.add("GRD_xr_pl", {3, 2, 1, 6});
  data.add("GMTR_p", {8, lall, 1, size});
  data.add("GMTR_p_pl", {8, 2, 1, 6});
  data.add("GMTR_t", {5, 2, lall, 1, size});
  data.add("GMTR_t_pl", {5, 2, 1, 6});
  data.add("GMTR_a", {12, 3, lall, 1, size});
  data.add("GMTR_a_pl", {18, 2, 1, 6});
  data.add("coef_intp", {lall, 2, 3, 3, size});
  data.add("coef_intp_pl", {2, 3, 3, 6});
  data.add("coef_diff", {lall, 3, 6, size});
  data.add("coef_diff_pl", {2, 3, 5});
}

// Layers that grow upwards by a tenth, from 100 m; the lowest dummy is below the ground.
void add_levels(Dataset& data, std::size_t kall) {
  double* gzh = data.add("GRD_gzh", {kall}).values.data();
  double* gz = data.add("GRD_gz", {kall}).values.data();
  double face = -100, thickness = 100;
  for (std::size_t k = 0; k < kall; ++k) {
    gzh[k] = face;
    face += thickness;
    gz[k] = gzh[k] + 0.45 * thickness;
    thickness *= 1.1;
  }
}

}  // namespace

void add_region_geometry(Dataset& data, const grid::Sphere& sphere, std::vector<grid::NicamRegion> maps) {
  const std::size_t size = maps.front().vertex.size();
  add_fields(data, maps.size(), size);
  // Entries of the points that are here, once each: the numbers of the maps become positions among them.
  std::array<std::array<std::int32_t, 6>, 2> poles{grid::nicam_pole(sphere.numbering(), true),
                                                   grid::nicam_pole(sphere.numbering(), false)};
  std::vector<std::int32_t> numbers;
  for (const grid::NicamRegion& map : maps)
    numbers.insert(numbers.end(), map.vertex.begin(), map.vertex.end());
  for (const auto& pole : poles) numbers.insert(numbers.end(), pole.begin(), pole.end());
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const grid::Grid arrays = sphere.entries({}, {}, numbers);
  const auto become_positions = [&](auto& list) {
    for (std::int32_t& number : list)
      number = static_cast<std::int32_t>(std::ranges::lower_bound(numbers, number) - numbers.begin());
  };
  for (std::size_t l = 0; l < maps.size(); ++l) {
    become_positions(maps[l].vertex);
    Region(data, arrays, maps[l], l, maps.size()).fill();
  }
  for (std::size_t l = 0; l < 2; ++l) {
    become_positions(poles[l]);
    fill_pole(data, arrays, poles[l], l);
  }
}

Dataset made_regions(const Options& options) {
  const std::size_t kall = options.size("kall"), lall = options.size("regions");
  const int gl = options.sizes.at("gl"), rl = options.sizes.at("rl");
  if (rl > gl || gl > 10 || kall < 5 || lall < 1 || lall > std::size_t{10} << (2 * rl))
    throw std::runtime_error(
        "--gl, --rl, --regions, --kall: expected rl <= gl <= 10, 1 to 10 * 4^rl regions,"
        " and at least 5 levels");
  grid::GridOptions grid_options;
  grid_options.points.root = 1;
  grid_options.points.bisections = gl;
  grid_options.centre = grid::Centre::centroid;
  const grid::Sphere sphere(grid_options);
  std::vector<grid::NicamRegion> maps;
  for (std::size_t l = 0; l < lall; ++l)
    maps.push_back(grid::nicam_region(sphere.numbering(), rl, static_cast<int>(l)));
  const int n1 = maps.front().n1;
  Dataset data;
  add_region_geometry(data, sphere, maps);
  std::vector<double> singular;
  for (const grid::NicamRegion& map : maps) singular.push_back(map.singular ? 1 : 0);
  add_levels(data, kall);
  data.set("sgp", singular);
  data.set("adm", std::vector<double>{static_cast<double>(lall), 1. * n1, 2, n1 - 1.,
                                      static_cast<double>(kall), 2, static_cast<double>(kall - 1), 1});
  data.set("const_names", "");
  data.set("const_values", "");
  return data;
}

}  // namespace igcm::nicam
