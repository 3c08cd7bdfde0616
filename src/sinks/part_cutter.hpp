// From commits that count all records of a run to commits of the file of a series that is open: its records
// count from 0, and its first commit has the coordinates too.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "cf/layout.hpp"
#include "output/committer.hpp"

namespace tailrace::sinks {

class PartCutter {
 public:
  PartCutter() = default;
  // `variables`: as the committer has them.
  PartCutter(const cf::DatasetLayout& layout, const std::vector<output::CommittedVariable>& variables);

  // In the order of commits. The file begins with a chunk of each variable that grows.
  void cut(output::ReadyCommit& ready);

  // Between two commits. Coordinates are not saved: the model gives them again.
  void save(model::NumberSaver saver) const { visit_state(*this, std::move(saver)); }
  void load(model::NumberLoader loader) { visit_state(*this, std::move(loader)); }

 private:
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor visit) {
    visit("is_new", self.is_new_);
  }
  bool is_static(int variable) const { return axis_of_[static_cast<std::size_t>(variable)] < 0; }

  std::vector<int> axis_of_;  // by index into DatasetSpec::variables; -1: it does not grow
  std::vector<int> dims_;     // by axis: index into DatasetSpec::dims
  std::vector<output::EncodedChunk> static_chunks_;
  std::vector<output::PlainValues> static_values_;
  bool has_statics_ = false;
  bool is_new_ = false;  // a file that holds nothing yet, and is not the first one
};

}  // namespace tailrace::sinks
