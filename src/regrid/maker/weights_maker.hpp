// Makes files of weights in a process of its own, `python -m tailrace.weights.maker`, and keeps them in a
// cache directory for the next job. docs/formats/weights.md describes the files.
//
// The process is given a file with the request as JSON:
//   {"do": "make", "method": "conservative", "slice": [k, n], "out": path, "error": path,
//    "parent": number, "source": grid, "target": grid, "digest": text, "weights": path or null}
// with a grid of {"kind": "latlon", "lat", "lon", "lat_bounds", "lon_bounds", "shape", "lat_first"},
// {"kind": "healpix", "level", "order"} or {"kind": "cells", "cells", "corners", "shape", "parts": [folder]},
// whose folder has id.i64, lat.f64, lon.f64, lat_corners.f64 and lon_corners.f64 in this machine's order of
// bytes. It ends with the status 0, or writes why it cannot to the file `error` and ends with the status 1.
#pragma once

#include <atomic>
#include <string>

#include "regrid/maker/weights_request.hpp"

namespace tailrace::regrid {

struct WeightsCache {
  std::string directory;
  std::string interpreter;  // the Python that has tailrace.weights
};

// The path of the weights, which are made unless the cache has them. If several processes want the same, one
// makes them, and the others wait for it. Where the file system has no locks each makes a file of its own,
// and the first one that gets the name stays, so two jobs at once do no harm. Blocks, maybe for minutes.
// REQUIRES: both grids pass check_bounds. Throws Error(configuration) with what the maker says of the grids
// or the weights, and Error(resource) for what the system refuses, and soon after `is_stopped` was set.
std::string weights_file(const WeightsRequest& request, const WeightsCache& cache,
                         const std::atomic<bool>& is_stopped);
// Whether the cache has them.
bool has_weights(const WeightsRequest& request, const std::string& directory);

}  // namespace tailrace::regrid
