// ADIOS2 datasets and streams: each commit is a step. Layout: docs/formats/adios2.md.
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/log.hpp"
#include "output/adios2/library.hpp"
#include "output/adios2/step_cutter.hpp"
#include "output/adios2/stream/stream_writer.hpp"
#include "output/checks.hpp"
#include "output/dataset.hpp"

namespace tailrace::output::adios2 {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::resource, fmt::format("{}: {}", path, why));
}

EngineVariable variable_of(const DatasetSpec& spec, const VariableSpec& variable) {
  EngineVariable made{variable.name, variable.type, false, {}, variable.attributes};
  for (const int dim : variable.dims) made.dims.push_back(spec.dims[static_cast<std::size_t>(dim)].name);
  if (variable.fill_value)
    made.attributes.emplace_back("_FillValue", *model::in_type(*variable.fill_value, variable.type));
  return made;
}

EngineVariable variable_of(const DatasetSpec& spec, const TextSpec& text) {
  EngineVariable made{text.name, model::DataType::int8, true, {}, text.attributes};
  for (const int dim : text.dims) made.dims.push_back(spec.dims[static_cast<std::size_t>(dim)].name);
  return made;
}

EngineSpec engine_spec(const DatasetSpec& spec, const std::string& place) {
  EngineSpec made{place, spec.adios2, spec.attributes, {}, {}};
  for (const DimensionSpec& dim : spec.dims)
    if (dim.unlimited) made.unlimited_dims.push_back(dim.name);
  for (const VariableSpec& variable : spec.variables) made.variables.push_back(variable_of(spec, variable));
  for (const TextSpec& text : spec.texts) made.variables.push_back(variable_of(spec, text));
  return made;
}

class Adios2Dataset final : public Dataset, public CountsSteps {
 public:
  Adios2Dataset(const DatasetSpec& spec, std::string place)
      : spec_(spec),
        place_(std::move(place)),
        is_stream_(spec.adios2.engine == Engine::sst),
        lengths_(first_lengths(spec)),
        cutter_(spec, is_stream_),
        engine_(open(engine_spec(spec, place_))) {
    for (const TextSpec& text : spec.texts) texts_.push_back(padded(spec, text));
    if (is_stream_) describe();
    if (!is_stream_) write({});  // so that readers find attributes and texts from the beginning
  }

  ~Adios2Dataset() override {
    try {
      close();
    } catch (const Error& error) {
      base::log_warning(error.what());
    }
  }

  void commit(const Commit& commit) override {
    TAILRACE_ASSERT(engine_ != nullptr || !broken_.empty(), "commit to a closed dataset");
    if (!broken_.empty()) refuse(spec_.path, broken_);
    const auto lengths = lengths_after(spec_, lengths_, commit);
    const std::vector<Block>& blocks = cutter_.cut(commit, lengths_, lengths);
    const bool grew = lengths != lengths_;
    if (grew || (!is_stream_ && !blocks.empty())) write(blocks);
    lengths_ = lengths;
  }

  void close() override {
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
    for (const auto& entry : fs::recursive_directory_iterator(place_, ignored))
      if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
    return bytes;
  }

 private:
  std::unique_ptr<StepWriter> open(EngineSpec&& spec) const {
    if (is_stream_) return std::make_unique<stream::StreamWriter>(std::move(spec), spec_.path);
    return open_engine(spec);
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

  // ADIOS2 cannot go on with a step that failed.
  template <class Work>
  void attempt(Work work) {
    try {
      work();
    } catch (const std::exception& error) {
      broken_ = fmt::format("ADIOS2 failed, and the dataset ends here: {}", error.what());
      refuse(spec_.path, broken_);
    }
  }

  const DatasetSpec spec_;
  const std::string place_;  // absolute, for the model may change its working directory
  const bool is_stream_;
  std::vector<std::int64_t> lengths_;
  StepCutter cutter_;
  std::vector<std::vector<std::byte>> texts_;
  std::unique_ptr<StepWriter> engine_;
  std::string broken_;
  std::uint64_t steps_ = 0;
  std::uint64_t bytes_ = 0;
  StreamCounts counts_;  // when it is closed
};

// A dataset of an earlier run goes; anything else that has the name stays.
void make_room(const DatasetSpec& spec, const fs::path& place) {
  const fs::path found = spec.adios2.engine == Engine::sst ? fs::path(place.string() + ".sst") : place;
  if (!fs::exists(fs::symlink_status(found))) return;
  if (spec.if_exists != IfExists::replace) refuse(spec.path, exists_already());
  const bool is_ours = spec.adios2.engine == Engine::sst
                           ? fs::is_regular_file(found)
                           : fs::is_directory(found) && fs::exists(found / "md.idx");
  if (!is_ours) refuse(spec.path, "exists, and is not a dataset of ADIOS2");
  std::error_code failed;
  fs::remove_all(found, failed);
  if (failed) refuse(spec.path, fmt::format("cannot be replaced: {}", failed.message()));
}

class Adios2Format final : public Format {
 public:
  std::string name() const override { return "adios2"; }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return true; }
  bool keeps_encoded_chunks() const override { return false; }
  std::string missing() const override { return missing_library(); }

  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem&) const override {
    check_spec(spec);
    const fs::path place = fs::absolute(spec.path);
    make_room(spec, place);
    try {
      return std::make_unique<Adios2Dataset>(spec, place.string());
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with(spec.path)) throw;
      throw Error(error.code(), fmt::format("{}: {}", spec.path, error.what()));
    }
  }
};

const FormatRegistration registration{std::make_unique<Adios2Format>()};

}  // namespace
}  // namespace tailrace::output::adios2
