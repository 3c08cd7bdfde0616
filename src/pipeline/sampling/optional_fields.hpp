// Detects optional fields that were not put in a step in which they were due, and fields that are put once.
// Files wait for the latter, so one that was not put by the end of the first step counts as missing.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pipeline/blueprint.hpp"

namespace tailrace::pipeline::sampling {

class OptionalFields {
 public:
  // `is_used`: whether any variable needs a field. `clients`: those of this server. The blueprint must live
  // longer.
  OptionalFields(const Blueprint& blueprint, const std::function<bool(int field)>& is_used,
                 std::span<const int> clients);

  // From any worker, several at once: each (field, client) has an element of its own.
  void note_put(int field, int client);
  // Communication thread, after all work of the step: calls `missing` for each client that did not put a
  // field, and resets the step. `missing` returns true if that left a gap in a record; the first gap of each
  // field is logged.
  void close_step(const model::Tick& tick, const std::function<bool(int field, int client)>& missing);

 private:
  struct Optional {
    int field = -1;
    std::vector<int> clients;  // those of this server that hold cells of the field, ascending
    std::vector<unsigned char> put;
    bool once = false, over = false;  // once: and the first step has passed
    bool warned = false;
  };
  void warn(Optional& optional, int client, const model::Tick& tick);

  const Blueprint& blueprint_;
  std::vector<Optional> fields_;
  std::vector<int> number_of_field_;  // by field: index into fields_; -1: the field must be put
};

}  // namespace tailrace::pipeline::sampling
