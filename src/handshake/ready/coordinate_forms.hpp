// The agreement whether the ranks gave the whole of each coordinate, or each its part. Some ranks cannot
// tell: one that holds all cells along a dim gives the whole as its part, and one without cells may give no
// values at all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "client/declarer.hpp"
#include "comm/communicator.hpp"
#include "messaging/collectives/polled_tree.hpp"

namespace tailrace::handshake {

// The forms of the coordinates of some consecutive ranks, which go up the tree.
struct CoordinateForms {
  // The form of one coordinate. A rank is -1 if there is none.
  struct Form {
    std::uint64_t name = 0;        // a digest of the names of coordinate and grid
    std::int32_t only_whole = -1;  // the first rank that gave the whole and no part
    std::int32_t only_part = -1;   // the first rank that gave a part that is not the whole
    std::int32_t with_whole = -1;  // the first rank with all values
    std::int32_t without = -1;     // the first rank without values
    std::int64_t vertices = 0;     // bounds of each value on a rank with values
  };

  std::optional<base::Fault> fault;  // a rank gave up; the members below are then unset
  bool comparable = true;            // all ranks declared coordinates of the same names in the same order
  std::vector<Form> forms;

  static CoordinateForms of(const client::Declarer& declarer, int rank);
  void add(const CoordinateForms& next);  // of the ranks that follow these
  std::vector<std::byte> to_bytes() const;
  static CoordinateForms from_bytes(std::span<const std::byte> bytes);
};

// Collective over the component: settles the coordinates of the declarations of all ranks. Ranks whose
// declarations differ settle them on their own, since the next comparison names the difference. Returns the
// fault that the first rank sent, if any; on the first rank throws that of another. Throws Error(usage) on
// the first rank if one gave the whole of a coordinate and another only its part. Calls `meanwhile` while
// waiting.
std::optional<base::Fault> settle_coordinates(messaging::PolledTree& tree, comm::Communicator& component,
                                              client::Declarer& declarer,
                                              const std::function<void()>& meanwhile);

}  // namespace tailrace::handshake
