#include "output/object_store/retries.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tailrace::output::object_store {
namespace {

constexpr double first_wait = 0.2, longest_wait = 10.0;  // seconds
constexpr double longest_asked_for = 30.0;               // by the server's Retry-After
// 409: another conditional request for the same object was under way.
constexpr std::array passing{0, 408, 409, 429, 500, 502, 503, 504};

}  // namespace

bool is_passing(const Response& response) {
  return std::ranges::find(passing, response.status) != passing.end();
}

Retries::Retries(double patience, env::Clock& clock, std::uint64_t seed)
    : patience_(patience), clock_(clock), random_(seed) {}

std::optional<double> Retries::wait_after(const Response& response) {
  const double now = clock_.seconds();
  if (failures_ == 0) first_failure_ = now;
  const double ceiling = std::min(longest_wait, first_wait * std::pow(2.0, std::min(failures_, 30)));
  ++failures_;
  const double left = first_failure_ + patience_ - now;
  if (left <= 0.0) return std::nullopt;
  const double asked_for = std::min(response.retry_after, longest_asked_for);
  const double wait = std::max(asked_for, std::uniform_real_distribution<double>(0.0, ceiling)(random_));
  return std::min(wait, left);  // the last try is at the end of the patience
}

}  // namespace tailrace::output::object_store
