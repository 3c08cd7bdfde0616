#include "handshake/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "handshake/connection.hpp"
#include "messaging/collectives/polled_allreduce.hpp"
#include "settings/streams.hpp"

namespace tailrace::handshake {
namespace {

constexpr double patience_seconds = 1.5;  // to send the last message of a stream that is refused

// The messages of a rank, and of all below it in the tree.
struct Sayings {
  struct Saying {
    int rank = 0;    // of the run
    int number = 0;  // of its component
    std::string name;
  };
  std::map<int, Saying> by_rank;  // in the stream
  Place place = 0;
  std::optional<base::Fault> obstacle;  // the first

  std::vector<std::byte> to_bytes() const {
    base::ByteWriter writer;
    put_fault(writer, obstacle);
    writer.put(place);
    writer.put(static_cast<std::int32_t>(by_rank.size()));
    for (const auto& [rank, saying] : by_rank) {
      writer.put(rank);
      writer.put(saying.rank);
      writer.put(saying.number);
      writer.put_text(saying.name);
    }
    return writer.take();
  }

  void add(std::span<const std::byte> bytes) {
    base::ByteReader reader(bytes);
    if (const auto fault = base::get_fault(reader); fault && !obstacle) obstacle = fault;
    place = std::max(place, reader.get<Place>());
    for (auto left = reader.get<std::int32_t>(); left > 0; --left) {
      const int rank = reader.get<int>();
      Saying& saying = by_rank[rank];
      saying.rank = reader.get<int>();
      saying.number = reader.get<int>();
      saying.name = reader.get_text();
    }
  }
};

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::usage, message); }

// In mode inline a server works in the calls of its rank only, so all ranks have to be in this one.
void check_ranks(const Started& session, const Sayings& sayings, const std::string& name) {
  const Run& run = session.run;
  for (const auto& [rank, saying] : sayings.by_rank) {
    if (saying.name != name)
      refuse(
          fmt::format("open_output: rank {} of the communicator opens the stream \"{}\", but rank 0 opens "
                      "\"{}\"; expected the same name on all ranks",
                      rank, saying.name, name));
    if (saying.number != session.number)
      refuse(fmt::format(
          "open_output of \"{}\": rank {} of the communicator belongs to component \"{}\", but rank 0 to "
          "\"{}\"; expected model ranks of one component",
          name, rank, run.assignment.components[base::index(saying.number)],
          run.assignment.components[base::index(session.number)]));
  }
  const bool has_all = sayings.by_rank.size() == run.assignment.servers.size();
  if (run.servers().mode == settings::Mode::inline_ && !has_all)
    refuse(
        fmt::format("open_output of \"{}\": with `servers.mode: inline` a stream has all ranks of the run, "
                    "since its servers work in their calls; got {} of {} ranks. Expected a communicator "
                    "of all model ranks, or mode dedicated or attached",
                    name, sayings.by_rank.size(), run.assignment.servers.size()));
}

StreamNotice make_notice(const Started& session, const Sayings& sayings, const StreamRequest& request) {
  if (sayings.obstacle) throw Error(sayings.obstacle->code, sayings.obstacle->message);
  check_ranks(session, sayings, request.name);
  check_place(sayings.place);
  const auto c = base::index(session.number);
  StreamNotice notice;
  notice.component = fmt::format("{}.{}", session.run.assignment.components[c], request.name);
  notice.place = sayings.place;
  for (const auto& [rank, saying] : sayings.by_rank) notice.ranks.push_back(saying.rank);
  notice.sources = settings::sources_of_stream(session.run.sources[c], request.name, request.text);
  static_cast<void>(settings::parse_configuration(notice.sources, nullptr, notice.component));
  return notice;
}

std::unique_ptr<comm::Communicator> duplicate(int communicator, const std::function<void()>& meanwhile) {
  const auto duplication = comm::start_duplication(communicator);
  while (!duplication->done()) meanwhile();
  return duplication->take();
}

}  // namespace

std::vector<std::byte> StreamNotice::to_bytes() const {
  base::ByteWriter writer;
  writer.put_text(component);
  writer.put(place);
  ranks.put(writer);
  put_sources(writer, sources);
  return writer.take();
}

StreamNotice StreamNotice::from_bytes(std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  StreamNotice notice;
  notice.component = reader.get_text();
  notice.place = reader.get<Place>();
  notice.ranks = StridedRuns::get(reader);
  notice.sources = get_sources(reader);
  return notice;
}

Started open_stream(const Started& session, const StreamRequest& request,
                    const std::function<void()>& meanwhile) {
  Started stream;
  stream.component = duplicate(request.communicator, meanwhile);
  messaging::PolledTree tree(*stream.component);
  Sayings sayings;
  sayings.place = request.next_place;
  sayings.obstacle = request.obstacle;
  sayings.by_rank[stream.component->rank()] = {session.world->rank(), session.number, request.name};
  std::vector<std::byte> answer;
  try {
    answer =
        messaging::allreduce(tree,
                             {[&](std::span<const std::byte> message) { sayings.add(message); },
                              [&] { return sayings.to_bytes(); },
                              [&] { return make_notice(session, sayings, request).to_bytes(); }, meanwhile},
                             fmt::format("open_output of \"{}\" failed on all ranks; the first rank of the "
                                         "communicator reports the reason",
                                         request.name));
  } catch (const messaging::AgreedFault&) {
    messaging::wait_until_sent(tree, patience_seconds);
    throw;
  }
  while (!tree.sent()) meanwhile();
  stream.model = duplicate(stream.component->handle(), meanwhile);
  stream.model->hand_over(request.communicator);
  const StreamNotice notice = StreamNotice::from_bytes(answer);
  stream.world = session.world;
  stream.run = run_of(session.run, notice);
  stream.number = 0;
  stream.place = notice.place;
  stream.components = session.components;
  return stream;
}

StreamNotice notice_of(const Started& stream) {
  const Assignment& assignment = stream.run.assignment;
  return {.component = assignment.components.front(),
          .place = stream.place,
          .ranks = assignment.ranks.front(),
          .sources = stream.run.sources.front()};
}

Run run_of(const Run& run, const StreamNotice& notice) {
  Run made;
  made.assignment.servers = run.assignment.servers;
  made.assignment.server_of = run.assignment.server_of;
  std::vector<int> component_of(run.assignment.component_of.size(), -1);
  for (const int rank : notice.ranks) component_of[base::index(rank)] = 0;
  made.assignment.component_of = component_of;
  made.assignment.components = {notice.component};
  made.assignment.ranks = {notice.ranks};
  made.sources = {notice.sources};
  made.configurations = {settings::parse_configuration(notice.sources, nullptr, notice.component)};
  made.configurations.front().servers = run.servers();
  made.nodes = run.nodes;
  made.processes = run.processes;
  made.cpus_on_node = run.cpus_on_node;
  return made;
}

}  // namespace tailrace::handshake
