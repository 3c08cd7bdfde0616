#include "regrid/maker/weights_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "regrid/maker/digest.hpp"
#include "regrid/method.hpp"
#include "regrid/target_grid.hpp"

namespace tailrace::regrid {
namespace {

struct AddCells {
  Digest& digest;
  void operator()(const RowsAndColumns& cells) const {
    digest.add_text(cells.lat_first ? "lat lon" : "lon lat");
    for (const auto* values : {&cells.lat, &cells.lon, &cells.lat_bounds, &cells.lon_bounds})
      digest.add_all(*values);
  }
  void operator()(const ListedCells& cells) const {
    digest.add_text("cells");
    digest.add_all(cells.shape);
    const CellGeometry& geometry = cells.geometry;
    for (const auto* values : {&geometry.lat, &geometry.lon, &geometry.lat_corners, &geometry.lon_corners})
      digest.add_all(*values);
  }
  void operator()(const Healpix& healpix) const { digest.add_text(text_of(Target(healpix))); }
};

struct HasBounds {
  bool operator()(const RowsAndColumns&) const { return true; }  // halfway between the centres
  bool operator()(const ListedCells& cells) const { return !cells.geometry.lat_corners.empty(); }
  bool operator()(const Healpix&) const { return true; }
};

}  // namespace

std::int64_t cells_of(const GridCells& grid) {
  return std::visit([](const auto& one) { return one.cells(); }, grid);
}

std::string text_of(const GridCells& grid) {
  if (const auto* rows = std::get_if<RowsAndColumns>(&grid))
    return fmt::format("lat-lon {} x {}", rows->lat.size(), rows->lon.size());
  if (const auto* listed = std::get_if<ListedCells>(&grid))
    return fmt::format("{} cells", fmt::join(listed->shape, " x "));
  return text_of(Target(std::get<Healpix>(grid)));
}

std::string digest_of(const WeightsRequest& request) {
  Digest digest;
  digest.add_text("tailrace weights 1");
  digest.add_text(name_of(request.method));
  std::visit(AddCells{digest}, request.source);
  std::visit(AddCells{digest}, request.target);
  if (request.method == Method::file) digest.add_content(request.weights);
  return digest.text();
}

std::string weights_path(const std::string& cache, const std::string& digest) {
  return fmt::format("{}/{}.nc", cache, digest);
}

void check_bounds(const GridCells& grid, Method method, const std::string& name) {
  if (needs_corners(method) && !std::visit(HasBounds{}, grid))
    throw Error(ErrorCode::configuration,
                fmt::format("the method `{}` needs the corners of cells, and {} has no bounds; expected "
                            "coordinates with `bounds` (CF 7.1), or another method",
                            name_of(method), name));
}

}  // namespace tailrace::regrid
