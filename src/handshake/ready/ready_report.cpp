#include "handshake/ready/ready_report.hpp"

#include <utility>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "handshake/connection.hpp"
#include "handshake/ready/declaration_digest.hpp"
#include "model/parts.hpp"

namespace tailrace::handshake {

ReadyReport ReadyReport::of(const client::Declarer& declarer, int rank) {
  ReadyReport own;
  own.first = rank;
  own.digest = digest_of(declarer.declarations());
  own.decomposition.further.assign(declarer.most_blocks() - 1, {rank, false});
  for (std::size_t grid = 0; grid < declarer.regions().size(); ++grid) {
    std::vector<model::Region> blocks = declarer.blocks(grid);
    const std::size_t dims = blocks.front().rank();
    blocks.resize(declarer.most_blocks(), model::Region(std::vector<model::Runs>(dims)));
    own.decomposition.regions.emplace_back(blocks);
  }
  own.parts.push_back(coordinate_parts(declarer));
  own.digests = coordinate_digests(declarer);
  own.odd = odd_values_in_parts(declarer);
  return own;
}

void ReadyReport::add(ReadyReport&& next) {
  if (fault || differing_rank) return;
  if (next.fault)
    fault = std::move(next.fault);
  else if (next.digest != digest)
    differing_rank = next.first;
  else
    differing_rank = next.differing_rank;
  if (fault || differing_rank) return;
  model::append(decomposition, next.decomposition);
  for (CoordinateParts& of_rank : next.parts) parts.push_back(std::move(of_rank));
  TAILRACE_ASSERT(next.digests.size() == digests.size(), "equal declarations have equal coordinates");
  for (std::size_t i = 0; i < digests.size(); ++i) digests[i] += next.digests[i];
  for (std::size_t i = 0; i < odd.size(); ++i) odd[i].add(next.odd.at(i));
  TAILRACE_ASSERT(next.nearest.size() == nearest.size(), "equal declarations have equal stations");
  for (std::size_t i = 0; i < nearest.size(); ++i) nearest[i].add(next.nearest[i]);
}

std::vector<std::byte> ReadyReport::to_bytes() const {
  base::ByteWriter out;
  put_fault(out, fault);
  if (fault) return out.take();
  out.put(static_cast<std::int32_t>(first));
  out.put(digest);
  out.put(static_cast<std::int32_t>(differing_rank.value_or(-1)));
  if (differing_rank) return out.take();
  out.put_all(std::span<const std::byte>(decomposition.to_bytes()));
  out.put_all(std::span<const std::uint64_t>(digests));
  out.put_all(std::span<const model::OddValues>(odd));
  put_nearest(out, nearest);
  out.put(static_cast<std::int64_t>(parts.size()));
  out.put(static_cast<std::int64_t>(parts.front().size()));
  for (const CoordinateParts& of_rank : parts)
    for (const std::vector<double>& values : of_rank) out.put_all(std::span<const double>(values));
  return out.take();
}

ReadyReport ReadyReport::from_bytes(std::span<const std::byte> bytes) {
  base::ByteReader in(bytes);
  ReadyReport gathered;
  gathered.fault = get_fault(in);
  if (gathered.fault) return gathered;
  gathered.first = in.get<std::int32_t>();
  gathered.digest = in.get<std::uint64_t>();
  if (const auto differing_rank = in.get<std::int32_t>(); differing_rank >= 0)
    gathered.differing_rank = differing_rank;
  if (gathered.differing_rank) return gathered;
  const auto decomposition = in.get_all<std::byte>();
  gathered.decomposition = model::Decomposition::from_bytes(decomposition);
  gathered.digests = in.get_all<std::uint64_t>();
  gathered.odd = in.get_all<model::OddValues>();
  gathered.nearest = get_nearest(in);
  const auto ranks = in.get<std::int64_t>(), coordinates = in.get<std::int64_t>();
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    CoordinateParts& of_rank = gathered.parts.emplace_back();
    for (std::int64_t c = 0; c < coordinates; ++c) of_rank.push_back(in.get_all<double>());
  }
  return gathered;
}

}  // namespace tailrace::handshake
