// Decides after a failed request to an object store whether and when it is sent again.
//
// Faults that pass (500, 502, 503, 504, 429, a reset, a timeout) are answered by exponential back-off with
// full jitter (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015): many servers that a
// store has refused at the same moment do not come back at the same moment.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "env/clock.hpp"
#include "output/object_store/http.hpp"

namespace tailrace::output::object_store {

// Whether the same request may succeed later.
bool is_passing(const Response& response);

// For one request and its repetitions.
class Retries {
 public:
  // `patience`: seconds after the first failure during which the request is tried again.
  Retries(double patience, env::Clock& clock, std::uint64_t seed);

  // After a failure that passes: the seconds to wait before the next try. Nothing: give up.
  std::optional<double> wait_after(const Response& response);
  int failures() const { return failures_; }

 private:
  double patience_;
  env::Clock& clock_;
  std::mt19937_64 random_;
  double first_failure_ = 0.0;
  int failures_ = 0;
};

}  // namespace tailrace::output::object_store
