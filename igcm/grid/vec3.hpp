// Vectors of three numbers, and the geometry of great circles on the unit sphere. Functions keep their
// relative precision on small distances: they use differences of points, not products of nearly equal unit
// vectors.
#pragma once

#include <cmath>

namespace igcm::grid {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  friend Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
  friend Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
  Vec3& operator+=(Vec3 a) { return *this = *this + a; }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(Vec3 a) { return std::sqrt(dot(a, a)); }
inline Vec3 unit(Vec3 a) { return (1 / norm(a)) * a; }

/// Length of the great-circle arc between two points.
inline double distance(Vec3 a, Vec3 b) { return 2 * std::asin(0.5 * norm(a - b)); }

/// Signed area of the spherical triangle, positive counter-clockwise seen from outside (Van Oosterom and
/// Strackee 1983).
inline double triangle_area(Vec3 a, Vec3 b, Vec3 c) {
  return 2 * std::atan2(dot(a, cross(b - a, c - a)), 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

/// The point at equal distance of three points that are counter-clockwise seen from outside.
inline Vec3 circumcentre(Vec3 a, Vec3 b, Vec3 c) { return unit(cross(b - a, c - a)); }

/// In radians; longitude in (-pi, pi]. It is 0 at a pole, whatever the signs of zeros.
inline double longitude(Vec3 a) { return a.x == 0 && a.y == 0 ? 0 : std::atan2(a.y, a.x); }
inline double latitude(Vec3 a) { return std::atan2(a.z, std::hypot(a.x, a.y)); }

/// Unit vectors to the east and the north; at a pole those of longitude 0.
inline Vec3 east(Vec3 a) {
  const double r = std::hypot(a.x, a.y);
  return r == 0 ? Vec3{0, 1, 0} : Vec3{-a.y / r, a.x / r, 0};
}
inline Vec3 north(Vec3 a) { return cross(a, east(a)); }

}  // namespace igcm::grid
