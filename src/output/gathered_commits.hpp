// Merges small commits of one file into one. Each commit writes copies of all object headers, however few
// values it adds, so many small commits would write mostly headers (write amplification).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "output/committer.hpp"
#include "output/dataset.hpp"

namespace tailrace::output {

class GatheredCommits {
 public:
  explicit GatheredCommits(const DatasetSpec& spec);  // `spec` must outlive this object

  void add(ReadyCommit&& next);  // in the order of model time
  bool empty() const { return !point_; }
  const std::optional<CommitPoint>& newest() const { return point_; }
  // Whether the newest commit is the last of its file, so that no further commit can be merged.
  bool ends() const { return point_ && (point_->final || point_->ends_part); }
  // Whether the values are many times larger than the headers, and most compressed chunks are full; or at
  // least `most` bytes are held.
  bool is_worth_it(std::size_t most) const;
  ReadyCommit take();  // all commits, merged
  void clear();

  std::size_t bytes() const { return bytes_; }  // held in chunks

 private:
  std::size_t new_bytes(const EncodedChunk& chunk) const;

  const DatasetSpec& spec_;
  std::size_t headers_;  // upper bound of the bytes that a commit writes besides values
  std::optional<CommitPoint> point_;
  std::map<int, std::int64_t> lengths_;
  std::map<std::pair<int, std::vector<std::int64_t>>, EncodedChunk> chunks_;  // by variable and offset
  std::map<int, PlainValues> values_;                                         // by variable
  std::vector<LateAttribute> attributes_;
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::output
