#include "sinks/part_cutter.hpp"

#include "base/index.hpp"

namespace tailrace::sinks {

PartCutter::PartCutter(const cf::DatasetLayout& layout,
                       const std::vector<output::CommittedVariable>& variables)
    : axis_of_(layout.dataset.variables.size(), -1) {
  for (const output::CommittedVariable& variable : variables)
    axis_of_[base::index(variable.variable)] = variable.axis;
  for (std::size_t axis = 0; axis < layout.axes.size(); ++axis) {
    const cf::AxisLayout& at = layout.axes[axis];
    dims_.push_back(at.dim);
    axis_of_[base::index(at.time_variable)] = static_cast<int>(axis);
    if (at.bounds_variable >= 0) axis_of_[base::index(at.bounds_variable)] = static_cast<int>(axis);
    for (const int place : at.places) axis_of_[base::index(place)] = static_cast<int>(axis);
  }
}

void PartCutter::cut(output::ReadyCommit& ready) {
  output::Commit& commit = ready.commit;
  const auto begin_of = [&](int variable) {
    return ready.point.begins[base::index(axis_of_[base::index(variable)])];
  };
  const bool empty = commit.chunks.empty() && commit.values.empty();
  for (output::EncodedChunk& chunk : commit.chunks) {
    if (!is_static(chunk.variable))
      chunk.offset[0] -= begin_of(chunk.variable);
    else if (!has_statics_)
      static_chunks_.push_back(chunk);
  }
  for (output::PlainValues& values : commit.values) {
    if (!is_static(values.variable))
      values.first -= begin_of(values.variable);
    else if (!has_statics_)
      static_values_.push_back(values);
  }
  if (is_new_ && !empty) {
    if (has_statics_) {  // else this commit, the first after a restart, contains them already
      commit.chunks.insert(commit.chunks.end(), static_chunks_.begin(), static_chunks_.end());
      commit.values.insert(commit.values.end(), static_values_.begin(), static_values_.end());
    }
    is_new_ = false;
  }
  has_statics_ = true;
  for (std::size_t axis = 0; axis < dims_.size(); ++axis)
    commit.lengths[dims_[axis]] -= ready.point.begins[axis];
  if (ready.point.ends_part) is_new_ = true;
}

}  // namespace tailrace::sinks
