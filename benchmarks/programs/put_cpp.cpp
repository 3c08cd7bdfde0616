// Measures the cost of each call for fields of several sizes, compared with memcpy into shared memory of the
// same size.
//   put_cpp CONFIGURATION RING_BYTES STEPS     (rank 0 is the model, rank 1 the server)
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <thread>

#include "stopwatch.hpp"
#include "tailrace/tailrace.hpp"

using benchmarks::nanoseconds;
using benchmarks::Samples;

namespace {

constexpr int small_fields = 64;      // of 1 KB, put one after the other
constexpr int calls_in_a_row = 1000;  // of what is too short for a clock

struct Size {
  std::string name;
  std::size_t bytes;
};
const std::vector<Size> put_sizes = {
    {"1k", 1000}, {"64k", 64000}, {"1m", 1000000}, {"4m", 4000000}, {"16m", 16000000}};
const std::vector<Size> slot_sizes = {{"1k", 1000}, {"1m", 1000000}, {"16m", 16000000}};

// Shared memory of a given size, all of it resident, which is filled from start to end repeatedly. This is
// the least that a put must do.
class Region {
 public:
  explicit Region(std::size_t bytes) : bytes_(bytes) {
    const std::string name = "/tailrace-benchmark-" + std::to_string(getpid());
    const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    shm_unlink(name.c_str());
    if (file < 0 || posix_fallocate(file, 0, static_cast<off_t>(bytes)) != 0)
      throw std::runtime_error("no shared memory");
    void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    close(file);
    if (place == MAP_FAILED) throw std::runtime_error("no shared memory");
    data_ = static_cast<std::byte*>(place);
  }
  ~Region() { munmap(data_, bytes_); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  void copy(const void* from, std::size_t bytes) {
    if (position_ + bytes > bytes_) position_ = 0;
    std::memcpy(data_ + position_, from, bytes);
    position_ += (bytes + 127) / 64 * 64;
  }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
  std::size_t position_ = 0;
};

class Model {
 public:
  Model(tailrace::Session& io, std::size_t ring)
      : io_(io), region_(ring), source_(put_sizes.back().bytes / sizeof(double)) {
    for (const Size& size : put_sizes) put_.push_back(declare("put_" + size.name, size.bytes));
    for (const Size& size : put_sizes) view_.push_back(declare("view_" + size.name, size.bytes));
    for (const Size& size : slot_sizes) slot_.push_back(declare("slot_" + size.name, size.bytes));
    for (int i = 0; i < small_fields; ++i) small_.push_back(declare("small_" + std::to_string(i), 1000));
    rare_ = declare("rare", 1000);
    unused_ = declare("unused", 1000);
    io_.ready();
  }

  void step(int step) {
    for (std::size_t i = 0; i < source_.size(); ++i)
      source_[i] = static_cast<double>(step) + static_cast<double>(i);
    times_["step"].time([&] { io_.step(step, step); });
    for (std::size_t s = 0; s < put_sizes.size(); ++s) compare(s, step);
    for (std::size_t s = 0; s < slot_sizes.size(); ++s) in_place(s, step);
    for (const tailrace::FieldHandle field : small_)
      times_["small"].time([&] { io_.put(field, std::span<const double>(source_.data(), 125)); });
    if (step == 1)
      io_.put(rare_, std::span<const double>(source_.data(), 125));
    else
      in_a_row("rare", [&] { io_.put(rare_, std::span<const double>(source_.data(), 125)); });
    in_a_row("unused", [&] { io_.put(unused_, std::span<const double>(source_.data(), 125)); });
    in_a_row("wants", [&] { wanted_ += io_.wants(rare_); });
    times_["clock"].time([] {});
  }

  void print() {
    for (auto& [name, samples] : times_) samples.print(name);
    std::printf("wanted %ld\n", wanted_);
  }

 private:
  tailrace::FieldHandle declare(const std::string& name, std::size_t bytes) {
    const auto count = static_cast<std::int64_t>(bytes / sizeof(double));
    io_.grid({.name = name, .dims = {"x_" + name}, .shape = {count}, .offset = {0}, .count = {count}});
    return io_.field({.name = name, .grid = name});
  }

  // The same bytes by memcpy, put and put of an ArrayView. The order rotates.
  void compare(std::size_t s, int step) {
    const std::size_t bytes = put_sizes[s].bytes;
    const std::size_t count = bytes / sizeof(double);
    const std::string& name = put_sizes[s].name;
    const tailrace::ArrayView view{
        source_.data(), tailrace::Type::float64, {static_cast<std::int64_t>(count)}, {}};
    for (int turn = 0; turn < 3; ++turn) {
      switch ((step + turn) % 3) {
        case 0: times_["memcpy_" + name].time([&] { region_.copy(source_.data(), bytes); }); break;
        case 1:
          times_["put_" + name].time(
              [&] { io_.put(put_[s], std::span<const double>(source_.data(), count)); });
          break;
        default: times_["view_" + name].time([&] { io_.put(view_[s], view); });
      }
    }
  }

  void in_place(std::size_t s, int step) {
    const double begin = nanoseconds();
    const std::span<std::byte> slot = io_.acquire(slot_[s]);
    const double acquired = nanoseconds();
    std::memset(slot.data(), step & 1, slot.size());
    const double filled = nanoseconds();
    io_.publish(slot_[s]);
    const double published = nanoseconds();
    times_["acquire_" + slot_sizes[s].name].add(acquired - begin);
    times_["publish_" + slot_sizes[s].name].add(published - filled);
    times_["slot_" + slot_sizes[s].name].add(acquired - begin + published - filled);
  }

  template <class Work>
  void in_a_row(const std::string& name, Work&& work) {
    const double begin = nanoseconds();
    for (int i = 0; i < calls_in_a_row; ++i) work();
    times_[name].add((nanoseconds() - begin) / calls_in_a_row);
  }

  tailrace::Session& io_;
  Region region_;
  std::vector<double> source_;
  std::vector<tailrace::FieldHandle> put_, view_, slot_, small_;
  tailrace::FieldHandle rare_, unused_;
  std::map<std::string, Samples> times_;
  long wanted_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), argv[1]);
    if (!io.is_server()) {
      Model model(io, std::strtoull(argv[2], nullptr, 10));
      const int steps = std::atoi(argv[3]);
      for (int step = 1; step <= steps; ++step) {
        model.step(step);
        std::this_thread::sleep_for(std::chrono::milliseconds(40));  // the server's time to empty the ring
      }
      io.finish();
      model.print();
    }
  }
  MPI_Finalize();
}
