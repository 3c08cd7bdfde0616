#include "pipeline/control/tree_gather.hpp"

#include <algorithm>
#include <utility>

namespace tailrace::pipeline {

TreeGather::TreeGather(ControlChannel& control, ControlMessage kind, int root,
                       std::function<void(const messaging::Bytes&)> over)
    : control_(control),
      kind_(kind),
      place_(control.rank(), root, control.size()),
      over_(std::move(over)),
      waiting_(place_.sources()) {
  control_.on(kind, [this](int from, messaging::Bytes&& message) { hear(from, std::move(message)); });
}

void TreeGather::say(const messaging::Bytes& own) {
  control_.messenger().send(control_.rank(), control_.kind(kind_), messaging::Bytes(own));
}

void TreeGather::hear(int from, messaging::Bytes&& message) {
  waiting_[place_.source_of(from)].push_back(std::move(message));
  if (std::ranges::any_of(waiting_, [](const auto& one) { return one.empty(); })) return;
  messaging::Bytes all;
  for (auto& one : waiting_) {
    all.insert(all.end(), one.front().begin(), one.front().end());
    one.pop_front();
  }
  if (place_.parent < 0)
    over_(all);
  else
    control_.messenger().send(place_.parent, control_.kind(kind_), std::move(all));
}

}  // namespace tailrace::pipeline
