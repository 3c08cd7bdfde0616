// Hands each commit to the process of an action: as a NetCDF file in memory, with the records of this commit
// alone and all that does not change with time. So the process needs nothing but a reader of NetCDF.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "output/checks.hpp"
#include "output/consumer/step_queue.hpp"
#include "output/in_situ/options.hpp"

namespace tailrace::output::in_situ {
namespace {

constexpr const char* image_name = "/step.nc";
constexpr double slack_seconds = 30.0;  // for the process, besides loading and calls, until it is killed

const Format& netcdf() {
  const Format* const format = find_format("netcdf");
  TAILRACE_ASSERT(format != nullptr, "the format of the steps is part of this library");
  return *format;
}

std::vector<std::string> command_of(const Action& action, const std::string& report_directory) {
  return {action.interpreter,
          "-P",  // a module in the working directory must not stand in for one of Python's own
          "-m",
          "tailrace.in_situ",
          "--socket={socket}",
          "--name=" + action.name,
          "--script=" + action.script,
          "--function=" + action.function,
          fmt::format("--timeout={}", action.timeout_seconds),
          fmt::format("--start-within={}", action.start_within_seconds),
          fmt::format("--memory={}", action.memory),
          "--report=" + report_directory};
}

const Action& action_of(const DatasetSpec& spec) { return unwrap_options<Action>(spec.options.get()); }

class ActionDataset final : public Dataset, private consumer::StepQueue {
 public:
  explicit ActionDataset(const DatasetSpec& spec)
      : StepQueue(command_of(action_of(spec), spec.report_directory),
                  {.steps = static_cast<std::size_t>(action_of(spec).queue), .waits = action_of(spec).waits}),
        spec_(spec),
        action_(action_of(spec)),
        lengths_(first_lengths(spec)) {
    for (const auto& [dim, records] : spec.kept) lengths_[base::index(dim)] = records;
    spec_.kept.clear();
    spec_.if_exists = IfExists::replace;
    spec_.sync = false;
  }

  void commit(const Commit& commit) override {
    TAILRACE_ASSERT(!closed_, "commit to a closed dataset");
    keep_fixed(commit);
    std::vector<std::int64_t> after = lengths_;
    for (const auto& [dim, length] : commit.lengths) after[base::index(dim)] = length;
    if (lengths_ != after) pass_on(commit);
    lengths_ = after;
  }

  // Returns when the process has handled all of its steps, or its time is over.
  void close() override {
    if (std::exchange(closed_, true) || given_up_) return;
    const double patience = slack_seconds + (static_cast<double>(waiting_.size()) + 1.0) *
                                                (action_.timeout_seconds + action_.start_within_seconds);
    if (!finish(fmt::format("end {}", discarded_), patience, false))
      base::log_warning(
          fmt::format("in_situ.{}: its process did not end in {:.0f} s after the run and is killed",
                      action_.name, patience));
  }

  std::uint64_t bytes_on_disk() const override { return 0; }

 private:
  bool is_fixed(int variable) const { return !grows(spec_, spec_.variables[base::index(variable)]); }

  // Variables that do not grow come once, and are part of each step.
  void keep_fixed(const Commit& commit) {
    for (const EncodedChunk& chunk : commit.chunks)
      if (is_fixed(chunk.variable)) fixed_.chunks.push_back(chunk);
    for (const PlainValues& values : commit.values)
      if (is_fixed(values.variable)) fixed_.values.push_back(values);
  }

  // The first new record becomes the first one.
  Commit records_of(const Commit& commit) const {
    Commit part = fixed_;
    for (const auto& [dim, length] : commit.lengths) part.lengths[dim] = length - lengths_[base::index(dim)];
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
    const int dim = spec_.variables[base::index(variable)].dims.front();
    return lengths_[base::index(dim)];
  }

  void pass_on(const Commit& commit) {
    const Room room = look_for_room();
    if (room == Room::full) ++discarded_;
    if (room != Room::free) return;
    hand_over(0, [&](Waiting&) {
      return child_->send(fmt::format("step {}", discarded_), image_of(records_of(commit)));
    });
  }

  std::vector<std::byte> image_of(const Commit& records) {
    const auto files = env::make_memory_files(std::uint64_t{1} << 40);
    DatasetSpec spec = spec_;
    spec.path = image_name;
    spec.options = nullptr;  // those of the action are none of NetCDF
    const auto image = netcdf().create(spec, *files);
    image->commit(records);
    image->close();
    const auto file = files->open(image_name, env::Access::read);
    std::vector<std::byte> bytes(file->size());
    file->read(0, bytes);
    return bytes;
  }

  void answered(const std::string& answer) override {
    if (answer == "done" && !waiting_.empty()) waiting_.pop_front();
  }

  void ended(const std::string& how) override {
    given_up_ = true;
    base::log_warning(
        fmt::format("in_situ.{}: its process ({}) {}; it gets no further steps, and the run goes on",
                    action_.name, action_.interpreter, how));
  }

  void refused(const Error& error) override {
    ++discarded_;
    base::log_warning(fmt::format("in_situ.{}: a step is discarded: {}", action_.name, error.what()));
  }

  std::string warning_when_full() const override {
    return fmt::format(
        "in_situ.{}: {} steps wait for its function, so further ones are discarded until it has done one "
        "(`queue`, `when_full`)",
        action_.name, waiting_.size());
  }

  DatasetSpec spec_;
  const Action& action_;  // lives as long as spec_ does
  std::vector<std::int64_t> lengths_;
  Commit fixed_;
  std::uint64_t discarded_ = 0;
  bool given_up_ = false;
  bool closed_ = false;
};

class ActionFormat final : public Format {
 public:
  std::string name() const override { return "in_situ"; }

  std::optional<FormatSection> section() const override { return action_section(); }
  std::string describe(const FormatOptions* options) const override {
    const auto& action = unwrap_options<Action>(options);
    return fmt::format("({} of {}), with each record, at most {} waiting, when full: {}", action.function,
                       action.script, action.queue, action.waits ? "wait" : "discard");
  }

  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem&) const override {
    check_spec(spec);
    TAILRACE_ASSERT(spec.options != nullptr, "only an action has this format");
    const Action& action = action_of(spec);
    try {
      if (env::system_files().entry(action.script) != env::Entry::file)
        throw Error(ErrorCode::resource,
                    fmt::format("{} is not a file; expected a Python file with the function {}",
                                action.script, action.function));
      return std::make_unique<ActionDataset>(spec);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
      throw Error(error.code(), fmt::format("{}: {}", spec.path, error.what()));
    }
  }

  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return false; }
  bool is_for_files() const override { return false; }
  bool keeps_constants() const override { return false; }
  // Each step is a dataset of its own, so any record may be its first.
  std::optional<std::int64_t> records_per_chunk() const override { return 1; }
  std::size_t cache_bytes(const std::string& path) const override { return netcdf().cache_bytes(path); }
  std::string danger_beside_model() const override { return netcdf().danger_beside_model(); }
};

const FormatRegistration registration{std::make_unique<ActionFormat>()};

}  // namespace
}  // namespace tailrace::output::in_situ
