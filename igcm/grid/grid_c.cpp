#include "grid_c.h"

#include <exception>
#include <string>

#include "arrays.hpp"

struct igcm_grid {
  mutable igcm::grid::Grid arrays;  // only read once it is made
};

namespace {

thread_local std::string error;

template <class Number>
const Number* find(const igcm_grid* grid, const char* name, int64_t* length, int64_t* width) {
  const auto array = igcm::grid::array_named<Number>(grid->arrays, name);
  *length = array.length;
  *width = array.width;
  return array.data;
}

igcm::grid::GridOptions converted(const igcm_grid_options& from) {
  igcm::grid::GridOptions to;
  to.points.root = from.root;
  to.points.bisections = from.bisections;
  to.points.relaxation = static_cast<igcm::grid::Relaxation>(from.relaxation);
  to.points.iterations = from.iterations;
  to.points.spring_length = from.spring_length;
  to.points.threads = static_cast<unsigned>(from.threads);
  to.centre = static_cast<igcm::grid::Centre>(from.centre);
  to.radius = from.radius;
  return to;
}

}  // namespace

void igcm_grid_default_options(igcm_grid_options* options) {
  const igcm::grid::GridOptions from;
  *options = {from.points.root,
              from.points.bisections,
              static_cast<int32_t>(from.points.relaxation),
              from.points.iterations,
              static_cast<int32_t>(from.centre),
              static_cast<int32_t>(from.points.threads),
              from.points.spring_length,
              from.radius};
}

igcm_grid* igcm_grid_make(const igcm_grid_options* options) {
  try {
    return new igcm_grid{igcm::grid::make_grid(converted(*options))};
  } catch (const std::exception& reason) {
    error = reason.what();
    return nullptr;
  }
}

const char* igcm_grid_error(void) { return error.c_str(); }
void igcm_grid_free(igcm_grid* grid) { delete grid; }

const int32_t* igcm_grid_int32(const igcm_grid* grid, const char* name, int64_t* length, int64_t* width) {
  return find<std::int32_t>(grid, name, length, width);
}
const int8_t* igcm_grid_int8(const igcm_grid* grid, const char* name, int64_t* length, int64_t* width) {
  return find<std::int8_t>(grid, name, length, width);
}
const double* igcm_grid_double(const igcm_grid* grid, const char* name, int64_t* length, int64_t* width) {
  return find<double>(grid, name, length, width);
}
