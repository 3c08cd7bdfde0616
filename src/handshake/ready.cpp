#include "handshake/ready.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <thread>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "handshake/part_coordinates.hpp"
#include "handshake/sameness.hpp"
#include "plan/plan.hpp"

namespace tailrace::handshake {
namespace {

// On the component's communicator.
constexpr int declare_tag = 1;
constexpr int verdict_tag = 2;
constexpr int explain_tag = 3;  // the first rank asks with it, and the other answers

constexpr double patience_seconds = 1.5;  // for the last word of a rank that will not be ready

std::vector<std::byte> declaration_message(const client::Declarer& declarer) {
  base::ByteWriter writer;
  put_fault(writer, std::nullopt);
  writer.put(digest_of(declarer.declarations()));
  model::Decomposition own;
  for (const model::Region& region : declarer.regions()) own.regions.push_back({region});
  writer.put_all(std::span<const std::byte>(own.to_bytes()));
  for (const std::vector<double>& part : coordinate_parts(declarer))
    writer.put_all(std::span<const double>(part));
  return writer.take();
}

std::vector<std::byte> await(comm::Communicator& component, int from, int tag,
                             const std::function<void()>& meanwhile) {
  std::optional<std::vector<std::byte>> message;
  while (!(message = poll(component, from, tag))) meanwhile();
  return std::move(*message);
}

// A rank declares something else than the first one, which asks it for the particulars: no message of all
// others needs to carry them.
[[noreturn]] void explain(comm::Communicator& component, int rank, const client::Declarer& declarer,
                          const std::function<void()>& meanwhile) {
  send(component, std::vector<std::byte>(1), rank, explain_tag, meanwhile);
  const auto answer = await(component, rank, explain_tag, meanwhile);
  base::ByteReader reader(answer);
  DeclaredThings theirs;
  for (auto count = reader.get<std::int64_t>(); count > 0; --count) {
    std::string name = reader.get_text();
    theirs.emplace_back(std::move(name), reader.get<std::uint64_t>());
  }
  check_same(rank, things_in(declarer.declarations()), theirs);
  throw Error(ErrorCode::internal,
              fmt::format("the declarations of rank {} differ in no thing declared", rank));
}

std::vector<std::byte> explanation(const client::Declarer& declarer) {
  base::ByteWriter writer;
  const DeclaredThings things = things_in(declarer.declarations());
  writer.put(static_cast<std::int64_t>(things.size()));
  for (const auto& [name, digest] : things) {
    writer.put_text(name);
    writer.put(digest);
  }
  return writer.take();
}

struct Gathered {
  model::Decomposition decomposition;
  std::vector<CoordinateParts> parts;
};

// On the first rank of the component: what everybody holds, in rank order.
Gathered gather(comm::Communicator& component, const client::Declarer& declarer,
                const std::function<void()>& meanwhile) {
  const std::uint64_t mine = digest_of(declarer.declarations());
  Gathered gathered{{}, {coordinate_parts(declarer)}};
  model::Decomposition& all = gathered.decomposition;
  for (const model::Region& region : declarer.regions()) all.regions.push_back({region});
  std::optional<Error> first_error;
  std::optional<int> first_stranger;
  // All are listened to, whatever one of them says: every rank has sent.
  for (int rank = 1; rank < component.size(); ++rank) {
    const auto message = await(component, rank, declare_tag, meanwhile);
    base::ByteReader reader(message);
    const auto fault = get_fault(reader);
    if (first_error || first_stranger) continue;
    if (fault) {
      first_error = Error(fault->code, fmt::format("rank {} of the component {}", rank, fault->message));
      continue;
    }
    if (reader.get<std::uint64_t>() != mine) {
      first_stranger = rank;
      continue;
    }
    const auto bytes = reader.get_all<std::byte>();
    const model::Decomposition part = model::Decomposition::from_bytes(bytes);
    for (std::size_t g = 0; g < all.regions.size(); ++g) all.regions[g].push_back(part.regions[g][0]);
    CoordinateParts& parts = gathered.parts.emplace_back(gathered.parts.front().size());
    for (std::vector<double>& values : parts) values = reader.get_all<double>();
  }
  if (first_stranger) explain(component, *first_stranger, declarer, meanwhile);
  if (first_error) throw *first_error;
  return gathered;
}

// To each of the ranks the same bytes, which are there once.
std::vector<Sending> send_all(comm::Communicator& communicator, std::vector<std::byte> bytes,
                              const std::vector<int>& ranks, int tag) {
  const auto shared = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  std::vector<Sending> sendings;
  for (const int rank : ranks) sendings.emplace_back(communicator, shared, rank, tag);
  return sendings;
}

bool all_done(std::vector<Sending>& sendings) {
  return std::ranges::all_of(sendings, [](Sending& sending) { return sending.done(); });
}

void tell_servers(Started& started, std::vector<std::byte> message, const std::function<void()>& meanwhile,
                  const std::function<void()>& wake) {
  auto sendings = send_all(*started.world, std::move(message), started.run.assignment.servers,
                           static_cast<int>(Tag::ready));
  while (!all_done(sendings)) {
    wake();
    meanwhile();
  }
}

// From the first rank to each other one. Not a collective: a rank that left must not keep the others from
// hearing it.
void send_verdict(comm::Communicator& component, std::optional<base::Fault> fault,
                  const std::function<void()>& meanwhile) {
  // That a server is gone is seen on its node alone.
  if (fault && fault->code != ErrorCode::lost)
    fault->message = "ready failed on all ranks alike; the component's first rank tells why";
  base::ByteWriter verdict;
  put_fault(verdict, fault);
  std::vector<int> others(static_cast<std::size_t>(component.size()) - 1);
  std::iota(others.begin(), others.end(), 1);
  auto sendings = send_all(component, verdict.take(), others, verdict_tag);
  while (!all_done(sendings)) meanwhile();
}

std::optional<base::Fault> hear_verdict(comm::Communicator& component, const client::Declarer& declarer,
                                        const std::function<void()>& meanwhile) {
  for (;;) {
    if (const auto heard = poll(component, 0, verdict_tag)) {
      base::ByteReader reader(*heard);
      return get_fault(reader);
    }
    if (poll(component, 0, explain_tag)) send(component, explanation(declarer), 0, explain_tag, meanwhile);
    meanwhile();
  }
}

}  // namespace

plan::Plan plan_for(const Started& started, const model::Declarations& declarations) {
  return plan::make_plan(
      settings::parse_configuration(started.run.sources[static_cast<std::size_t>(started.number)],
                                    &declarations.options),
      declarations);
}

std::optional<plan::Plan> agree_on_declarations(Started& started, const client::Declarer& declarer,
                                                model::Tick begin, const std::function<void()>& meanwhile,
                                                const std::function<void()>& wake) {
  comm::Communicator& component = *started.component;
  std::optional<base::Fault> fault;
  std::optional<plan::Plan> plan;
  if (component.rank() == 0) {
    base::ByteWriter to_servers;
    try {
      const Gathered gathered = gather(component, declarer, meanwhile);
      if (!(std::abs(begin.time) <= model::latest_time))
        throw Error(ErrorCode::usage,
                    fmt::format("initial_time is {} s; a model time is a number of at most 2^53 seconds",
                                begin.time));
      const model::Decomposition& decomposition = gathered.decomposition;
      model::Declarations declarations = declarer.declarations();
      model::check_cover(declarations, decomposition);
      join_parts(declarations, decomposition, gathered.parts);
      plan = plan_for(started, declarations);
      for (const std::string& warning : plan->warnings) base::log_warning(warning);
      for (const std::string& detail : plan->details) base::log_info(detail);
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
    send_verdict(component, fault, meanwhile);
  } else {
    send(component, declaration_message(declarer), 0, declare_tag, meanwhile);
    fault = hear_verdict(component, declarer, meanwhile);
  }
  if (fault) throw Error(fault->code, fault->message);
  return plan;
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
