// Shared by the programs of NICAM's kernels: shapes, vertical factors, the made regions of a real sphere.
#pragma once

#include "../../grid/grid.hpp"
#include "../../grid/layouts.hpp"
#include "../common/dataset.hpp"
#include "../common/program.hpp"
#include "regions.hpp"

namespace igcm::nicam {

// The attribute `adm`; checked, so that a kernel stays within its arrays.
RegionShape shape_of(const Dataset& data);
// The attribute `sgp`: 1 for regions whose own corner is a pentagon, else 0; checked too.
std::vector<int> singular_regions(const Dataset& data);

// Lengths of a field of points, and of poles, with further dimensions before them (components, walls).
std::vector<std::size_t> points(const RegionShape& s, std::vector<std::size_t> before = {});
std::vector<std::size_t> pole_points(const RegionShape& s, std::vector<std::size_t> before = {});

// A field and its part at the poles, NAME_pl.
struct WithPoles {
  double *field, *poles;
};
WithPoles with_poles(Dataset& data, const std::string& name, std::vector<std::size_t> before = {});

// Adds GRD_dgz, GRD_dgzh, GRD_rdgz, GRD_rdgzh, GRD_afact, GRD_bfact, GRD_cfact, GRD_dfact (kall each) from
// GRD_gz and GRD_gzh. cfact and dfact interpolate from half to full levels; no kernel here reads them.
void add_vertical_factors(Dataset& data);

// The geometry GMTR_p, GMTR_t, GMTR_a, GRD_x, GRD_xr, coef_intp and coef_diff of regions of the same sphere,
// with their _pl: fields of maps.size() regions, in m and m2. GRD_x is in units of the radius. The sphere
// should have centroids.
void add_region_geometry(Dataset& data, const grid::Sphere& sphere, std::vector<grid::NicamRegion> maps);

// Regions of a sphere of igcm/grid: attributes, the geometry GMTR_p, GMTR_t, GMTR_a, GRD_x, GRD_xr,
// coef_intp, coef_diff, and GRD_gz, GRD_gzh of uneven layers; all with their _pl where they have one. GRD_x
// is in units of the radius.
Dataset made_regions(const Options& options);
inline const std::map<std::string, int> default_sizes{{"gl", 4}, {"rl", 1}, {"regions", 5}, {"kall", 12}};

// Adds NAME and NAME_pl = middle + amplitude * smooth noise of the place and the level, with further
// dimensions before; halos agree with the points that they copy.
void add_noise(Dataset& data, const std::string& name, double middle, double amplitude,
               std::vector<std::size_t> before = {});

// Each name, followed by NAME_pl.
std::vector<std::string> and_poles(const std::vector<std::string>& names);

// The line with pi, eps and the largest number, which some kernels print first.
std::string constants_line(const Dataset&);

}  // namespace igcm::nicam
