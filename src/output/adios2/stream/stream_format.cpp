// Streams of ADIOS2: each commit is a step for readers, and nothing stays. Layout: docs/formats/adios2.md.
#include "output/adios2/stream/stream_format.hpp"

#include <filesystem>

#include "base/log.hpp"
#include "output/adios2/engine_spec.hpp"
#include "output/adios2/library.hpp"
#include "output/adios2/step_cutter.hpp"
#include "output/adios2/stream/stream_writer.hpp"
#include "output/checks.hpp"

namespace tailrace::output::adios2::stream {
namespace {

namespace fs = std::filesystem;

class StreamDataset final : public Dataset {
 public:
  StreamDataset(const DatasetSpec& spec, const std::string& place)
      : spec_(spec),
        described_(engine_spec(spec, place)),
        lengths_(first_lengths(spec)),
        cutter_(spec, true),
        texts_(spec),
        writer_(described_, spec.path) {
    const Options& options = described_.options;
    base::log_info(fmt::format(
        "{}: a stream over evpath, contact file {}.sst, {}; up to {} steps wait for readers, {}", spec.path,
        spec.path, options.listen == Listen::loopback ? "for readers on this node" : "for all readers",
        options.queue,
        options.when_full == WhenFull::block ? "and then the server waits"
                                             : "and those that come then are discarded"));
  }

  ~StreamDataset() override {
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
    std::vector<Block> blocks = cutter_.cut(commit, lengths_, lengths);
    if (lengths != lengths_) {
      texts_.add_to(blocks);
      attempt([&] { writer_.write_step(blocks); });
      for (const Block& block : blocks) bytes_ += value_bytes(described_, block);
    }
    lengths_ = lengths;
  }

  void close() override {
    if (!std::exchange(closed_, true)) attempt([&] { writer_.close(); });
  }

  std::optional<StreamCounts> stream_counts() const override { return writer_.counts(); }
  std::uint64_t bytes_on_disk() const override { return bytes_; }  // what was handed over

 private:
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
  const EngineSpec described_;  // its path is absolute, for the model may change its working directory
  std::vector<std::int64_t> lengths_;
  StepCutter cutter_;
  const TextBlocks texts_;
  StreamWriter writer_;
  std::string broken_;  // why it cannot be written any more
  bool closed_ = false;
  std::uint64_t bytes_ = 0;
};

// The contact file of an earlier run is removed; anything else that has the name stays.
void make_room(const DatasetSpec& spec, const fs::path& contact) {
  if (!fs::exists(fs::symlink_status(contact))) return;
  if (spec.if_exists != IfExists::replace) refuse(spec.path, exists_already());
  if (!fs::is_regular_file(contact)) refuse(spec.path, "exists, and is not a dataset of ADIOS2");
  std::error_code failed;
  fs::remove(contact, failed);
  if (failed) refuse(spec.path, fmt::format("cannot be replaced: {}", failed.message()));
}

class StreamFormat final : public Format {
 public:
  std::string name() const override { return "sst"; }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return true; }    // the contact file
  bool is_for_files() const override { return false; }  // `adios2` is, and chooses it
  std::string missing() const override { return missing_library(); }

  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem&) const override {
    check_spec(spec);
    return about(spec.path, [&] {
      const std::string place = fs::absolute(spec.path).string();
      make_room(spec, place + ".sst");
      return std::make_unique<StreamDataset>(spec, place);
    });
  }
};

const FormatRegistration registration{std::make_unique<StreamFormat>()};

}  // namespace

const Format& format() { return *find_format("sst"); }

}  // namespace tailrace::output::adios2::stream
