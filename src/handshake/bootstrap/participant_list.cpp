#include "handshake/bootstrap/participant_list.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"

namespace tailrace::handshake {
namespace {

// Appends `next_names` to `names` without duplicates, and `next_numbers`, renumbered, to `numbers`.
void add_named(std::vector<std::string>& names, StridedRuns& numbers,
               const std::vector<std::string>& next_names, const StridedRuns& next_numbers) {
  std::map<std::string, int> known;
  for (std::size_t i = 0; i < names.size(); ++i) known.emplace(names[i], static_cast<int>(i));
  std::vector<int> here;
  for (const std::string& name : next_names) {
    const auto [place, is_new] = known.try_emplace(name, static_cast<int>(names.size()));
    if (is_new) names.push_back(name);
    here.push_back(place->second);
  }
  for (const int number : next_numbers) numbers.push_back(here[base::index(number)]);
}

void add_numbers(StridedRuns& numbers, const StridedRuns& next) {
  for (const int number : next) numbers.push_back(number);
}

void put_names(base::ByteWriter& writer, const std::vector<std::string>& names) {
  writer.put(static_cast<std::int32_t>(names.size()));
  for (const std::string& name : names) writer.put_text(name);
}

std::vector<std::string> get_names(base::ByteReader& reader) {
  std::vector<std::string> names;
  for (auto left = reader.get<std::int32_t>(); left > 0; --left) names.push_back(reader.get_text());
  return names;
}

}  // namespace

ParticipantList ParticipantList::of(const Hello& hello) {
  ParticipantList list;
  list.node_names_ = {hello.node};
  list.component_names_ = {hello.component};
  list.nodes_ = list.components_ = {0};
  list.serve_ = {hello.serves ? 1 : 0};
  list.domains_ = {hello.domain};
  list.only_cores_ = {hello.only_core};
  return list;
}

void ParticipantList::add(const ParticipantList& next) {
  add_named(node_names_, nodes_, next.node_names_, next.nodes_);
  add_named(component_names_, components_, next.component_names_, next.components_);
  add_numbers(serve_, next.serve_);
  add_numbers(domains_, next.domains_);
  add_numbers(only_cores_, next.only_cores_);
}

std::vector<Participant> ParticipantList::participants() const {
  std::vector<Participant> all(size());
  const auto fill = [&](const StridedRuns& numbers, auto set) {
    auto one = all.begin();
    for (const int number : numbers) set(*one++, number);
  };
  std::vector<int> first(node_names_.size(), -1);
  int rank = 0;
  fill(nodes_, [&](Participant& one, int node) {
    int& lowest = first[base::index(node)];
    if (lowest < 0) lowest = rank;
    one.node = lowest;
    ++rank;
  });
  fill(components_,
       [&](Participant& one, int component) { one.component = component_names_[base::index(component)]; });
  fill(serve_, [](Participant& one, int serves) { one.serves = serves != 0; });
  fill(domains_, [](Participant& one, int domain) { one.domain = domain; });
  fill(only_cores_, [](Participant& one, int cpu) { one.only_core = cpu; });
  return all;
}

std::vector<std::byte> ParticipantList::to_bytes() const {
  base::ByteWriter writer;
  put_names(writer, node_names_);
  put_names(writer, component_names_);
  for (const StridedRuns* numbers : {&nodes_, &components_, &serve_, &domains_, &only_cores_})
    numbers->put(writer);
  return writer.take();
}

ParticipantList ParticipantList::from_bytes(std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  ParticipantList list;
  list.node_names_ = get_names(reader);
  list.component_names_ = get_names(reader);
  for (StridedRuns* numbers :
       {&list.nodes_, &list.components_, &list.serve_, &list.domains_, &list.only_cores_}) {
    *numbers = StridedRuns::get(reader);
    TAILRACE_ASSERT(numbers->size() == list.nodes_.size(), "each property has a value for every rank");
  }
  const auto check = [](const StridedRuns& numbers, const std::vector<std::string>& names) {
    for (const int number : numbers)
      TAILRACE_ASSERT(number >= 0 && static_cast<std::size_t>(number) < names.size(),
                      "a number without a name");
  };
  check(list.nodes_, list.node_names_);
  check(list.components_, list.component_names_);
  return list;
}

std::vector<int> first_ranks_of_components(const std::vector<Participant>& participants) {
  std::vector<int> speakers;
  std::set<std::string> known;
  for (std::size_t rank = 0; rank < participants.size(); ++rank)
    if (!participants[rank].serves && known.insert(participants[rank].component).second)
      speakers.push_back(static_cast<int>(rank));
  return speakers;
}

}  // namespace tailrace::handshake
