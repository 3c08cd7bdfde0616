// Counts values that the type of their variable cannot represent, or that equal its fill value, and logs the
// first of each variable.
#pragma once

#include <vector>

#include "base/thread_safety.hpp"
#include "pipeline/sampling/output_variables.hpp"
#include "telemetry/counters.hpp"

namespace tailrace::pipeline::sampling {

class OutOfRange {
 public:
  // Both must live longer.
  OutOfRange(const Blueprint& blueprint, telemetry::ServerCounters& counters);

  // From any worker, several at once. The first values of each variable are logged.
  void add(const OutputVariable& output_variable, const time::TimeRecord& record, const time::Lost& lost);

 private:
  void warn(const OutputVariable& output_variable, const time::TimeRecord& record,
            const time::Lost& lost) const;

  const Blueprint& blueprint_;
  base::Mutex mutex_;
  std::vector<telemetry::OutOfRange*> by_number_ TAILRACE_GUARDED_BY(mutex_);  // by number
};

}  // namespace tailrace::pipeline::sampling
