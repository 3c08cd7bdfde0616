// An entry of `in_situ:`: a Python function that a process beside the server calls with each record.
#pragma once

#include <cstddef>
#include <string>

#include "output/format.hpp"

namespace tailrace::output::in_situ {

struct Action {
  std::string name{};
  std::string script{};    // the path of the Python file
  std::string function{};  // in it
  std::string interpreter{};
  double timeout_seconds = 60.0;              // of one call
  double start_within_seconds = 60.0;         // until a new process has loaded the script; infinite: no limit
  std::size_t memory = std::size_t{2} << 30;  // bytes that the process may hold
  int queue = 4;                              // steps that may wait for it
  bool waits = false;  // when the queue is full: for the process; or the step is discarded
};

FormatSection action_section();

}  // namespace tailrace::output::in_situ
