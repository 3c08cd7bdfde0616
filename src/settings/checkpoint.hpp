// `checkpoint:`, when the state of a run is saved, where, and what of the model is in it.
#pragma once

#include <string>
#include <vector>

#include "config/section.hpp"
#include "settings/fields.hpp"
#include "time/period.hpp"

namespace tailrace::settings {

// at_initial_step: the model has files of its own to begin from, and says where it begins.
enum class Restart { auto_, never, require, at_initial_step };
enum class OnCheckpointError { stop, skip };

struct CheckpointOptions {
  bool is_asked_for = false;  // there is such a section
  config::Location location;  // of the section
  std::string directory = "restart";
  std::string burst_buffer;  // of each node, where members are written first; empty: none
  config::Location burst_buffer_location;
  time::Period every = time::Period::never();
  int keep = 2;
  std::vector<ListedName> fields;  // names or patterns
  Restart restart = Restart::auto_;
  config::Location restart_location;
  bool on_signal = true;
  bool also_at_end = false;
  double before_time_limit = 0.0;  // seconds; 0: the limit of the job makes none due
  double time_limit = 0.0;         // of the job, from its start; 0: the batch system says it
  OnCheckpointError on_error = OnCheckpointError::stop;

  bool operator==(const CheckpointOptions& other) const;
};

config::Section<CheckpointOptions> checkpoint_section();

}  // namespace tailrace::settings
