// BP datasets of ADIOS2, with the engines BP5 and BP4: each commit is a step. Layout: docs/formats/adios2.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/index.hpp"
#include "base/log.hpp"
#include "output/adios2/bp_version.hpp"
#include "output/adios2/engine_spec.hpp"
#include "output/adios2/existing.hpp"
#include "output/adios2/library.hpp"
#include "output/adios2/section.hpp"
#include "output/adios2/step_cutter.hpp"
#include "output/adios2/step_index.hpp"
#include "output/adios2/stream/stream_format.hpp"
#include "output/checks.hpp"

namespace tailrace::output::adios2 {
namespace {

namespace fs = std::filesystem;

// The state of a dataset when a run begins to write it, or appends to it.
struct Beginning {
  std::size_t steps = 0;
  std::vector<std::int64_t> lengths;
  std::vector<std::size_t> left;      // variables that do not grow, and are there
  std::unique_ptr<env::File> marked;  // its index, with this session's mark
};

std::unique_ptr<env::File> marked_index(env::FileSystem& files, const std::string& place,
                                        env::Access access) {
  auto index = files.open(index_of(place), access);
  mark_as_writer(*index, index_of(place));
  return index;
}

class BpDataset final : public Dataset {
 public:
  BpDataset(const DatasetSpec& spec, const std::string& place, Beginning beginning)
      : spec_(spec),
        marked_(std::move(beginning.marked)),
        described_(engine_spec(spec, place)),
        lengths_(std::move(beginning.lengths)),
        cutter_(spec, false, described_.options.engine == Engine::bp5),
        texts_(spec),
        steps_(beginning.steps) {
    described_.appends = steps_ > 0;
    engine_ = open_engine(described_);
    for (const std::size_t variable : beginning.left) cutter_.leave(variable);
    if (steps_ == 0) write({});  // so that readers find attributes and texts from the beginning
  }

  ~BpDataset() override {
    try {
      close();
    } catch (const Error& error) {
      base::log_warning(error.what());
    }
  }

  void commit(const Commit& commit) override {
    TAILRACE_ASSERT(!closed_, "commit to a closed dataset");
    if (!broken_.empty()) refuse(spec_.path, broken_);
    const auto lengths = lengths_after(spec_, lengths_, commit);
    const std::vector<Block>& blocks = engine_ ? cutter_.cut(commit, lengths_, lengths) : opened_again();
    if (engine_) set_attributes(commit.attributes);
    if (lengths != lengths_ || !blocks.empty() || !commit.attributes.empty()) write(blocks);
    lengths_ = lengths;
  }

  void close() override {
    closed_ = true;
    const auto marked = std::move(marked_);
    if (!engine_) return;
    const auto engine = std::move(engine_);
    attempt([&] { engine->close(); });
  }

  std::uint64_t bytes_on_disk() const override {
    std::uint64_t bytes = 0;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(described_.path, ignored))
      if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
    return bytes;
  }

 private:
  void set_attributes(const std::vector<LateAttribute>& attributes) {
    for (const LateAttribute& late : attributes)
      engine_->set_attribute(late.variable < 0 ? "" : spec_.variables[base::index(late.variable)].name,
                             late.name, late.value);
  }

  void write(const std::vector<Block>& blocks) {
    std::vector<Block> all = blocks;
    if (steps_ == 0) texts_.add_to(all);
    attempt([&] { engine_->write_step(all); });
    ++steps_;
  }

  // After a step that failed, whose blocks come once more: ADIOS2 cannot continue with it, so it begins after
  // the last step that is whole.
  const std::vector<Block>& opened_again() {
    attempt([&] {
      cut_steps(described_.path, steps_);
      described_.appends = true;
      engine_ = open_engine(described_);
    });
    return cutter_.blocks();
  }

  template <class Work>
  void attempt(Work work) {
    try {
      work();
    } catch (const std::exception& error) {
      if (described_.options.engine == Engine::bp5) {
        engine_.reset();
        refuse(spec_.path, fmt::format("ADIOS2 failed: {}", error.what()));
      }
      broken_ = fmt::format("ADIOS2 failed, and the dataset ends here: {}", error.what());
      refuse(spec_.path, broken_);
    }
  }

  const DatasetSpec spec_;
  std::unique_ptr<env::File> marked_;
  EngineSpec described_;  // its path is absolute, for the model may change its working directory
  std::vector<std::int64_t> lengths_;
  StepCutter cutter_;
  const TextBlocks texts_;
  std::unique_ptr<StepWriter> engine_;  // none after a failure
  std::string broken_;                  // why it cannot be written any more
  bool closed_ = false;
  std::size_t steps_ = 0;
};

// A dataset of an earlier run is removed; anything else that has the name stays.
void make_room(const DatasetSpec& spec, const std::string& place, env::FileSystem& files) {
  if (!fs::exists(fs::symlink_status(place))) return;
  if (spec.if_exists != IfExists::replace) refuse(spec.path, exists_already());
  if (!fs::is_directory(place) || !fs::exists(fs::path(place) / "md.idx"))
    refuse(spec.path, "exists, and is not a dataset of ADIOS2");
  const auto left = marked_index(files, place, env::Access::update);
  std::error_code failed;
  fs::remove_all(place, failed);
  if (failed) refuse(spec.path, fmt::format("cannot be replaced: {}", failed.message()));
}

Beginning new_one(const DatasetSpec& spec, const std::string& place, env::FileSystem& files) {
  files.make_directories(place);
  return {0, first_lengths(spec), {}, marked_index(files, place, env::Access::create)};
}

// The dataset of an earlier run, without the records that do not stay. A step that stays in part becomes a
// step of its own. The dataset is unchanged until all of that is written.
Beginning roll_back(const DatasetSpec& spec, const std::string& place, env::FileSystem& files) {
  Beginning beginning{0, first_lengths(spec), {}, marked_index(files, place, env::Access::update)};
  for (const auto& [dim, records] : spec.kept) beginning.lengths[base::index(dim)] = records;
  const auto reader = open_reader(place);
  check_fits(*reader, spec);
  for (std::size_t v = 0; v < spec.variables.size(); ++v)
    if (!grows(spec, spec.variables[v]) && has_values(*reader, spec.variables[v].name))
      beginning.left.push_back(v);
  const RewrittenTail tail = tail_of(*reader, spec, beginning.lengths);
  beginning.steps = tail.steps + (tail.blocks.empty() ? 0 : 1);
  if (tail.blocks.empty()) {
    cut_steps(place, tail.steps);
    return beginning;
  }
  const std::string branch = place + ".tailrace";
  make_branch(place, branch, tail.steps);
  EngineSpec of_branch = engine_spec(spec, branch);
  of_branch.appends = true;
  const auto engine = open_engine(of_branch);
  engine->write_step(tail.blocks);
  engine->close();
  auto marked = marked_index(files, branch, env::Access::update);
  take_branch(place, branch);
  beginning.marked = std::move(marked);
  return beginning;
}

// The records along each growing dim. Counts the steps of BP4, where ADIOS2 cannot read the times of all
// steps at once, and of datasets of other programs.
std::string contents_of(const std::string& place) {
  const auto reader = open_reader(place);
  std::vector<std::string> records;
  if (bp_version(place) == 5 && !reader->texts("__unlimited_dimensions__").empty())
    for (const auto& [dim, axis] : axes_of(*reader))
      records.push_back(fmt::format("{} {}", dim, axis.times.size()));
  if (records.empty()) return fmt::format("steps: {}", reader->steps());
  return fmt::format("records: {}", fmt::join(records, ", "));
}

// A kill leaves each step whole or absent, so nothing needs repair. A folder that a killed removal of records
// left beside the dataset is replaced by the next one.
std::string look(const std::string& path) {
  const std::string place = fs::absolute(path).lexically_normal().string();
  const bool is_open = is_being_written(env::system_files(), index_of(place));
  std::string text = fmt::format("{}; {}", is_open ? "is being written by a running session" : "complete",
                                 contents_of(place));
  if (const std::string branch = place + ".tailrace"; fs::exists(branch))
    text += fmt::format(" ({} is left from a run that was killed while it removed records)", branch);
  return text;
}

class BpFormat final : public Format {
 public:
  std::string name() const override { return "adios2"; }

  std::optional<FormatSection> section() const override { return options_section(); }
  void check(const FormatOptions* options, const DatasetRequest& request,
             config::Problems& problems) const override {
    check_request(unwrap_options<Options>(options), request, problems);
  }
  const Format& chosen_by(const FormatOptions* options) const override {
    return unwrap_options<Options>(options).engine == Engine::sst ? stream::format() : *this;
  }

  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return true; }
  std::string missing() const override { return missing_library(); }

  bool can_append() const override { return true; }
  std::map<std::string, ExistingAxis> existing_axes(const std::string& path) const override {
    return about(path, [&] { return axes_of(*open_reader(fs::absolute(path).string())); });
  }

  bool recognises(const std::string& path) const override {
    return env::system_files().exists(index_of(path));
  }
  Inspection inspect(const std::string& path, bool) const override {
    try {
      return {true, false, fmt::format("{}: {}", path, look(path))};
    } catch (const std::exception& error) {
      return {false, false, fmt::format("{}: {}", path, error.what())};
    }
  }

  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem& files) const override {
    check_spec(spec);
    return about(spec.path, [&] {
      const std::string place = fs::absolute(spec.path).string();
      if (!spec.kept.empty()) return std::make_unique<BpDataset>(spec, place, roll_back(spec, place, files));
      make_room(spec, place, files);
      return std::make_unique<BpDataset>(spec, place, new_one(spec, place, files));
    });
  }
};

const FormatRegistration registration{std::make_unique<BpFormat>()};

}  // namespace
}  // namespace tailrace::output::adios2
