#include "output/gathered_commits.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::output {
namespace {

// A commit writes some 600 bytes of headers for each variable, and a few pages for the file.
constexpr std::size_t headers_of_file = 8 << 10, headers_of_variable = 1 << 10;
// Bytes of values for each byte of headers. A compressed file is copied when it ends, if headers take much of
// it.
constexpr std::size_t worth = 16, worth_compressed = 64;

bool is_compressed(const DatasetSpec& spec) {
  return std::ranges::any_of(spec.variables,
                             [](const VariableSpec& variable) { return variable.codec.codec != "none"; });
}
// A chunk that is not full yet is written a second time, compressed, when it is. So a commit waits until most
// of its bytes are those of full chunks, but not until it would be this many times larger.
constexpr std::size_t most_patience = 4, full_share = 8;

}  // namespace

GatheredCommits::GatheredCommits(const DatasetSpec& spec)
    : spec_(spec), headers_(headers_of_file + headers_of_variable * spec.variables.size()) {}

void GatheredCommits::add(ReadyCommit&& next) {
  for (EncodedChunk& chunk : next.commit.chunks) {
    const auto [place, fresh] = chunks_.try_emplace({chunk.variable, chunk.offset});
    const std::int64_t known = fresh ? chunk.committed_records : place->second.committed_records;
    bytes_ += chunk.bytes.size() - place->second.bytes.size();
    place->second = std::move(chunk);
    place->second.committed_records = known;  // the newest version contains the older ones
  }
  for (PlainValues& values : next.commit.values) {
    const auto [place, fresh] = values_.try_emplace(values.variable, std::move(values));
    if (!fresh)
      place->second.bytes.insert(place->second.bytes.end(), values.bytes.begin(), values.bytes.end());
  }
  std::ranges::move(next.commit.attributes, std::back_inserter(attributes_));
  lengths_ = std::move(next.commit.lengths);
  next.point.records += point_ ? point_->records : 0;
  point_ = std::move(next.point);
}

std::size_t GatheredCommits::new_bytes(const EncodedChunk& chunk) const {
  const VariableSpec& variable = spec_.variables[base::index(chunk.variable)];
  const bool is_raw = !chunk.filtered || variable.codec.codec == "none";
  if (!is_raw || chunk.valid_records == 0) return chunk.bytes.size();
  return chunk.bytes.size() / static_cast<std::size_t>(variable.chunk[0]) *
         static_cast<std::size_t>(chunk.valid_records - chunk.committed_records);
}

bool GatheredCommits::is_worth_it(std::size_t most) const {
  if (bytes_ >= most) return true;
  std::size_t fresh = 0, twice = 0;
  for (const auto& [place, chunk] : chunks_) {
    const VariableSpec& variable = spec_.variables[base::index(chunk.variable)];
    fresh += new_bytes(chunk);
    if (!chunk.filtered && variable.codec.codec != "none") twice += new_bytes(chunk);
  }
  const std::size_t enough = (is_compressed(spec_) ? worth_compressed : worth) * headers_;
  return fresh >= enough && (full_share * twice <= fresh || fresh >= most_patience * enough);
}

ReadyCommit GatheredCommits::take() {
  TAILRACE_ASSERT(point_, "there is a commit to take");
  ReadyCommit ready{.commit = {}, .point = std::move(*point_), .bytes = bytes_};
  ready.commit.lengths = std::move(lengths_);
  for (auto& [place, chunk] : chunks_) ready.commit.chunks.push_back(std::move(chunk));
  for (auto& [variable, values] : values_) ready.commit.values.push_back(std::move(values));
  ready.commit.attributes = std::move(attributes_);
  ready.commit.last = ready.point.final || ready.point.ends_part;
  clear();
  return ready;
}

void GatheredCommits::clear() {
  point_.reset();
  lengths_.clear();
  chunks_.clear();
  values_.clear();
  attributes_.clear();
  bytes_ = 0;
}

}  // namespace tailrace::output
