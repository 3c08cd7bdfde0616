/* A blob that the wind carries around a periodic plane: the smallest model with ranks, halos and steps of
 * varying length. The same in examples/toy/{c,cpp,fortran,python}. */
#include <stdio.h>
#include <stdlib.h>
#include <tailrace/tailrace.h>

enum { NX = 48, NY = 30 };
static const double spacing = 100.0, u = 80.0, v = 40.0, t_end = 20.0;

/* Rows 1 to nyl are this rank's; row 0 and column 0 are the halo on the sides that the wind comes from. */
typedef struct {
  MPI_Comm comm;
  int rank, size, y0, nyl;
  double (*h)[NX + 1], (*next)[NX + 1];
} model;

static void check(const tailrace_error* error) {
  if (error->code == TAILRACE_OK) return;
  fprintf(stderr, "toy: %s\n", error->message);
  MPI_Abort(MPI_COMM_WORLD, error->code);
}

static model initial_state(MPI_Comm comm) {
  model m = {.comm = comm};
  MPI_Comm_rank(comm, &m.rank);
  MPI_Comm_size(comm, &m.size);
  m.y0 = m.rank * NY / m.size;
  m.nyl = (m.rank + 1) * NY / m.size - m.y0;
  m.h = calloc((size_t)m.nyl + 1, sizeof *m.h);
  m.next = calloc((size_t)m.nyl + 1, sizeof *m.next);
  for (int j = 1; j <= m.nyl; ++j) {
    for (int i = 1; i <= NX; ++i) {
      const double x = ((i - 0.5) - 12.0) / 8.0, y = ((m.y0 + j - 0.5) - 10.0) / 8.0;
      const double bump = 1.0 - (x * x + y * y);
      m.h[j][i] = bump > 0.0 ? bump * bump : 0.0;
    }
  }
  return m;
}

static void fill_halo(model* m) {
  const int north = (m->rank + 1) % m->size, south = (m->rank + m->size - 1) % m->size;
  MPI_Sendrecv(m->h[m->nyl], NX + 1, MPI_DOUBLE, north, 0, m->h[0], NX + 1, MPI_DOUBLE, south, 0, m->comm,
               MPI_STATUS_IGNORE);
  for (int j = 0; j <= m->nyl; ++j) m->h[j][0] = m->h[j][NX];
}

static void advance(model* m, double dt) {
  const double cx = u * dt / spacing, cy = v * dt / spacing;
  fill_halo(m);
  for (int j = 1; j <= m->nyl; ++j) {
    for (int i = 1; i <= NX; ++i) {
      m->next[j][i] = m->h[j][i] - cx * (m->h[j][i] - m->h[j][i - 1]) - cy * (m->h[j][i] - m->h[j - 1][i]);
    }
  }
  double(*old)[NX + 1] = m->h;
  m->h = m->next;
  m->next = old;
}

static double largest(const model* m) {
  double local = 0.0, global;
  for (int j = 1; j <= m->nyl; ++j) {
    for (int i = 1; i <= NX; ++i) local = m->h[j][i] > local ? m->h[j][i] : local;
  }
  MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_MAX, m->comm);
  return global;
}

static void declare(tailrace_session* io, const model* m, tailrace_error* error) {
  double x[NX], y[NY];
  for (int i = 0; i < NX; ++i) x[i] = (i + 0.5) * spacing;
  for (int j = 0; j < NY; ++j) y[j] = (j + 0.5) * spacing;
  tailrace_grid(io,
                &(tailrace_grid_spec){.name = "plane",
                                      .rank = 2,
                                      .dims = (const char*[]){"y", "x"},
                                      .shape = (int64_t[]){NY, NX},
                                      .offset = (int64_t[]){m->y0, 0},
                                      .count = (int64_t[]){m->nyl, NX}},
                error);
  check(error);
  tailrace_coordinate(io, "plane", &(tailrace_coordinate_spec){.name = "y", .units = "m"}, y, NY, error);
  check(error);
  tailrace_coordinate(io, "plane", &(tailrace_coordinate_spec){.name = "x", .units = "m"}, x, NX, error);
  check(error);
  tailrace_field(io,
                 &(tailrace_field_spec){.name = "h",
                                        .grid = "plane",
                                        .type = TAILRACE_FLOAT64,
                                        .units = "m",
                                        .long_name = "height of the blob"},
                 error);
  check(error);
  tailrace_field(io,
                 &(tailrace_field_spec){
                     .name = "h_max", .type = TAILRACE_FLOAT64, .units = "m", .long_name = "largest height"},
                 error);
  check(error);
  tailrace_ready(io, error);
  check(error);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tailrace_error error = TAILRACE_NO_ERROR;
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, argc > 1 ? argv[1] : "toy.yaml",
                                        &(tailrace_start_options){.component = "toy"}, &error);
  check(&error);
  if (!tailrace_is_server(io)) {
    model m = initial_state(tailrace_model_comm(io, &error));
    declare(io, &m, &error);
    const int h = tailrace_handle(io, "h", &error), h_max = tailrace_handle(io, "h_max", &error);
    double t = 0.0;
    for (int step = 1; t < t_end; ++step) {
      const double dt = 0.2 * (1 + step % 3);
      advance(&m, dt);
      t = t + dt;
      tailrace_step(io, step, t, &error);
      check(&error);
      tailrace_put_strided(io, h, &m.h[1][1], TAILRACE_FLOAT64, 2, (int64_t[]){m.nyl, NX},
                           (int64_t[]){NX + 1, 1}, &error);
      check(&error);
      const double height = largest(&m);
      tailrace_put(io, h_max, &height, TAILRACE_FLOAT64, 1, &error);
      check(&error);
    }
    tailrace_finish(io, &error);
    check(&error);
    free(m.h);
    free(m.next);
  }
  tailrace_free(io);
  MPI_Finalize();
}
