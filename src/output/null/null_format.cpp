// The format `null`: counts bytes and discards them, to measure everything except the disk.
#include "base/error.hpp"
#include "output/checks.hpp"
#include "output/codec_needs.hpp"
#include "output/format.hpp"

namespace tailrace::output::null {
namespace {

class NullDataset final : public Dataset {
 public:
  explicit NullDataset(const DatasetSpec& spec) : spec_(spec), lengths_(first_lengths(spec)) {}

  void commit(const Commit& commit) override {
    TAILRACE_ASSERT(!closed_, "commit to a closed dataset");
    lengths_ = lengths_after(spec_, lengths_, commit);
    for (const EncodedChunk& chunk : commit.chunks) bytes_ += chunk.bytes.size();
    for (const PlainValues& values : commit.values) bytes_ += values.bytes.size();
  }
  void close() override { closed_ = true; }
  std::uint64_t bytes_on_disk() const override { return bytes_; }  // what would have been written

 private:
  DatasetSpec spec_;
  std::vector<std::int64_t> lengths_;
  std::uint64_t bytes_ = 0;
  bool closed_ = false;
};

class NullFormat final : public Format {
 public:
  std::string name() const override { return "null"; }
  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem&) const override {
    check_spec(spec);
    return std::make_unique<NullDataset>(spec);
  }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return false; }
  bool can_be_written_by_many(const DatasetSpec&) const override { return true; }
  std::unique_ptr<Dataset> open_writer(const DatasetSpec& spec, int, env::FileSystem&) const override {
    return std::make_unique<NullDataset>(spec);
  }
  bool has_growing_text() const override { return true; }
};

const CodecNeedRegistration lorenzo{"null", "lorenzo", ""};
const FormatRegistration registration{std::make_unique<NullFormat>()};

}  // namespace
}  // namespace tailrace::output::null
