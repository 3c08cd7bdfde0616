#include "cases.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace igcm::model {
namespace {

using grid::Vec3;
using std::numbers::pi;

Vec3 from_components(Vec3 p, double to_east, double to_north) {
  return to_east * grid::east(p) + to_north * grid::north(p);
}

// Solid rotation around an axis, in balance: williamson2, and with a mountain williamson5.
class Rotation : public Case {
 public:
  Rotation(const Planet& planet, double radius, double speed, double top, double tilt)
      : speed_(speed),
        top_(top),
        axis_{-std::sin(tilt), 0, std::cos(tilt)},
        slope_((radius * planet.rotation * speed + speed * speed / 2) / planet.gravity) {}
  double depth(Vec3 p) const override {
    const double sine = dot(axis_, p);
    return top_ - slope_ * sine * sine - bottom(p);
  }
  Vec3 wind(Vec3 p) const override { return speed_ * cross(axis_, p); }
  bool is_steady() const override { return true; }

 private:
  double speed_, top_;
  Vec3 axis_;
  double slope_;
};

class Mountain : public Rotation {
 public:
  Mountain(const Planet& planet, double radius) : Rotation(planet, radius, 20, 5960, 0) {}
  double bottom(Vec3 p) const override {
    const double width = pi / 9, east = grid::longitude(p) + pi / 2, north = grid::latitude(p) - pi / 6;
    return 2000 * (1 - std::sqrt(std::min(width * width, east * east + north * north)) / width);
  }
  bool is_steady() const override { return false; }
};

// Rossby-Haurwitz wave of wavenumber 4 (Williamson et al. 1992, equations 143 to 149).
class RossbyHaurwitz : public Case {
 public:
  RossbyHaurwitz(const Planet& planet, double radius) : planet_(planet), radius_(radius) {}
  double depth(Vec3 p) const override {
    const double c = std::hypot(p.x, p.y), c2 = c * c, cr = c2 * c2, w = omega, om = planet_.rotation;
    const double a = w / 2 * (2 * om + w) * c2 +
                     w * w / 4 * (cr * cr * ((r + 1) * c2 + (2 * r * r - r - 2)) - 2 * r * r * cr * c2);
    const double b =
        2 * (om + w) * w / ((r + 1) * (r + 2)) * cr * ((r * r + 2 * r + 2) - (r + 1) * (r + 1) * c2);
    const double d = w * w / 4 * cr * cr * ((r + 1) * c2 - (r + 2));
    const double longitude = grid::longitude(p);
    return 8000 + radius_ * radius_ / planet_.gravity *
                      (a + b * std::cos(r * longitude) + d * std::cos(2 * r * longitude));
  }
  Vec3 wind(Vec3 p) const override {
    const double c = std::hypot(p.x, p.y), c3 = c * c * c, longitude = grid::longitude(p);
    const double to_east = radius_ * omega * (c + c3 * (r * p.z * p.z - c * c) * std::cos(r * longitude));
    return from_components(p, to_east, -radius_ * omega * r * c3 * p.z * std::sin(r * longitude));
  }

 private:
  static constexpr double omega = 7.848e-6, r = 4;  // its K has the value of omega
  Planet planet_;
  double radius_;
};

// A jet of 80 m/s in balance, with a bump that upsets it.
class Jet : public Case {
 public:
  Jet(const Planet& planet, double radius, double bump) : planet_(planet), radius_(radius), bump_(bump) {
    // Integral of the slope up to each of the nodes, then the mean depth of 10 km over the sphere.
    drop_.push_back(0);
    for (int k = 0; k < nodes; ++k) drop_.push_back(drop_.back() + integral(node(k), node(k + 1)));
    double mean = 0;
    const int parts = 20000;
    for (int k = 0; k < parts; ++k) {
      const double latitude = -pi / 2 + pi * (k + 0.5) / parts;
      mean += drop_at(latitude) * std::cos(latitude) * pi / parts / 2;
    }
    top_ = 10000 + mean;
  }
  double depth(Vec3 p) const override {
    const double latitude = grid::latitude(p), longitude = grid::longitude(p);
    const double east = longitude * 3, north = (pi / 4 - latitude) * 15;
    return top_ - drop_at(latitude) +
           bump_ * std::cos(latitude) * std::exp(-east * east) * std::exp(-north * north);
  }
  Vec3 wind(Vec3 p) const override { return from_components(p, speed(grid::latitude(p)), 0); }
  bool is_steady() const override { return bump_ == 0; }

 private:
  static constexpr int nodes = 2000;
  static constexpr double south = pi / 7, north = pi / 2 - pi / 7;
  static double node(int k) { return south + (north - south) * k / nodes; }
  static double speed(double latitude) {
    if (latitude <= south || latitude >= north) return 0;
    const double peak = std::exp(-4 / ((north - south) * (north - south)));
    return 80 / peak * std::exp(1 / ((latitude - south) * (latitude - north)));
  }
  double slope(double latitude) const {
    const double u = speed(latitude), f = 2 * planet_.rotation * std::sin(latitude);
    return radius_ * u * (f + std::tan(latitude) * u / radius_) / planet_.gravity;
  }
  double integral(double from, double to) const {  // by Simpson
    return (to - from) / 6 * (slope(from) + 4 * slope((from + to) / 2) + slope(to));
  }
  double drop_at(double latitude) const {
    if (latitude <= south) return 0;
    if (latitude >= north) return drop_.back();
    const int k = std::min(static_cast<int>((latitude - south) / (north - south) * nodes), nodes - 1);
    return drop_[static_cast<std::size_t>(k)] + integral(node(k), latitude);
  }

  Planet planet_;
  double radius_, bump_, top_ = 0;
  std::vector<double> drop_;
};

}  // namespace

std::unique_ptr<Case> make_case(const CaseOptions& options, const Planet& planet, double radius) {
  const std::string& name = options.name;
  if (name == "williamson2")
    return std::make_unique<Rotation>(planet, radius, 2 * pi * radius / (12 * 86400.0),
                                      2.94e4 / planet.gravity, options.tilt);
  if (name == "williamson5") return std::make_unique<Mountain>(planet, radius);
  if (name == "williamson6") return std::make_unique<RossbyHaurwitz>(planet, radius);
  if (name == "galewsky") return std::make_unique<Jet>(planet, radius, options.perturbation);
  throw std::invalid_argument("case: '" + name +
                              "' is unknown (known: galewsky, williamson2, williamson5, williamson6)");
}

State initial_state(const Case& which, const CGrid& g) {
  State state;
  for (const Vec3& p : g.centre) state.height.push_back(which.depth(p));
  for (std::size_t e = 0; e < g.edge_point.size(); ++e)
    state.velocity.push_back(dot(which.wind(g.edge_point[e]), g.normal[e]));
  return state;
}

std::vector<double> bottom_of(const Case& which, const CGrid& g) {
  std::vector<double> bottom;
  for (const Vec3& p : g.centre) bottom.push_back(which.bottom(p));
  return bottom;
}

}  // namespace igcm::model
