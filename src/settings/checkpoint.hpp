// The section `checkpoint`: when and where the state of a run is saved, and which fields of the model it
// contains.
#pragma once

#include <string>
#include <vector>

#include "config/section.hpp"
#include "settings/fields.hpp"
#include "time/period.hpp"

namespace tailrace::settings {

// at_initial_step: the model starts from files of its own and tells the initial step.
enum class Restart { auto_, never, require, at_initial_step };
enum class OnCheckpointError { stop, skip };

struct CheckpointOptions {
  bool is_asked_for = false;  // the section is given
  config::Location location;  // of the section
  std::string directory = "restart";
  std::string burst_buffer;  // directory on each node to which shards are written first; empty: none
  config::Location burst_buffer_location;
  time::Period every = time::Period::never();
  int keep = 2;
  std::vector<ListedName> fields;  // names or patterns
  Restart restart = Restart::auto_;
  config::Location restart_location;
  bool on_signal = true;
  bool also_at_end = false;
  double before_time_limit = 0.0;  // seconds; 0: no checkpoint before the job's limit
  double time_limit = 0.0;         // of the job, in seconds from its start; 0: as the batch system reports it
  OnCheckpointError on_error = OnCheckpointError::stop;

  bool operator==(const CheckpointOptions& other) const;
};

config::Section<CheckpointOptions> checkpoint_section();

}  // namespace tailrace::settings
