/* An operator in C: how far each cell is from the mean of its row along the last dimension, which it needs
 * whole. */
#include <stdio.h>

#include "tailrace/operator.h"

TAILRACE_EXPORT int departure(const tailrace_array* inputs, int count, tailrace_array* output, char* error,
                              size_t size) {
  const tailrace_array* in = &inputs[0];
  const int64_t cells = in->rank > 0 ? in->count[in->rank - 1] : 0;
  int64_t rows = 1;
  if (count != 1 || cells < 1) {
    snprintf(error, size, "departure takes one array of one dimension or more");
    return 1;
  }
  for (int64_t d = 0; d + 1 < in->rank; ++d) rows *= in->count[d];
  for (int64_t row = 0; row < rows; ++row) {
    const double* from = in->data + row * cells;
    double mean = 0.0;
    for (int64_t i = 0; i < cells; ++i) mean += from[i] / (double)cells;
    for (int64_t i = 0; i < cells; ++i) output->data[row * cells + i] = from[i] - mean;
  }
  return 0;
}
