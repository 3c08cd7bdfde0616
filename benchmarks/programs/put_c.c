/* Measures the cost of a put through the C interface.
 *   put_c CONFIGURATION STEPS     (rank 0 is the model, rank 1 the server) */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tailrace/tailrace.h"

enum { small_fields = 64, count = 125, calls_in_a_row = 1000 };

static double nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void check(const tailrace_error* error) {
  if (error->code == 0) return;
  fprintf(stderr, "%s\n", error->message);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void print(const char* name, double* samples, size_t n) {
  qsort(samples, n, sizeof *samples, compare);
  printf("figure %s %.1f %.1f %.1f %zu\n", name, samples[n / 2], samples[n / 10], samples[n - 1 - n / 10], n);
}

static void declare_grid(tailrace_session* io, tailrace_error* error) {
  const char* dims[] = {"x"};
  const int64_t shape[] = {count}, offset[] = {0};
  const tailrace_grid_spec line = {
      .name = "line", .rank = 1, .dims = dims, .shape = shape, .offset = offset, .count = shape};
  tailrace_grid(io, &line, error);
  check(error);
}

static int declare(tailrace_session* io, const char* name, tailrace_error* error) {
  const tailrace_field_spec field = {.name = name, .grid = "line", .type = TAILRACE_FLOAT64};
  const int handle = tailrace_field(io, &field, error);
  check(error);
  return handle;
}

int main(int argc, char** argv) {
  int provided;
  if (argc != 3) return 2;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  tailrace_error error = TAILRACE_NO_ERROR;
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, argv[1], NULL, &error);
  check(&error);
  if (!tailrace_is_server(io)) {
    const int steps = atoi(argv[2]);
    double values[count] = {0};
    int small[small_fields];
    double* small_times = malloc((size_t)steps * small_fields * sizeof(double));
    double* unused_times = malloc((size_t)steps * sizeof(double));
    declare_grid(io, &error);
    for (int i = 0; i < small_fields; ++i) {
      char name[32];
      snprintf(name, sizeof name, "small_%d", i);
      small[i] = declare(io, name, &error);
    }
    const int unused = declare(io, "unused", &error);
    tailrace_ready(io, &error);
    check(&error);
    for (int step = 0; step < steps; ++step) {
      tailrace_step(io, step + 1, step + 1, &error);
      check(&error);
      for (int i = 0; i < small_fields; ++i) {
        const double begin = nanoseconds();
        tailrace_put(io, small[i], values, TAILRACE_FLOAT64, count, &error);
        small_times[step * small_fields + i] = nanoseconds() - begin;
      }
      const double begin = nanoseconds();
      for (int i = 0; i < calls_in_a_row; ++i)
        tailrace_put(io, unused, values, TAILRACE_FLOAT64, count, &error);
      unused_times[step] = (nanoseconds() - begin) / calls_in_a_row;
      nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    tailrace_finish(io, &error);
    check(&error);
    print("small", small_times, (size_t)steps * small_fields);
    print("unused", unused_times, (size_t)steps);
    free(small_times);
    free(unused_times);
  }
  tailrace_free(io);
  MPI_Finalize();
}
