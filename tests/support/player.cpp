// A scripted model for the whole-job tests: declares grids and fields, steps through given times, puts values
// that pytest can compute too, and misbehaves if its scenario requests it. tests/support/harness.py describes
// the keys of a scenario and the formula of the values.
//
//   player SCENARIO.json          a model rank (or a server, if the configuration makes it one)
//   player --serve CONFIGURATION  a server rank of an MPMD launch
//
// An error of Tailrace is printed as `ERROR <code> <message>` and gives exit status 3.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "declaring.hpp"
#include "decomposition.hpp"
#include "inputs.hpp"
#include "neighbours.hpp"
#include "padded.hpp"
#include "scenario.hpp"
#include "tailrace/tailrace.hpp"

namespace player {
namespace {

constexpr int status_of_error = 3;
constexpr std::size_t exchanging_fields = 3;  // the ranks exchange before the puts of so many fields

// One write, so that lines of several ranks do not mix. Also into a file, since a launcher that has survived
// the death of a rank may lose the last output of the others.
void say(const std::string& line) {
  const std::string whole = line + "\n";
  std::ofstream("said." + std::to_string(::getpid()), std::ios::app) << whole;
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, whole.data(), whole.size());
}

// values.py computes the same, in the same order of operations.
double value_at(std::int64_t field, std::int64_t position, double time, std::int64_t step) {
  const auto wave = static_cast<double>((position * 37) % 101) * 0.25;
  const auto slope = static_cast<double>(1 + position % 5);
  const auto jump = static_cast<double>((step * 31 + position) % 17);
  return static_cast<double>(field) * 100.0 + wave + time * slope + jump;
}

// For a field with a fill value: some cells never have a value, others sometimes. values.py has the same
// formula.
bool has_no_value(std::int64_t position, std::int64_t step) {
  return position % 11 == 7 || (5 * step + 3 * position) % 4 == 0;
}

// Sleeps occasionally if TAILRACE_RANDOM_DELAYS=<seed>:<most microseconds> is set, like Tailrace itself.
class Delays {
 public:
  explicit Delays(unsigned rank) {
    const char* text = std::getenv("TAILRACE_RANDOM_DELAYS");
    unsigned seed = 0;
    if (text && std::sscanf(text, "%u:%u", &seed, &longest_) == 2) random_.seed(seed * 1000 + rank + 1);
  }
  void maybe_wait() {
    if (longest_ == 0 || random_() % 3 != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % longest_));
  }

 private:
  std::minstd_rand random_;
  unsigned longest_ = 0;  // microseconds
};

class Player {
 public:
  Player(const Scenario& scenario, tailrace::Session& session)
      : scenario_(scenario),
        session_(session),
        delays_(static_cast<unsigned>(world_rank())),
        neighbours_(MPI_Comm_f2c(session.model_comm()), scenario.exchange_values) {
    const MPI_Comm comm = MPI_Comm_f2c(session.model_comm());
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    inputs_.emplace(scenario, session, rank_);
  }

  void play() {
    std::size_t done = 0;
    if (scenario_.checkpoints) {
      if (const auto at = session_.restarting()) {
        done = static_cast<std::size_t>(at->step);
        if (rank_ == 0) say("RESTARTED " + std::to_string(at->step));
      }
    }
    declare();
    if (misbehaves("put_before_ready", 0)) put(0, scenario_.initial_time, 0);
    neighbours_.exchange();
    session_.ready();
    if (done > 0) take_up(done);
    inputs_->begin(say);
    if (done == 0) get_inputs(0);
    for (std::size_t i = done; i < scenario_.times.size(); ++i) {
      take_step(static_cast<std::int64_t>(i) + 1, scenario_.times[i]);
      if (!scenario_.asks_stop || !session_.stop_requested()) continue;
      if (rank_ == 0) say("STOPPING " + std::to_string(i + 1));
      break;
    }
    neighbours_.exchange();
    session_.finish();
  }

 private:
  static int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }

  bool misbehaves(const char* kind, std::int64_t step) const {
    return scenario_.fault.kind == kind && scenario_.fault.rank == rank_ && scenario_.fault.step == step;
  }

  void declare() {
    for (const auto& [name, value] : scenario_.options) session_.option(name, value);
    for (const Grid& grid : scenario_.grids) {
      parts_.push_back(decompose(grid, rank_, ranks_, scenario_.fault));
      declare_grid(session_, grid, parts_.back());
    }
    inputs_->declare(parts_);
    for (const Field& field : scenario_.fields) {
      handles_.push_back(session_.field(field.spec));
      const Part* part = part_of(field);
      positions_.push_back(part ? part->global_positions(grid_of(field)->shape)
                                : std::vector<std::int64_t>{0});
    }
  }

  const Grid* grid_of(const Field& field) const {
    for (const Grid& grid : scenario_.grids) {
      if (grid.name == field.spec.grid) return &grid;
    }
    return nullptr;
  }

  const Part* part_of(const Field& field) const {
    const Grid* grid = grid_of(field);
    return grid ? &parts_[static_cast<std::size_t>(grid - scenario_.grids.data())] : nullptr;
  }

  void take_step(std::int64_t step, double time) {
    delays_.maybe_wait();
    if (scenario_.pace > 0) std::this_thread::sleep_for(std::chrono::duration<double>(scenario_.pace));
    if (misbehaves("exit", step)) std::_Exit(0);
    if (misbehaves("leave", step)) throw Left{};
    if (misbehaves("kill", step)) kill_victim();
    if (misbehaves("sleep", step)) std::this_thread::sleep_for(std::chrono::seconds(3));
    while (misbehaves("wait", step) && !std::filesystem::exists("go"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (scenario_.in_step) MPI_Barrier(MPI_Comm_f2c(session_.model_comm()));
    neighbours_.exchange();
    session_.step(step, time);
    for (std::size_t field = 0; field < scenario_.fields.size(); ++field) {
      if (field < exchanging_fields) neighbours_.exchange();
      if (is_missing(scenario_.fields[field], step) || !session_.wants(handles_[field])) continue;
      delays_.maybe_wait();
      put(field, time, step);
    }
    get_inputs(step);
    if (scenario_.checkpoints) maybe_checkpoint(step, time);
    if (misbehaves("undeclared", step)) session_.put("no_such_field", {});
    if (misbehaves("back_in_time", step)) session_.step(step + 1, time - 1000.0);
    if (scenario_.report_steps && rank_ == 0) say("STEP " + std::to_string(step));
  }

  // Says what is wrong at once: a rank that leaves may end the job.
  void get_inputs(std::int64_t step) {
    try {
      inputs_->get(step);
    } catch (const tailrace::Error& error) {
      say("NOTHING at step " + std::to_string(step) + ": " + error.what());
      throw;
    }
  }

  void maybe_checkpoint(std::int64_t step, double time) {
    if (std::ranges::count(scenario_.requests, step) > 0) session_.request_checkpoint();
    if (!session_.checkpoint_due()) return;
    for (std::size_t field = 0; field < scenario_.fields.size(); ++field)
      if (is_kept(scenario_.fields[field])) put(field, time, step);
    session_.put_value("seeds", std::vector<std::int64_t>{step, -step, 7});
    session_.put_value("time", std::vector<double>{time});
    session_.put_value("note", "behind step " + std::to_string(step));
    session_.checkpoint();
    if (rank_ == 0) say("CHECKPOINT " + std::to_string(step));
  }

  bool is_kept(const Field& field) const { return std::ranges::count(scenario_.got, field.spec.name) > 0; }

  // The checkpoint must have the values that were put, for any ranks.
  void take_up(std::size_t done) {
    const auto step = static_cast<std::int64_t>(done);
    const double time = scenario_.times[done - 1];
    for (std::size_t field = 0; field < scenario_.fields.size(); ++field)
      if (is_kept(scenario_.fields[field])) check_got(field, time, step);
    if (session_.get_value("seeds") != tailrace::Value(std::vector<std::int64_t>{step, -step, 7}) ||
        session_.get_value("time") != tailrace::Value(std::vector<double>{time}) ||
        session_.get_value("note") != tailrace::Value("behind step " + std::to_string(step)))
      throw std::logic_error("the checkpoint has other values");
  }

  void check_got(std::size_t field, double time, std::int64_t step) {
    switch (scenario_.fields[field].spec.type) {
      case tailrace::Type::float32: return check_got_as<float>(field, time, step);
      case tailrace::Type::float64: return check_got_as<double>(field, time, step);
      case tailrace::Type::int32: return check_got_as<std::int32_t>(field, time, step);
      case tailrace::Type::int64: return check_got_as<std::int64_t>(field, time, step);
    }
  }

  template <class T>
  void check_got_as(std::size_t field, double time, std::int64_t step) {
    const Grid* grid = grid_of(scenario_.fields[field]);
    std::vector<double> put = values_of(field, time, step);
    if (!grid || grid->kind == "replicated")
      for (double& value : put) value = std::abs(value);  // the first rank's count
    const std::vector<T> expected = dense_values<T>(put);
    const Part* part = part_of(scenario_.fields[field]);
    std::vector<T> got(expected.size());
    if (scenario_.fields[field].how == "strided" && part) {
      Padded<T> padded(std::vector<double>(expected.size(), -1.0), part->count());
      session_.get(handles_[field], padded.target);
      got = padded.inside();
    } else {
      session_.get(handles_[field], got);
    }
    if (std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) != 0)
      throw std::logic_error("the checkpoint has other values of " + scenario_.fields[field].spec.name);
  }

  bool is_missing(const Field& field, std::int64_t step) const {
    const auto& ranks = field.missing_ranks;
    return std::count(field.missing_steps.begin(), field.missing_steps.end(), step) > 0 &&
           (ranks.empty() || std::count(ranks.begin(), ranks.end(), rank_) > 0);
  }

  void kill_victim() {
    std::ifstream file("pid." + std::to_string(scenario_.fault.victim));
    pid_t victim = 0;
    if (file >> victim) ::kill(victim, SIGKILL);
  }

  std::vector<double> values_of(std::size_t field, double time, std::int64_t step) const {
    // On a replicated grid only the first rank's values are used; the others differ, to prove it.
    const Grid* grid = grid_of(scenario_.fields[field]);
    const bool counts = rank_ == 0 || (grid && grid->kind != "replicated");
    std::vector<double> values;
    values.reserve(positions_[field].size());
    const std::optional<tailrace::FillValue>& fill = scenario_.fields[field].spec.fill_value;
    for (const std::int64_t position : positions_[field]) {
      const double value = value_at(static_cast<std::int64_t>(field), position, time, step);
      values.push_back(fill && has_no_value(position, step) ? fill->number : counts ? value : -value);
    }
    return values;
  }

  void put(std::size_t field, double time, std::int64_t step) {
    const bool fixed = scenario_.fields[field].fixed;
    std::vector<double> values = values_of(field, fixed ? 0.0 : time, fixed ? 0 : step);
    if (misbehaves("wrong_size", step)) values.push_back(0.0);
    tailrace::Type type = scenario_.fields[field].spec.type;
    if (misbehaves("wrong_type", step)) {
      type = type == tailrace::Type::float32 ? tailrace::Type::float64 : tailrace::Type::float32;
    }
    switch (type) {
      case tailrace::Type::float32: return put_as<float>(field, values);
      case tailrace::Type::float64: return put_as<double>(field, values);
      case tailrace::Type::int32: return put_as<std::int32_t>(field, values);
      case tailrace::Type::int64: return put_as<std::int64_t>(field, values);
    }
  }

  template <class T>
  void put_as(std::size_t field, const std::vector<double>& values) {
    const std::string& how = scenario_.fields[field].how;
    const Part* part = part_of(scenario_.fields[field]);
    if (how == "strided" && part) {
      session_.put(handles_[field], Padded<T>(values, part->count()).view);
    } else if (how == "acquire") {
      const auto slot = session_.acquire(handles_[field]);
      const auto converted = dense_values<T>(values);
      if (slot.size() != converted.size() * sizeof(T)) throw std::logic_error("the slot has another size");
      std::memcpy(slot.data(), converted.data(), slot.size());
      session_.publish(handles_[field]);
    } else {
      session_.put(handles_[field], dense_values<T>(values));
    }
  }

 public:
  struct Left {};  // thrown to leave without finish, through the session's destructor

 private:
  const Scenario& scenario_;
  tailrace::Session& session_;
  Delays delays_;
  Neighbours neighbours_;
  int rank_ = 0, ranks_ = 1;
  std::vector<Part> parts_;                     // by grid
  std::vector<tailrace::FieldHandle> handles_;  // by field
  std::vector<std::vector<std::int64_t>> positions_;
  std::optional<Inputs> inputs_;
};

void leave_pid() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::ofstream("pid." + std::to_string(rank)) << ::getpid() << '\n';
}

void run(const Scenario& scenario) {
  auto session =
      tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), scenario.configuration,
                               {.component = scenario.component, .initial_time = scenario.initial_time});
  if (session.is_server()) {
    say("SERVED");
    return;
  }
  Player(scenario, session).play();
  if (!session.output_lost().empty()) say("LOST " + session.output_lost());
  say("FINISHED");
}

int guarded(int argc, char** argv) {
  try {
    if (argc == 3 && std::string(argv[1]) == "--serve") {
      tailrace::serve(MPI_Comm_c2f(MPI_COMM_WORLD), argv[2]);
      say("SERVED");
    } else if (argc == 2) {
      run(Scenario::read(argv[1]));
    } else {
      throw std::invalid_argument("usage: player SCENARIO.json | player --serve CONFIGURATION");
    }
    return 0;
  } catch (const Player::Left&) {
    say("LEFT");
    return 0;
  } catch (const tailrace::Error& error) {
    say("ERROR " + std::to_string(static_cast<int>(error.code())) + " " + error.what());
    return status_of_error;
  } catch (const std::exception& error) {
    say(std::string("UNEXPECTED ") + error.what());
    return 4;
  }
}

}  // namespace
}  // namespace player

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  ::signal(SIGXFSZ, SIG_IGN);  // a write past the limit on a file's size then fails, as on a full disk
  player::leave_pid();
  const int status = player::guarded(argc, argv);
  // After the kill of another rank, MPI_Finalize would wait for it.
  if (std::getenv("PLAYER_LEAVES_AT_ONCE")) std::_Exit(status);
  MPI_Finalize();
  return status;
}
