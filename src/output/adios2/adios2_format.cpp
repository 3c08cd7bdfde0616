// ADIOS2 datasets and streams: each commit is a step. Layout: docs/formats/adios2.md.
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/log.hpp"
#include "output/adios2/existing.hpp"
#include "output/adios2/library.hpp"
#include "output/adios2/step_cutter.hpp"
#include "output/adios2/step_index.hpp"
#include "output/adios2/stream/stream_writer.hpp"
#include "output/checks.hpp"
#include "output/dataset.hpp"

namespace tailrace::output::adios2 {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::resource, fmt::format("{}: {}", path, why));
}

// What goes wrong is said with the path.
template <class Work>
auto about(const std::string& path, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(path)) throw;
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  } catch (const std::exception& error) {
    refuse(path, error.what());
  }
}

EngineVariable variable_of(const DatasetSpec& spec, const VariableSpec& variable) {
  EngineVariable made{variable.name,
                      variable.type,
                      false,
                      {},
                      variable.attributes,
                      variable.codec,
                      takes_operator(spec, variable)};
  for (const int dim : variable.dims) made.dims.push_back(spec.dims[static_cast<std::size_t>(dim)].name);
  if (const std::string codec = codec_in(spec, variable); codec != "none")
    made.attributes.emplace_back(codec_attribute, codec);
  if (variable.fill_value)
    if (auto fill = model::in_type(*variable.fill_value, variable.type))
      made.attributes.emplace_back("_FillValue", std::move(*fill));
  return made;
}

EngineVariable variable_of(const DatasetSpec& spec, const TextSpec& text) {
  EngineVariable made{text.name, model::DataType::int8, true, {}, text.attributes, {}, false};
  for (const int dim : text.dims) made.dims.push_back(spec.dims[static_cast<std::size_t>(dim)].name);
  return made;
}

EngineSpec engine_spec(const DatasetSpec& spec, const std::string& place) {
  EngineSpec made{place, spec.adios2, spec.attributes, {}, {}};
  if (!spec.adios2.burst_buffer.empty())
    made.options.burst_buffer = fs::absolute(spec.adios2.burst_buffer).string();
  for (const DimensionSpec& dim : spec.dims)
    if (dim.unlimited) made.unlimited_dims.push_back(dim.name);
  for (const VariableSpec& variable : spec.variables) made.variables.push_back(variable_of(spec, variable));
  for (const TextSpec& text : spec.texts) made.variables.push_back(variable_of(spec, text));
  return made;
}

// What a dataset has when a run begins to write it, or goes on with it.
struct Beginning {
  std::size_t steps = 0;
  std::vector<std::int64_t> lengths;
  std::vector<std::size_t> left;      // variables that do not grow, and are there
  std::unique_ptr<env::File> marked;  // its index, with this session's mark; none of a stream
};

std::unique_ptr<env::File> marked_index(env::FileSystem& files, const std::string& place,
                                        env::Access access) {
  auto index = files.open(index_of(place), access);
  mark_as_writer(*index);
  return index;
}

class Adios2Dataset final : public Dataset, public CountsSteps {
 public:
  Adios2Dataset(const DatasetSpec& spec, const std::string& place, Beginning beginning)
      : spec_(spec),
        marked_(std::move(beginning.marked)),
        described_(engine_spec(spec, place)),
        is_stream_(spec.adios2.engine == Engine::sst),
        lengths_(std::move(beginning.lengths)),
        cutter_(spec, is_stream_, spec.adios2.engine == Engine::bp5),
        steps_(beginning.steps) {
    described_.appends = steps_ > 0;
    engine_ = open();
    for (const std::size_t variable : beginning.left) cutter_.leave(variable);
    for (const TextSpec& text : spec.texts) texts_.push_back(padded(spec, text));
    if (is_stream_) describe();
    if (!is_stream_ && steps_ == 0)
      write({});  // so that readers find attributes and texts from the beginning
  }

  ~Adios2Dataset() override {
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
    const bool grew = lengths != lengths_;
    if (grew || (!is_stream_ && !(blocks.empty() && commit.attributes.empty()))) write(blocks);
    lengths_ = lengths;
  }

  void close() override {
    closed_ = true;
    const auto marked = std::move(marked_);
    if (!engine_) return;
    const auto engine = std::move(engine_);
    attempt([&] {
      try {
        engine->close();
        counts_ = engine->counts();
      } catch (const ReadersLeftBehind& left) {
        base::log_warning(fmt::format("{}: {}", spec_.path, left.what()));
      }
    });
  }

  StreamCounts stream_counts() const override { return engine_ ? engine_->counts() : counts_; }

  std::uint64_t bytes_on_disk() const override {
    if (is_stream_) return bytes_;
    std::uint64_t bytes = 0;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(described_.path, ignored))
      if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
    return bytes;
  }

 private:
  std::unique_ptr<StepWriter> open() const {
    if (is_stream_) return std::make_unique<stream::StreamWriter>(EngineSpec(described_), spec_.path);
    return open_engine(described_);
  }

  void set_attributes(const std::vector<LateAttribute>& attributes) {
    for (const LateAttribute& late : attributes)
      engine_->set_attribute(
          late.variable < 0 ? "" : spec_.variables[static_cast<std::size_t>(late.variable)].name, late.name,
          late.value);
  }

  void describe() const {
    const Options& options = spec_.adios2;
    base::log_info(fmt::format(
        "{}: a stream over evpath, contact file {}.sst, {}; up to {} steps wait for readers, {}", spec_.path,
        spec_.path, options.listen == Listen::loopback ? "for readers on this node" : "for all readers",
        options.queue,
        options.when_full == WhenFull::block ? "and then the server waits"
                                             : "and those that come then are discarded"));
  }
  void write(const std::vector<Block>& blocks) {
    std::vector<Block> all = blocks;
    if (is_stream_ || steps_ == 0) add_texts(all);
    attempt([&] { engine_->write_step(all); });
    ++steps_;
    for (const Block& block : all) bytes_ += bytes_of(block);
  }

  void add_texts(std::vector<Block>& blocks) const {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      std::vector<std::size_t> shape;
      for (const int dim : spec_.texts[i].dims)
        shape.push_back(static_cast<std::size_t>(spec_.dims[static_cast<std::size_t>(dim)].size));
      blocks.push_back({static_cast<int>(spec_.variables.size() + i), shape,
                        std::vector<std::size_t>(shape.size(), 0), shape, texts_[i].data()});
    }
  }

  std::uint64_t bytes_of(const Block& block) const {
    const auto v = static_cast<std::size_t>(block.variable);
    std::uint64_t bytes = v < spec_.variables.size() ? model::size_of(spec_.variables[v].type) : 1;
    for (const std::size_t extent : block.count) bytes *= extent;
    return bytes;
  }

  // After a step that failed, whose blocks come once more: ADIOS2 cannot go on with it, and so begins behind
  // the last one that is whole.
  const std::vector<Block>& opened_again() {
    attempt([&] {
      cut_steps(described_.path, steps_);
      described_.appends = true;
      engine_ = open();
    });
    return cutter_.blocks();
  }

  template <class Work>
  void attempt(Work work) {
    try {
      work();
    } catch (const std::exception& error) {
      if (spec_.adios2.engine == Engine::bp5) {
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
  const bool is_stream_;
  std::vector<std::int64_t> lengths_;
  StepCutter cutter_;
  std::vector<std::vector<std::byte>> texts_;
  std::unique_ptr<StepWriter> engine_;  // none after a failure
  std::string broken_;                  // why there is no way back from it
  bool closed_ = false;
  std::size_t steps_ = 0;
  std::uint64_t bytes_ = 0;
  StreamCounts counts_;  // when it is closed
};

// A dataset of an earlier run goes; anything else that has the name stays.
void make_room(const DatasetSpec& spec, const std::string& place, env::FileSystem& files) {
  const fs::path found = spec.adios2.engine == Engine::sst ? place + ".sst" : place;
  if (!fs::exists(fs::symlink_status(found))) return;
  if (spec.if_exists != IfExists::replace) refuse(spec.path, exists_already());
  const bool is_ours = spec.adios2.engine == Engine::sst
                           ? fs::is_regular_file(found)
                           : fs::is_directory(found) && fs::exists(found / "md.idx");
  if (!is_ours) refuse(spec.path, "exists, and is not a dataset of ADIOS2");
  const auto left =
      spec.adios2.engine == Engine::sst ? nullptr : marked_index(files, place, env::Access::update);
  std::error_code failed;
  fs::remove_all(found, failed);
  if (failed) refuse(spec.path, fmt::format("cannot be replaced: {}", failed.message()));
}

Beginning new_one(const DatasetSpec& spec, const std::string& place, env::FileSystem& files) {
  Beginning beginning{0, first_lengths(spec), {}, nullptr};
  if (spec.adios2.engine == Engine::sst) return beginning;
  files.make_directories(place);
  beginning.marked = marked_index(files, place, env::Access::create);
  return beginning;
}

// The dataset of an earlier run, without the records that do not stay. Those of a step that stays in part
// become a step of their own. Until all of it is there, the dataset is as it was.
Beginning roll_back(const DatasetSpec& spec, const std::string& place, env::FileSystem& files) {
  Beginning beginning{0, first_lengths(spec), {}, marked_index(files, place, env::Access::update)};
  for (const auto& [dim, records] : spec.kept) beginning.lengths[static_cast<std::size_t>(dim)] = records;
  const auto reader = open_reader(place);
  check_fits(*reader, spec);
  for (std::size_t v = 0; v < spec.variables.size(); ++v)
    if (!grows(spec, spec.variables[v]) && has_values(*reader, spec.variables[v].name))
      beginning.left.push_back(v);
  const Tail tail = tail_of(*reader, spec, beginning.lengths);
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

class Adios2Format final : public Format {
 public:
  std::string name() const override { return "adios2"; }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return true; }
  std::string missing() const override { return missing_library(); }

  bool can_append() const override { return true; }
  std::map<std::string, ExistingAxis> existing_axes(const std::string& path) const override {
    return about(path, [&] { return axes_of(*open_reader(fs::absolute(path).string())); });
  }

  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem& files) const override {
    check_spec(spec);
    return about(spec.path, [&] {
      const std::string place = fs::absolute(spec.path).string();
      if (!spec.kept.empty())
        return std::make_unique<Adios2Dataset>(spec, place, roll_back(spec, place, files));
      make_room(spec, place, files);
      return std::make_unique<Adios2Dataset>(spec, place, new_one(spec, place, files));
    });
  }
};

const FormatRegistration registration{std::make_unique<Adios2Format>()};

}  // namespace
}  // namespace tailrace::output::adios2
