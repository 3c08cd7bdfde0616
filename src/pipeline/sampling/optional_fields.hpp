// Fields that the model need not put: which of them did not come in a step where they were due. And those
// that are put once: their files wait for them, so one that has not come in the first step never comes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pipeline/blueprint.hpp"

namespace tailrace::pipeline::sampling {

class OptionalFields {
 public:
  // `is_used`: by field, whether any variable needs it. `clients`: of this server. The blueprint must live
  // longer.
  OptionalFields(const Blueprint& blueprint, const std::function<bool(int field)>& is_used,
                 std::span<const int> clients);

  // From any worker, several at once: each (field, client) has an element of its own.
  void note_put(int field, int client);
  // Communication thread, when nothing of the step is being worked on: calls `missing` for each client that
  // did not put a field, and forgets the step. `missing` returns whether that left a gap in a record; the
  // first gap of each field is logged.
  void close_step(const model::Tick& tick, const std::function<bool(int field, int client)>& missing);

 private:
  struct Optional {
    int field = -1;
    std::vector<int> clients;  // of this server that have cells of it, ascending
    std::vector<unsigned char> put;
    bool once = false, over = false;  // once: and the first step has passed
    bool told = false;
  };
  void tell(Optional& optional, int client, const model::Tick& tick);

  const Blueprint& blueprint_;
  std::vector<Optional> fields_;
  std::vector<int> number_of_field_;  // index into fields_; -1: it must be put
};

}  // namespace tailrace::pipeline::sampling
