#include "pipeline/sampling/accumulators.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::pipeline::sampling {

time::Accumulator* Accumulators::find(int client) const {
  const auto found = std::ranges::lower_bound(all_, client, {}, &Entry::first);
  return found != all_.end() && found->first == client ? found->second.get() : nullptr;
}

time::Accumulator& Accumulators::add(int client, std::unique_ptr<time::Accumulator> made) {
  const auto place = std::ranges::lower_bound(all_, client, {}, &Entry::first);
  TAILRACE_ASSERT(place == all_.end() || place->first != client, "one accumulator for a client");
  return *all_.emplace(place, client, std::move(made))->second;
}

}  // namespace tailrace::pipeline::sampling
