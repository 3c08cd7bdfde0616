#include "tracers.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <stdexcept>
#include <unordered_map>
#ifdef _OPENMP
#include <omp.h>

#include <cstdlib>
#endif

#include "../kernels/nicam/programs.hpp"

namespace igcm::model {
namespace {

using grid::Vec3;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

constexpr std::size_t poles = 2, ring = 6;

std::vector<double> first_components(const Dataset& data, const char* name, std::size_t components) {
  const auto& field = data.field(name);
  const std::size_t size = field.values.size() / field.shape[0];
  return {field.values.begin(), field.values.begin() + static_cast<std::ptrdiff_t>(components * size)};
}

RegionShape shape(int regions, int n1, bool have_poles) {
  return {regions, n1, 2, n1 - 1, 1, 1, 1, have_poles ? 1 : 0};
}

[[noreturn]] void fail_for_outflow(double share) {
  throw std::runtime_error("tracers: in a step " + std::to_string(share) +
                           " of the air of a cell flows out; expected less than 1: a shorter time_step");
}

}  // namespace

// Fields of a level at the places of this rank.
struct Tracers::Level {
  double *ratio, *air;
};

struct Tracers::Region {
  std::size_t first = 0, size = 0;  // its places
  int n1 = 0;
  int singular = 0;
  // As the kernels take them: (component, [triangle or wall,] point).
  std::vector<double> gmtr_p, gmtr_t, gmtr_a, middle, diffusion, place;
  // For one level at a time: fluxes and values at six faces, centres of swept areas, masks of three faces.
  std::vector<double> flux, swept, mask, value, courant, bounds;

  template <class Compute>
  void for_own(const Compute& compute) const {
    for (int j = 1; j < n1 - 1; ++j)
      for (int i = 1; i < n1 - 1; ++i) compute(index(j) * index(n1) + index(i));
  }
};

struct Tracers::Poles {
  std::size_t first = 0;  // places: pole and ring of the north, then of the south
  std::vector<double> gmtr_p, gmtr_t, gmtr_a, middle, diffusion, place;
  std::array<double, poles * ring> flux{}, mask{}, value{}, courant{};
  std::array<double, 3 * poles * ring> swept{};
  std::array<double, 2 * poles * ring> bounds{};
};

void check_regions(const TracerOptions& options, int side, int ranks) {
  if (options.region_level > 30 || side % (1 << options.region_level) != 0)
    throw std::invalid_argument("region_level: 2^" + std::to_string(options.region_level) +
                                " does not divide the side of the diamonds, " + std::to_string(side));
  const long long all = 10LL << (2 * options.region_level);
  if (ranks > all)
    throw std::invalid_argument("region_level: " + std::to_string(all) + " regions for " +
                                std::to_string(ranks) +
                                " ranks of the model; expected a larger region_level, or fewer ranks");
}

Tracers::~Tracers() = default;

Tracers::Tracers(const TracerOptions& options, const grid::Sphere& given, const Part& part, MPI_Comm comm)
    : options_(options), own_vertices_(part.own_vertices) {
#ifdef _OPENMP  // the ranks share the processors; threads of the kernels only where they are asked for
  if (std::getenv("OMP_NUM_THREADS") == nullptr) omp_set_num_threads(1);
#endif
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const grid::Sphere sphere = given.with_centre(grid::Centre::centroid);
  const double radius = sphere.options().radius;
  const int all = 10 << (2 * options.region_level);
  const auto first_of = [&](int r) { return static_cast<int>(std::int64_t{all} * r / ranks); };
  for (int number = first_of(rank); number < first_of(rank + 1); ++number) {
    const grid::NicamRegion map = grid::nicam_region(sphere.numbering(), options.region_level, number);
    Dataset data;
    nicam::add_region_geometry(data, sphere, {map});
    auto region = std::make_unique<Region>();
    region->first = places_;
    region->size = map.vertex.size();
    region->n1 = map.n1;
    region->singular = map.singular ? 1 : 0;
    region->gmtr_p = first_components(data, "GMTR_p", 2);
    region->gmtr_t = first_components(data, "GMTR_t", 5);
    region->gmtr_a = first_components(data, "GMTR_a", 3);
    region->middle = first_components(data, "GRD_xr", 3);
    region->diffusion = first_components(data, "coef_diff", 1);
    region->place = first_components(data, "GRD_x", 3);
    for (double& x : region->place) x *= radius;
    for (auto [field, faces] : {std::pair{&region->flux, 6},
                                {&region->swept, 9},
                                {&region->mask, 3},
                                {&region->value, 6},
                                {&region->courant, 6},
                                {&region->bounds, 2}})
      field->resize(index(faces) * region->size);
    places_ += region->size;
    regions_.push_back(std::move(region));
    if (rank == ranks - 1 && !poles_) {
      poles_ = std::make_unique<Poles>();
      poles_->gmtr_p = data.field("GMTR_p_pl").values;
      poles_->gmtr_t = data.field("GMTR_t_pl").values;
      poles_->gmtr_a = data.field("GMTR_a_pl").values;
      poles_->middle = data.field("GRD_xr_pl").values;
      poles_->diffusion = data.field("coef_diff_pl").values;
      poles_->place = data.field("GRD_x_pl").values;
      for (double& x : poles_->place) x *= radius;
    }
  }
  if (poles_) {
    poles_->first = places_;
    places_ += poles * ring;
  }
  find_places(sphere, part, comm);
  for (auto* field : {&wind_[0], &wind_[1], &wind_[2], &momentum_[0], &momentum_[1], &momentum_[2],
                      &gradient_[0], &gradient_[1], &gradient_[2], &least_, &most_})
    field->resize(places_);
  set_content();
}

// Finds the owner of each vertex, in regions and in the part.
void Tracers::find_places(const grid::Sphere& sphere, const Part& part, MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const grid::Numbering& numbering = sphere.numbering();
  const int parts = 1 << options_.region_level, own = numbering.diamonds().side() / parts;
  const int all = 10 * parts * parts;
  const auto owner_of_region = [&](std::int64_t region) {
    return static_cast<int>(((region + 1) * ranks - 1) / all);
  };
  const auto owner = [&](std::int32_t vertex) {
    const grid::Place p = numbering.place(vertex);
    return p.is_pole() ? ranks - 1 : owner_of_region((p.diamond * parts + p.j / own) * parts + p.i / own);
  };
  const auto owner_in_part = [&](std::int32_t vertex) {
    return static_cast<int>(std::ranges::upper_bound(part.first_of_rank, vertex) -
                            part.first_of_rank.begin()) -
           1;
  };

  std::vector<std::int32_t> numbers;
  std::unordered_map<std::int32_t, std::int32_t> place_of;
  int next = static_cast<int>(std::int64_t{all} * rank / ranks);
  for (const auto& region : regions_) {
    const grid::NicamRegion map = grid::nicam_region(numbering, options_.region_level, next++);
    numbers.insert(numbers.end(), map.vertex.begin(), map.vertex.end());
    region->for_own([&](std::size_t g) {
      place_of.emplace(map.vertex[g], static_cast<std::int32_t>(region->first + g));
    });
  }
  if (poles_)
    for (const bool north : {true, false}) {
      const auto pole = grid::nicam_pole(numbering, north);
      place_of.emplace(pole[0], static_cast<std::int32_t>(numbers.size()));
      numbers.insert(numbers.end(), pole.begin(), pole.end());
    }

  std::vector<Fetch::Wish> halo, all_places, own_vertices;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const auto place = static_cast<std::int32_t>(k);
    points_.push_back(sphere.vertex(numbers[k]));
    all_places.push_back({owner_in_part(numbers[k]), numbers[k], place});
    const auto found = place_of.find(numbers[k]);
    if (found == place_of.end() || found->second != place)
      halo.push_back({owner(numbers[k]), numbers[k], place});
  }
  for (std::int32_t v = 0; v < own_vertices_; ++v) {
    const std::int32_t number = part.vertex_numbers[index(v)];
    own_vertices.push_back({owner(number), number, v});
  }
  const auto here = [&](std::int32_t number) { return place_of.at(number); };
  halo_ = std::make_unique<Fetch>(halo, here, comm);
  to_part_ = std::make_unique<Fetch>(own_vertices, here, comm);
  const auto first = static_cast<std::int32_t>(part.vertex_numbers.front());
  from_part_ = std::make_unique<Fetch>(
      all_places, [&](std::int32_t number) { return number - first; }, comm);

  std::vector<double> area(places_);
  for (const auto& region : regions_)
    std::copy_n(region->gmtr_p.begin(), region->size,
                area.begin() + static_cast<std::ptrdiff_t>(region->first));
  if (poles_)
    std::copy_n(poles_->gmtr_p.begin(), poles * ring,
                area.begin() + static_cast<std::ptrdiff_t>(poles_->first));
  areas_.resize(index(own_vertices_));
  const std::array<const double*, 1> from{area.data()};
  const std::array<double*, 1> to{areas_.data()};
  (*to_part_)(from, to);
}

// A bell of 90 g/kg on a ground of 10 g/kg, at another longitude for each level; or 70 g/kg everywhere.
void Tracers::set_content() {
  air_.assign(index(options_.levels) * places_, 1);
  ratio_.assign(air_.size(), 70);
  if (options_.content == "constant") return;
  for (std::size_t k = 0; k < index(options_.levels); ++k) {
    const double longitude = 2 * std::numbers::pi * static_cast<double>(k) / options_.levels;
    const Vec3 middle = grid::unit({std::cos(longitude), std::sin(longitude), 1});
    for (std::size_t g = 0; g < places_; ++g) {
      const double away = std::min(1.0, grid::distance(points_[g], middle) / 0.5);
      ratio_[k * places_ + g] = 10 + 45 * (1 + std::cos(std::numbers::pi * away));
    }
  }
}

void Tracers::find_gradient(const Level& level) {
  for (const auto& region : regions_) {
    const std::size_t n = index(region->n1), size = region->size;
    const double* q = level.ratio + region->first;
    const double* w = region->gmtr_t.data();
    // The mean of the corners of triangle t by their weights, less the value at g.
    const auto at_triangle = [&](std::size_t t, std::size_t g) {
      const std::size_t second = t == 0 ? 1 : 1 + n, third = t == 0 ? 1 + n : n;
      return q[g] * w[(4 + t) * size + g] + q[g + second] * w[(6 + t) * size + g] +
             q[g + third] * w[(8 + t) * size + g];
    };
    region->for_own([&](std::size_t g) {
      // Counter-clockwise from the triangle before (i+1, j); a pentagon has none there.
      const bool pentagon = region->singular != 0 && g == n + 1;
      const std::array<double, 6> t{at_triangle(0, g),
                                    at_triangle(1, g),
                                    at_triangle(0, g - 1),
                                    at_triangle(1, g - 1 - n),
                                    pentagon ? at_triangle(1, g - n) : at_triangle(0, g - 1 - n),
                                    at_triangle(1, g - n)};
      constexpr std::array<std::size_t, 6> before{0, 1, 2, 3, 4, 5}, after{1, 2, 3, 4, 5, 0};
      for (std::size_t d = 0; d < 3; ++d) {
        double sum = 0;
        for (std::size_t m = 0; m < 6; ++m)
          sum += region->diffusion[(d * 6 + m) * size + g] * (t[before[m]] - q[g] + (t[after[m]] - q[g]));
        gradient_[d][region->first + g] = sum;
      }
    });
  }
  if (!poles_) return;
  for (std::size_t l = 0; l < poles; ++l) {
    const double* q = level.ratio + poles_->first + l * ring;
    const auto at_triangle = [&](std::size_t v) {
      const std::size_t at = l * ring + v, next = v % 5 + 1;
      return q[0] * poles_->gmtr_t[24 + at] + q[v] * poles_->gmtr_t[36 + at] +
             q[next] * poles_->gmtr_t[48 + at];
    };
    for (std::size_t d = 0; d < 3; ++d) {
      double sum = 0;
      for (std::size_t v = 1; v < ring; ++v)
        sum += poles_->diffusion[(l * 3 + d) * 5 + v - 1] *
               (at_triangle(v == 1 ? 5 : v - 1) - q[0] + (at_triangle(v) - q[0]));
      gradient_[d][poles_->first + l * ring] = sum;
    }
  }
}

// Fluxes, unlimited values at faces, and the bounds of the outflow.
void Tracers::find_fluxes(const Level& level, double factor, double dt) {
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t g = 0; g < places_; ++g) momentum_[d][g] = factor * level.air[g] * wind_[d][g];
  const std::vector<double> none(regions_.front()->size);
  for (const auto& region : regions_) {
    Region& r = *region;
    const std::size_t n = index(r.n1), size = r.size, first = r.first;
    const RegionShape s = shape(1, r.n1, false);
    const double *q = level.ratio + first, *air = level.air + first;
    igcm_c_dyn_horiz_adv_flux(s, &r.singular, dt, air, nullptr, momentum_[0].data() + first, nullptr,
                              momentum_[1].data() + first, nullptr, momentum_[2].data() + first, nullptr,
                              r.gmtr_p.data(), nullptr, r.gmtr_t.data(), nullptr, r.gmtr_a.data(), nullptr,
                              r.middle.data(), nullptr, r.flux.data(), nullptr, r.swept.data(), nullptr);
    const std::array<std::size_t, 3> across{1, 1 + n, n};
    for (std::size_t m = 0; m < 3; ++m)
      for (std::size_t g = 0; g + across[m] < size; ++g) {
        const bool inwards = r.flux[m * size + g] < 0;
        const std::size_t up = inwards ? g + across[m] : g;
        double value = q[up];
        for (std::size_t d = 0; d < 3; ++d)
          value += gradient_[d][first + up] * (r.swept[(d * 3 + m) * size + g] - r.place[d * size + up]);
        r.mask[m * size + g] = inwards ? 1 : 0;
        r.value[m * size + g] = value;
      }
    r.for_own([&](std::size_t g) {
      double out = 0;
      for (std::size_t m = 0; m < 6; ++m) {
        r.courant[m * size + g] = r.flux[m * size + g] / air[g];
        out += std::max(0.0, r.courant[m * size + g]);
      }
      if (!(out < 1)) fail_for_outflow(out);
    });
    igcm_c_dyn_horiz_adv_limiter_bounds(s, &r.singular, q, nullptr, none.data(), nullptr, r.courant.data(),
                                        nullptr, r.mask.data(), nullptr, r.bounds.data(), nullptr);
    std::copy_n(r.bounds.begin(), size, least_.begin() + static_cast<std::ptrdiff_t>(first));
    std::copy_n(r.bounds.begin() + static_cast<std::ptrdiff_t>(size), size,
                most_.begin() + static_cast<std::ptrdiff_t>(first));
  }
  if (!poles_) return;
  Poles& p = *poles_;
  const RegionShape s = shape(0, regions_.front()->n1, true);
  const double *q = level.ratio + p.first, *air = level.air + p.first;
  igcm_c_dyn_horiz_adv_flux(s, nullptr, dt, nullptr, air, nullptr, momentum_[0].data() + p.first, nullptr,
                            momentum_[1].data() + p.first, nullptr, momentum_[2].data() + p.first, nullptr,
                            p.gmtr_p.data(), nullptr, p.gmtr_t.data(), nullptr, p.gmtr_a.data(), nullptr,
                            p.middle.data(), nullptr, p.flux.data(), nullptr, p.swept.data());
  for (std::size_t l = 0; l < poles; ++l) {
    double out = 0;
    for (std::size_t v = 1; v < ring; ++v) {
      const std::size_t at = l * ring + v, up = p.flux[at] < 0 ? at : l * ring;
      p.mask[at] = p.flux[at] < 0 ? 1 : 0;
      p.courant[at] = p.flux[at] / air[l * ring];
      out += std::max(0.0, p.courant[at]);
      p.value[at] = q[up];
      for (std::size_t d = 0; d < 3; ++d)
        p.value[at] += gradient_[d][p.first + up] * (p.swept[12 * d + at] - p.place[12 * d + up]);
    }
    if (!(out < 1)) fail_for_outflow(out);
  }
  const std::array<double, poles * ring> no_change{};
  igcm_c_dyn_horiz_adv_limiter_bounds(s, nullptr, nullptr, q, nullptr, no_change.data(), nullptr,
                                      p.courant.data(), nullptr, p.mask.data(), nullptr, p.bounds.data());
  std::copy_n(p.bounds.begin(), poles * ring, least_.begin() + static_cast<std::ptrdiff_t>(p.first));
  std::copy_n(p.bounds.begin() + poles * ring, poles * ring,
              most_.begin() + static_cast<std::ptrdiff_t>(p.first));
}

void Tracers::limit_and_update(const Level& level) {
  const auto update = [](double& ratio, double& air, double outflow, double of_tracer) {
    const double tracer = ratio * air - of_tracer;
    air -= outflow;
    ratio = tracer / air;
  };
  for (const auto& region : regions_) {
    Region& r = *region;
    const std::size_t size = r.size, first = r.first;
    std::copy_n(least_.begin() + static_cast<std::ptrdiff_t>(first), size, r.bounds.begin());
    std::copy_n(most_.begin() + static_cast<std::ptrdiff_t>(first), size,
                r.bounds.begin() + static_cast<std::ptrdiff_t>(size));
    double *q = level.ratio + first, *air = level.air + first;
    igcm_c_dyn_horiz_adv_limiter_apply(shape(1, r.n1, false), &r.singular, q, nullptr, r.mask.data(), nullptr,
                                       r.bounds.data(), nullptr, r.value.data(), nullptr);
    r.for_own([&](std::size_t g) {
      double outflow = 0, of_tracer = 0;
      for (std::size_t m = 0; m < 6; ++m) {
        outflow += r.flux[m * size + g];
        of_tracer += r.flux[m * size + g] * r.value[m * size + g];
      }
      update(q[g], air[g], outflow, of_tracer);
    });
  }
  if (!poles_) return;
  Poles& p = *poles_;
  std::copy_n(least_.begin() + static_cast<std::ptrdiff_t>(p.first), poles * ring, p.bounds.begin());
  std::copy_n(most_.begin() + static_cast<std::ptrdiff_t>(p.first), poles * ring,
              p.bounds.begin() + poles * ring);
  double *q = level.ratio + p.first, *air = level.air + p.first;
  igcm_c_dyn_horiz_adv_limiter_apply(shape(0, regions_.front()->n1, true), nullptr, nullptr, q, nullptr,
                                     p.mask.data(), nullptr, p.bounds.data(), nullptr, p.value.data());
  for (std::size_t l = 0; l < poles; ++l) {
    double outflow = 0, of_tracer = 0;
    for (std::size_t v = 1; v < ring; ++v) {
      outflow += p.flux[l * ring + v];
      of_tracer += p.flux[l * ring + v] * p.value[l * ring + v];
    }
    update(q[l * ring], air[l * ring], outflow, of_tracer);
  }
}

void Tracers::advance(const std::vector<Vec3>& wind, double dt) {
  std::array<std::vector<double>, 3> components;
  for (const Vec3& w : wind) {
    components[0].push_back(w.x);
    components[1].push_back(w.y);
    components[2].push_back(w.z);
  }
  const std::array<const double*, 3> from{components[0].data(), components[1].data(), components[2].data()};
  const std::array<double*, 3> to{wind_[0].data(), wind_[1].data(), wind_[2].data()};
  (*from_part_)(from, to);
  const auto exchange = [&](std::initializer_list<double*> fields) {
    const std::vector<const double*> source(fields.begin(), fields.end());
    const std::vector<double*> target(fields);
    (*halo_)(source, target);
  };
  for (std::size_t k = 0; k < index(options_.levels); ++k) {
    const Level level{ratio_.data() + k * places_, air_.data() + k * places_};
    find_gradient(level);
    exchange({gradient_[0].data(), gradient_[1].data(), gradient_[2].data()});
    find_fluxes(level, 1 - 0.5 * static_cast<double>(k) / options_.levels, dt);
    exchange({least_.data(), most_.data()});
    limit_and_update(level);
    exchange({level.ratio, level.air});
  }
}

std::vector<double> Tracers::collected(const std::vector<double>& field) {
  const std::size_t own = index(own_vertices_);
  std::vector<double> result(index(options_.levels) * own);
  for (std::size_t k = 0; k < index(options_.levels); ++k) {
    const std::array<const double*, 1> from{field.data() + k * places_};
    const std::array<double*, 1> to{result.data() + k * own};
    (*to_part_)(from, to);
  }
  return result;
}

void Tracers::restore(const std::vector<double>& ratio, const std::vector<double>& air) {
  const std::size_t own = index(own_vertices_);
  for (std::size_t k = 0; k < index(options_.levels); ++k) {
    const std::array<const double*, 2> from{ratio.data() + k * own, air.data() + k * own};
    const std::array<double*, 2> to{ratio_.data() + k * places_, air_.data() + k * places_};
    (*from_part_)(from, to);
  }
}

}  // namespace igcm::model
