#include "handshake/ready.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "handshake/part_coordinates.hpp"
#include "plan/plan.hpp"

namespace tailrace::handshake {
namespace {

// On the component's communicator.
constexpr int declare_tag = 1;
constexpr int verdict_tag = 2;

constexpr double patience_seconds = 1.5;  // for the last word of a rank that will not be ready

// FNV-1a, 64 bit: enough to tell two declarations apart that ought to be equal.
std::uint64_t digest(std::span<const std::byte> bytes) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 1099511628211ull;
  return hash;
}

std::uint64_t digest_of(model::Declarations part) { return digest(part.to_bytes()); }

// One line for each thing declared, so that a difference between two ranks can be named.
std::vector<std::pair<std::string, std::uint64_t>> digests(const model::Declarations& declarations) {
  std::vector<std::pair<std::string, std::uint64_t>> lines;
  for (const auto& [name, value] : declarations.options) {
    const auto bytes = std::as_bytes(std::span(value));
    lines.emplace_back(fmt::format("option \"{}\"", name), digest(bytes));
  }
  for (const model::Grid& grid : declarations.grids) {
    model::Declarations part;
    part.grids.push_back(grid);
    lines.emplace_back(grid.name.empty() ? "the scalar fields" : fmt::format("grid \"{}\"", grid.name),
                       digest_of(std::move(part)));
  }
  for (const model::Field& field : declarations.fields) {
    model::Declarations part;
    part.fields.push_back(field);
    lines.emplace_back(fmt::format("field \"{}\"", field.name), digest_of(std::move(part)));
  }
  return lines;
}

std::vector<std::byte> declaration_message(const client::Declarer& declarer) {
  base::ByteWriter writer;
  put_fault(writer, std::nullopt);
  const auto lines = digests(declarer.declarations());
  writer.put(static_cast<std::int64_t>(lines.size()));
  for (const auto& [name, hash] : lines) {
    writer.put_text(name);
    writer.put(hash);
  }
  model::Decomposition own;
  for (const model::Region& region : declarer.regions()) own.regions.push_back({region});
  writer.put_all(std::span<const std::byte>(own.to_bytes()));
  for (const std::vector<double>& part : coordinate_parts(declarer))
    writer.put_all(std::span<const double>(part));
  return writer.take();
}

void check_same(int rank, const std::vector<std::pair<std::string, std::uint64_t>>& mine,
                const std::vector<std::pair<std::string, std::uint64_t>>& theirs) {
  for (std::size_t i = 0; i < std::max(mine.size(), theirs.size()); ++i) {
    if (i < mine.size() && i < theirs.size() && mine[i] == theirs[i]) continue;
    const bool same_name = i < mine.size() && i < theirs.size() && mine[i].first == theirs[i].first;
    const auto name = [&](const auto& lines) {
      return i < lines.size() ? lines[i].first : std::string("nothing");
    };
    throw Error(
        ErrorCode::usage,
        same_name
            ? fmt::format("ranks 0 and {} of the component declare {} differently (shape, type, units, "
                          "names or values); all ranks must declare the same",
                          rank, mine[i].first)
            : fmt::format("ranks 0 and {} of the component declare different things: rank 0 {}, rank {} {}; "
                          "all ranks must declare the same in the same order",
                          rank, name(mine), rank, name(theirs)));
  }
}

struct Gathered {
  model::Decomposition decomposition;
  std::vector<CoordinateParts> parts;
};

// On the first rank of the component: what everybody holds, in rank order.
Gathered gather(comm::Communicator& component, const client::Declarer& declarer,
                const std::function<void()>& meanwhile) {
  const auto mine = digests(declarer.declarations());
  Gathered gathered{{}, {coordinate_parts(declarer)}};
  model::Decomposition& all = gathered.decomposition;
  for (const model::Region& region : declarer.regions()) all.regions.push_back({region});
  std::optional<Error> first_error;
  for (int rank = 1; rank < component.size(); ++rank) {
    std::optional<std::vector<std::byte>> message;
    while (!(message = poll(component, rank, declare_tag))) meanwhile();
    base::ByteReader reader(*message);
    if (const auto fault = get_fault(reader)) {
      if (!first_error)
        first_error = Error(fault->code, fmt::format("rank {} of the component {}", rank, fault->message));
      continue;
    }
    std::vector<std::pair<std::string, std::uint64_t>> theirs;
    for (auto count = reader.get<std::int64_t>(); count > 0; --count) {
      std::string name = reader.get_text();
      theirs.emplace_back(std::move(name), reader.get<std::uint64_t>());
    }
    try {
      check_same(rank, mine, theirs);
    } catch (const Error& error) {  // keep listening: every rank has sent
      if (!first_error) first_error = error;
      continue;
    }
    const auto bytes = reader.get_all<std::byte>();
    const model::Decomposition part = model::Decomposition::from_bytes(bytes);
    for (std::size_t g = 0; g < all.regions.size(); ++g) all.regions[g].push_back(part.regions[g].front());
    CoordinateParts& parts = gathered.parts.emplace_back(gathered.parts.front().size());
    for (std::vector<double>& values : parts) values = reader.get_all<double>();
  }
  if (first_error) throw *first_error;
  return gathered;
}

void tell_servers(Started& started, const std::vector<std::byte>& message,
                  const std::function<void()>& meanwhile, const std::function<void()>& wake) {
  std::vector<Sending> sendings;
  for (const int server : started.run.assignment.servers)
    sendings.emplace_back(*started.world, message, server, static_cast<int>(Tag::ready));
  while (!std::all_of(sendings.begin(), sendings.end(), [](Sending& sending) { return sending.done(); })) {
    wake();
    meanwhile();
  }
}

// From the first rank to each other one. Not a collective: a rank that left must not keep the others from
// hearing it.
std::optional<base::Fault> share_verdict(comm::Communicator& component, std::optional<base::Fault> fault,
                                         const std::function<void()>& meanwhile) {
  if (component.rank() == 0) {
    base::ByteWriter verdict;
    put_fault(verdict, fault);
    std::vector<Sending> sendings;
    for (int rank = 1; rank < component.size(); ++rank)
      sendings.emplace_back(component, std::vector(verdict.bytes().begin(), verdict.bytes().end()), rank,
                            verdict_tag);
    while (!std::all_of(sendings.begin(), sendings.end(), [](Sending& sending) { return sending.done(); }))
      meanwhile();
    return fault;
  }
  for (;;) {
    if (const auto heard = poll(component, 0, verdict_tag)) {
      base::ByteReader reader(*heard);
      return get_fault(reader);
    }
    meanwhile();
  }
}

}  // namespace

void agree_on_declarations(Started& started, const client::Declarer& declarer, model::Tick begin,
                           const std::function<void()>& meanwhile, const std::function<void()>& wake) {
  comm::Communicator& component = *started.component;
  std::optional<base::Fault> fault;
  if (component.rank() == 0) {
    base::ByteWriter to_servers;
    try {
      const Gathered gathered = gather(component, declarer, meanwhile);
      const model::Decomposition& decomposition = gathered.decomposition;
      model::Declarations declarations = declarer.declarations();
      model::check_cover(declarations, decomposition);
      join_parts(declarations, decomposition, gathered.parts);
      const settings::Configuration configuration = settings::parse_configuration(
          started.run.sources[static_cast<std::size_t>(started.number)], &declarations.options);
      for (const std::string& warning : plan::make_plan(configuration, declarations).warnings)
        base::log_warning(warning);
      put_fault(to_servers, std::nullopt);
      to_servers.put(begin);
      to_servers.put_all(std::span<const std::byte>(declarations.to_bytes()));
      to_servers.put_all(std::span<const std::byte>(decomposition.to_bytes()));
    } catch (...) {
      fault = base::current_fault();
      to_servers = {};
      put_fault(to_servers, fault);
    }
    try {
      tell_servers(started, to_servers.take(), meanwhile, wake);
    } catch (...) {  // one of them is lost, which the other ranks must hear
      if (!fault) fault = base::current_fault();
    }
  } else {
    send(component, declaration_message(declarer), 0, declare_tag, meanwhile);
  }
  if (const auto told = share_verdict(component, fault, meanwhile)) throw Error(told->code, told->message);
}

void tell_never_ready(Started& started, const base::Fault& fault) {
  base::ByteWriter writer;
  put_fault(writer, fault);
  const std::vector<std::byte> message = writer.take();
  std::vector<Sending> sendings;
  comm::Communicator& component = *started.component;
  if (component.rank() == 0) {
    for (const int server : started.run.assignment.servers)
      sendings.emplace_back(*started.world, message, server, static_cast<int>(Tag::ready));
    for (int rank = 1; rank < component.size(); ++rank)
      sendings.emplace_back(component, message, rank, verdict_tag);
  } else {
    sendings.emplace_back(component, message, 0, declare_tag);
  }
  const double end = env::steady_seconds() + patience_seconds;
  while (env::steady_seconds() < end &&
         !std::all_of(sendings.begin(), sendings.end(), [](Sending& sending) { return sending.done(); }))
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

}  // namespace tailrace::handshake
