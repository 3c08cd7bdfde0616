/* The grid for C and Fortran: it is made once, and its arrays are read where they lie. Names, shapes and
   units are those of grid.hpp; the last dimension of C is the fastest. Local; several threads may read one
   grid. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct igcm_grid igcm_grid;

typedef struct {
  int32_t root, bisections; /* RnBk */
  int32_t relaxation;       /* 0 none, 1 spring, 2 centroidal */
  int32_t iterations;       /* of the relaxation at each level */
  int32_t centre;           /* of a cell: 0 circumcentre, 1 centroid */
  int32_t threads;
  double spring_length; /* at rest, by the mean spacing */
  double radius;        /* m */
} igcm_grid_options;

void igcm_grid_default_options(igcm_grid_options* options);

/* NULL if the options are out of range; igcm_grid_error then has the reason, for this thread. Free with
 * igcm_grid_free. */
igcm_grid* igcm_grid_make(const igcm_grid_options* options);
const char* igcm_grid_error(void);
void igcm_grid_free(igcm_grid* grid);

/* An array of the grid by its name, such as "edge_of_cell"; owned by the grid. *length is the number of
   entries, *width the numbers of each (3 for positions). NULL where no array of this type has the name. */
const int32_t* igcm_grid_int32(const igcm_grid* grid, const char* name, int64_t* length, int64_t* width);
const int8_t* igcm_grid_int8(const igcm_grid* grid, const char* name, int64_t* length, int64_t* width);
const double* igcm_grid_double(const igcm_grid* grid, const char* name, int64_t* length, int64_t* width);

#ifdef __cplusplus
}
#endif
