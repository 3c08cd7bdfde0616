// A blob that the wind carries around a periodic plane: the smallest model with ranks, halos and steps of
// varying length. The same in examples/toy/{c,cpp,fortran,python}.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <tailrace/tailrace.hpp>
#include <vector>

constexpr int nx = 48, ny = 30;
constexpr double spacing = 100.0, u = 80.0, v = 40.0, t_end = 20.0;

// Rows 1 to nyl are this rank's; row 0 and column 0 are the halo on the sides that the wind comes from.
class Model {
 public:
  explicit Model(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    y0 = rank_ * ny / size_;
    nyl = (rank_ + 1) * ny / size_ - y0;
    h_.resize(static_cast<std::size_t>(nyl + 1) * (nx + 1));
    next_ = h_;
    for (int j = 1; j <= nyl; ++j) {
      for (int i = 1; i <= nx; ++i) {
        const double x = ((i - 0.5) - 12.0) / 8.0, y = ((y0 + j - 0.5) - 10.0) / 8.0;
        const double bump = 1.0 - (x * x + y * y);
        at(h_, j, i) = bump > 0.0 ? bump * bump : 0.0;
      }
    }
  }

  void advance(double dt) {
    const double cx = u * dt / spacing, cy = v * dt / spacing;
    fill_halo();
    for (int j = 1; j <= nyl; ++j) {
      for (int i = 1; i <= nx; ++i) {
        const double h = at(h_, j, i);
        at(next_, j, i) = h - cx * (h - at(h_, j, i - 1)) - cy * (h - at(h_, j - 1, i));
      }
    }
    h_.swap(next_);
  }

  double largest() {
    double local = 0.0, global = 0.0;
    for (int j = 1; j <= nyl; ++j) {
      for (int i = 1; i <= nx; ++i) local = std::max(local, at(h_, j, i));
    }
    MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_MAX, comm_);
    return global;
  }

  // The rows and columns of this rank, without the halo.
  tailrace::ArrayView interior() {
    return {
        .data = &at(h_, 1, 1), .type = tailrace::Type::float64, .shape = {nyl, nx}, .strides = {nx + 1, 1}};
  }

  int y0 = 0, nyl = 0;

 private:
  static double& at(std::vector<double>& h, int j, int i) {
    return h[static_cast<std::size_t>(j) * (nx + 1) + static_cast<std::size_t>(i)];
  }

  void fill_halo() {
    const int north = (rank_ + 1) % size_, south = (rank_ + size_ - 1) % size_;
    MPI_Sendrecv(&at(h_, nyl, 0), nx + 1, MPI_DOUBLE, north, 0, &at(h_, 0, 0), nx + 1, MPI_DOUBLE, south, 0,
                 comm_, MPI_STATUS_IGNORE);
    for (int j = 0; j <= nyl; ++j) at(h_, j, 0) = at(h_, j, nx);
  }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  std::vector<double> h_, next_;
};

void declare(tailrace::Session& io, const Model& model) {
  std::vector<double> x, y;
  for (int i = 0; i < nx; ++i) x.push_back((i + 0.5) * spacing);
  for (int j = 0; j < ny; ++j) y.push_back((j + 0.5) * spacing);
  io.grid({.name = "plane",
           .dims = {"y", "x"},
           .shape = {ny, nx},
           .offset = {model.y0, 0},
           .count = {model.nyl, nx}});
  io.coordinate("plane", {.name = "y", .units = "m"}, y);
  io.coordinate("plane", {.name = "x", .units = "m"}, x);
  io.field({.name = "h", .grid = "plane", .units = "m", .long_name = "height of the blob"});
  io.field({.name = "h_max", .units = "m", .long_name = "largest height"});
  io.ready();
}

void run(const char* configuration) {
  auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), configuration, {.component = "toy"});
  if (io.is_server()) return;
  Model model(MPI_Comm_f2c(io.model_comm()));
  declare(io, model);
  const auto h = io.handle("h"), h_max = io.handle("h_max");
  double t = 0.0;
  for (int step = 1; t < t_end; ++step) {
    const double dt = 0.2 * (1 + step % 3);
    model.advance(dt);
    t = t + dt;
    io.step(step, t);
    io.put(h, model.interior());
    io.put(h_max, std::vector<double>{model.largest()});
  }
  io.finish();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run(argc > 1 ? argv[1] : "toy.yaml");
  } catch (const tailrace::Error& error) {
    std::fprintf(stderr, "toy: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(error.code()));
  }
  MPI_Finalize();
}
