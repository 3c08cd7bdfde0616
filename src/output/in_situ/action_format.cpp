// Hands each commit to the process of an action: as a NetCDF file in memory, with the records of this commit
// alone and all that does not change with time. So the process needs nothing but a reader of NetCDF.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "env/child.hpp"
#include "env/clock.hpp"
#include "output/checks.hpp"
#include "output/dataset.hpp"
#include "output/in_situ/action.hpp"

namespace tailrace::output::in_situ {
namespace {

constexpr const char* image_name = "/step.nc";
constexpr double slack_seconds = 90.0;  // for the process, besides the calls, until it is killed

const Format& netcdf() {
  const Format* const format = find_format("netcdf");
  TAILRACE_ASSERT(format != nullptr, "the format of the steps is part of this library");
  return *format;
}

std::vector<std::string> command_of(const Action& action) {
  return {action.interpreter,
          "-P",  // a module in the working directory must not stand in for one of Python's own
          "-m",
          "tailrace.in_situ",
          "--socket={socket}",
          "--name=" + action.name,
          "--script=" + action.script,
          "--function=" + action.function,
          fmt::format("--timeout={}", action.timeout_seconds),
          fmt::format("--memory={}", action.memory),
          "--report=" + action.report_directory};
}

bool has_records(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after) {
  return before != after;
}

class ActionDataset final : public Dataset {
 public:
  explicit ActionDataset(const DatasetSpec& spec)
      : spec_(spec), action_(*spec.action), lengths_(first_lengths(spec)), child_(command_of(action_)) {
    for (const auto& [dim, records] : spec.kept) lengths_[static_cast<std::size_t>(dim)] = records;
    spec_.kept.clear();
    spec_.if_exists = IfExists::replace;
    spec_.sync = false;
  }

  void commit(const Commit& commit) override {
    TAILRACE_ASSERT(!closed_, "commit to a closed dataset");
    keep_fixed(commit);
    std::vector<std::int64_t> after = lengths_;
    for (const auto& [dim, length] : commit.lengths) after[static_cast<std::size_t>(dim)] = length;
    if (has_records(lengths_, after) && has_room()) hand_over(records_of(commit));
    lengths_ = after;
  }

  // Returns when the process has handled what was handed to it, or had its time.
  void close() override {
    if (std::exchange(closed_, true) || given_up_) return;
    child_.send(fmt::format("end {}", discarded_));
    double patience = slack_seconds + (waiting_ + 1) * action_.timeout_seconds;
    for (double end = env::steady_seconds() + patience; child_.is_heard();) {
      take_answers(std::clamp(end - env::steady_seconds(), 0.0, 1.0));
      if (env::steady_seconds() < end) continue;
      base::log_warning(
          fmt::format("in_situ.{}: its process did not end in {:.0f} s after the run and is killed",
                      action_.name, patience));
      break;
    }
  }

  std::uint64_t bytes_on_disk() const override { return 0; }

 private:
  bool is_fixed(int variable) const {
    return !grows(spec_, spec_.variables[static_cast<std::size_t>(variable)]);
  }

  // What comes once is part of each file.
  void keep_fixed(const Commit& commit) {
    for (const EncodedChunk& chunk : commit.chunks)
      if (is_fixed(chunk.variable)) fixed_.chunks.push_back(chunk);
    for (const PlainValues& values : commit.values)
      if (is_fixed(values.variable)) fixed_.values.push_back(values);
  }

  // With the first new record as the first one.
  Commit records_of(const Commit& commit) const {
    Commit part = fixed_;
    for (const auto& [dim, length] : commit.lengths)
      part.lengths[dim] = length - lengths_[static_cast<std::size_t>(dim)];
    for (EncodedChunk chunk : commit.chunks) {
      if (is_fixed(chunk.variable)) continue;
      chunk.offset.front() -= first_of(chunk.variable);
      part.chunks.push_back(std::move(chunk));
    }
    for (PlainValues values : commit.values) {
      if (is_fixed(values.variable)) continue;
      values.first -= first_of(values.variable);
      part.values.push_back(std::move(values));
    }
    return part;
  }

  std::int64_t first_of(int variable) const {
    const int dim = spec_.variables[static_cast<std::size_t>(variable)].dims.front();
    return lengths_[static_cast<std::size_t>(dim)];
  }

  bool has_room() {
    take_answers(0.0);
    while (action_.waits && waiting_ >= action_.queue && child_.is_heard()) take_answers(1.0);
    if (!child_.is_heard()) give_up();
    if (given_up_) return false;
    if (waiting_ < action_.queue) return true;
    if (discarded_++ == 0)
      base::log_warning(
          fmt::format("in_situ.{}: {} steps wait for its function, so further ones are discarded "
                      "until it has done one (`queue`, `when_full`)",
                      action_.name, waiting_));
    return false;
  }

  // What the system refuses here is the action's loss, not the run's.
  void hand_over(const Commit& records) {
    try {
      if (child_.send(fmt::format("step {}", discarded_), image_of(records)))
        ++waiting_;
      else
        give_up();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::resource) throw;
      ++discarded_;
      base::log_warning(fmt::format("in_situ.{}: a step is discarded: {}", action_.name, error.what()));
    }
  }

  std::vector<std::byte> image_of(const Commit& records) {
    const auto files = env::make_memory_files(std::uint64_t{1} << 40);
    spec_.path = image_name;
    const auto image = netcdf().create(spec_, *files);
    image->commit(records);
    image->close();
    const auto file = files->open(image_name, env::Access::read);
    std::vector<std::byte> bytes(file->size());
    file->read(0, bytes);
    return bytes;
  }

  void take_answers(double seconds) {
    while (const auto answer = child_.receive(seconds)) {
      if (*answer == "done") --waiting_;
      seconds = 0.0;
    }
  }

  void give_up() {
    if (std::exchange(given_up_, true)) return;
    base::log_warning(
        fmt::format("in_situ.{}: its process ({}) {}; it gets no further steps, and the run goes on",
                    action_.name, action_.interpreter, child_.ending()));
  }

  DatasetSpec spec_;
  const Action& action_;
  std::vector<std::int64_t> lengths_;
  Commit fixed_;
  env::Child child_;
  int waiting_ = 0;  // steps that were handed over and are not done
  std::uint64_t discarded_ = 0;
  bool given_up_ = false;
  bool closed_ = false;
};

class ActionFormat final : public Format {
 public:
  std::string name() const override { return "in_situ"; }
  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem&) const override {
    check_spec(spec);
    TAILRACE_ASSERT(spec.action != nullptr, "only an action has this format");
    try {
      if (env::system_files().entry(spec.action->script) != env::Entry::file)
        throw Error(ErrorCode::resource,
                    fmt::format("{} is not a file; expected a Python file with the function {}",
                                spec.action->script, spec.action->function));
      return std::make_unique<ActionDataset>(spec);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
      throw Error(error.code(), fmt::format("{}: {}", spec.path, error.what()));
    }
  }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return false; }
  bool is_for_files() const override { return false; }
  std::size_t cache_bytes() const override { return netcdf().cache_bytes(); }
  std::string danger_beside_model() const override { return netcdf().danger_beside_model(); }
};

const FormatRegistration registration{std::make_unique<ActionFormat>()};

}  // namespace
}  // namespace tailrace::output::in_situ
