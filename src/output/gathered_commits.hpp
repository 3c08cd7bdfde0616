// Small commits of one file that wait for each other and go to the disk as one: each costs copies of all
// headers, however few values it brings.
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
  explicit GatheredCommits(const DatasetSpec& spec);  // which must live longer

  void add(ReadyCommit&& next);  // in the order of model time
  bool empty() const { return !point_; }
  const std::optional<CommitPoint>& newest() const { return point_; }
  // Whether nothing may join them: the file ends with the newest one.
  bool ends() const { return point_ && (point_->final || point_->ends_part); }
  // Whether the values are so many that the headers count for little beside them, or `most` bytes are held.
  bool is_worth_it(std::size_t most) const;
  ReadyCommit take();  // all of them as one
  void clear();

  std::size_t bytes() const { return bytes_; }  // held, of chunks

 private:
  std::size_t new_bytes(const EncodedChunk& chunk) const;

  const DatasetSpec& spec_;
  std::size_t headers_;  // what a commit writes besides values, at most
  std::optional<CommitPoint> point_;
  std::map<int, std::int64_t> lengths_;
  std::map<std::pair<int, std::vector<std::int64_t>>, EncodedChunk> chunks_;  // by variable and offset
  std::map<int, PlainValues> values_;                                         // by variable
  std::vector<LateAttribute> attributes_;
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::output
