// Converts commits of a run to commits of the files of a series (`new_file_every`).
//
// The clock and the committer count records over the whole run, as if there were one file. In each file of
// the series, records count from 0, and the first commit must contain the coordinates, which the servers send
// only once. The cutter subtracts the offset of the current file, and keeps a copy of the coordinates for the
// next one.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/index.hpp"
#include "cf/layout.hpp"
#include "output/committer.hpp"

namespace tailrace::sinks {

class PartCutter {
 public:
  PartCutter() = default;
  // `variables`: those of the committer.
  PartCutter(const cf::DatasetLayout& layout, const std::vector<output::CommittedVariable>& variables);

  // Call in the order of the commits. A file must begin at a chunk boundary of each variable that grows.
  void cut(output::ReadyCommit& ready);

  // Between two commits. Coordinates are not saved, because the model gives them again after a restart.
  void save(model::NumberSaver saver) const { visit_state(*this, std::move(saver)); }
  void load(model::NumberLoader loader) { visit_state(*this, std::move(loader)); }

 private:
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor visit) {
    visit("is_new", self.is_new_);
  }
  bool is_static(int variable) const { return axis_of_[base::index(variable)] < 0; }

  std::vector<int> axis_of_;  // by index into DatasetSpec::variables; -1: it does not grow
  std::vector<int> dims_;     // by axis: index into DatasetSpec::dims
  std::vector<output::EncodedChunk> static_chunks_;
  std::vector<output::PlainValues> static_values_;
  bool has_statics_ = false;
  bool is_new_ = false;  // the current file is empty, and is not the first one
};

}  // namespace tailrace::sinks
