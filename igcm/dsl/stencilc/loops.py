"""Helpers of generated C that share points among threads, cut them into tiles, and find neighbours without tables."""

# Points of a set are numbered through all of its ranges, and each thread has a run of them.
HELPERS = """
#ifndef STENCIL_LOOPS
#define STENCIL_LOOPS
#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __GNUC__
#define STENCIL_INLINE static inline __attribute__((always_inline))
#else
#define STENCIL_INLINE static inline
#endif
/* Keeps a loop from becoming one of vectors: gathering the numbers of a vector takes longer than reading each. */
#ifdef __GNUC__
#define STENCIL_ONE_BY_ONE __asm__ volatile("")
#else
#define STENCIL_ONE_BY_ONE (void)0
#endif
static inline int stencil_threads(void) {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}
/* A walk over the points of some ranges, tile by tile: first..end-1 is the tile at hand. */
typedef struct {
  const int32_t *range;
  ptrdiff_t at, left, first, end;
} stencil_walk;
static inline ptrdiff_t stencil_length(const int32_t *range) { return range[1] > range[0] ? range[1] - range[0] : 0; }
static inline stencil_walk stencil_part(const int32_t *range, int32_t ranges, int part, int parts) {
  stencil_walk walk = {range, 0, 0, 0, 0};
  ptrdiff_t all = 0;
  for (int32_t i = 0; i < ranges; ++i) all += stencil_length(range + 2 * i);
  ptrdiff_t skipped = all * part / parts;
  walk.left = all * (part + 1) / parts - skipped;
  if (walk.left == 0) return walk;
  for (; skipped >= stencil_length(walk.range); walk.range += 2) skipped -= stencil_length(walk.range);
  walk.at = walk.range[0] + skipped;
  return walk;
}
/* Tiles end at multiples of their size, where blocks of a layout end too. */
static inline int stencil_next(stencil_walk *walk, ptrdiff_t tile) {
  if (walk->left == 0) return 0;
  while (walk->at >= walk->range[1]) {
    walk->range += 2;
    walk->at = walk->range[0];
  }
  walk->first = walk->at;
  walk->end = (walk->at / tile + 1) * tile;
  if (walk->end > walk->range[1]) walk->end = walk->range[1];
  if (walk->end > walk->at + walk->left) walk->end = walk->at + walk->left;
  walk->left -= walk->end - walk->at;
  walk->at = walk->end;
  return 1;
}
/* Whether each point of a tile has its neighbour at the same distance, as in a patch of rows. */
static inline int stencil_alike(const int32_t *neighbours, ptrdiff_t count) {
  if (neighbours[count - 1] - neighbours[0] != count - 1) return 0;
  int32_t different = 0;
  for (ptrdiff_t i = 0; i < count; ++i) different |= neighbours[i] - neighbours[0] - (int32_t)i;
  return different == 0;
}
#endif
"""
