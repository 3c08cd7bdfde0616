#include "handshake/ready/coordinate_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "handshake/connection.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {
namespace {

// Tag on the component's communicator, for the request of the first rank and for the answer.
constexpr int values_tag = 7;

using client::GivenCoordinate;

std::uint64_t digest_of(const std::string& name) { return base::digest(std::as_bytes(std::span(name))); }

struct Named {
  const std::string& grid;
  const std::string& coordinate;
};

Named named(const client::Declarer& declarer, const GivenCoordinate& given) {
  const model::Grid& grid = declarer.declarations().grids[given.grid];
  return {grid.name, grid.coordinates[given.coordinate].name};
}

void take_first(std::int32_t& first, std::int32_t next) {
  if (first < 0) first = next;
}

bool is_whole(const CoordinateForms::Form& form) {
  return form.only_part < 0 && (form.only_whole >= 0 || form.with_whole >= 0);
}

// A whole coordinate of which some rank has no values.
bool lacks_values(const CoordinateForms::Form& form) { return is_whole(form) && form.without >= 0; }

void put_values(base::ByteWriter& out, const GivenCoordinate& given) {
  out.put_all(std::span<const double>(given.values));
  out.put_all(std::span<const double>(given.bounds));
}

void get_values(base::ByteReader& in, GivenCoordinate& given) {
  given.values = in.get_all<double>();
  given.bounds = in.get_all<double>();
}

void refuse_mixed(const client::Declarer& declarer, const CoordinateForms& all) {
  for (std::size_t i = 0; i < all.forms.size(); ++i) {
    const CoordinateForms::Form& form = all.forms[i];
    if (form.only_whole < 0 || form.only_part < 0) continue;
    const Named names = named(declarer, declarer.given_coordinates()[i]);
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "coordinate \"{}\" of grid \"{}\": rank {} of the component gives all values, but rank {} "
            "only its part; all ranks must give the whole, or each its part",
            names.coordinate, names.grid, form.only_whole, form.only_part));
  }
}

std::vector<std::byte> await(comm::Communicator& component, int from,
                             const std::function<void()>& meanwhile) {
  for (;;) {
    if (auto message = messaging::poll(component, from, values_tag)) return std::move(*message);
    meanwhile();
  }
}

std::vector<GivenCoordinate> agreed_forms(const CoordinateForms& all) {
  std::vector<GivenCoordinate> agreed(all.forms.size());
  for (std::size_t i = 0; i < agreed.size(); ++i) {
    agreed[i].form = {.whole = is_whole(all.forms[i]), .part = !is_whole(all.forms[i])};
    agreed[i].vertices = static_cast<std::size_t>(all.forms[i].vertices);
  }
  return agreed;
}

// On the first rank: the values that some ranks lack, its own or those of another rank.
void fetch_values(comm::Communicator& component, const client::Declarer& declarer, const CoordinateForms& all,
                  std::vector<GivenCoordinate>& agreed, const std::function<void()>& meanwhile) {
  for (std::size_t i = 0; i < agreed.size(); ++i) {
    if (!lacks_values(all.forms[i])) continue;
    const GivenCoordinate& own = declarer.given_coordinates()[i];
    if (own.has_values()) {
      agreed[i].values = own.values;
      agreed[i].bounds = own.bounds;
      continue;
    }
    base::ByteWriter request;
    request.put(static_cast<std::int64_t>(i));
    messaging::send(component, request.take(), all.forms[i].with_whole, values_tag, meanwhile);
    const auto answer = await(component, all.forms[i].with_whole, meanwhile);
    base::ByteReader reader(answer);
    get_values(reader, agreed[i]);
  }
}

std::vector<std::byte> settlement(const CoordinateForms& all, const std::vector<GivenCoordinate>& agreed) {
  base::ByteWriter out;
  put_fault(out, std::nullopt);
  out.put(static_cast<std::uint8_t>(all.comparable ? 1 : 0));
  for (const GivenCoordinate& one : agreed) {
    out.put(static_cast<std::uint8_t>(one.form.whole ? 1 : 0));
    out.put(static_cast<std::int64_t>(one.vertices));
    put_values(out, one);
  }
  return out.take();
}

void settle_by(const std::vector<std::byte>& message, client::Declarer& declarer) {
  base::ByteReader in(message);
  get_fault(in);
  if (in.get<std::uint8_t>() == 0) return declarer.settle_coordinates();
  std::vector<GivenCoordinate> agreed;
  while (!in.rest().empty()) {
    GivenCoordinate& one = agreed.emplace_back();
    one.form.whole = in.get<std::uint8_t>() != 0;
    one.form.part = !one.form.whole;
    one.vertices = static_cast<std::size_t>(in.get<std::int64_t>());
    get_values(in, one);
  }
  declarer.settle_coordinates(std::move(agreed));
}

// Waits for the settlement of the first rank, and meanwhile sends it values that it asks for.
std::optional<base::Fault> follow(messaging::PolledTree& tree, comm::Communicator& component,
                                  client::Declarer& declarer, const std::function<void()>& meanwhile) {
  for (;;) {
    if (const auto received = tree.from_parent()) {
      tree.down(*received);
      base::ByteReader reader(*received);
      if (auto fault = get_fault(reader)) return fault;
      settle_by(*received, declarer);
      return std::nullopt;
    }
    if (const auto request = messaging::poll(component, 0, values_tag)) {
      base::ByteReader reader(*request);
      const auto number = base::index(reader.get<std::int64_t>());
      base::ByteWriter answer;
      put_values(answer, declarer.given_coordinates().at(number));
      messaging::send(component, answer.take(), 0, values_tag, meanwhile);
    }
    meanwhile();
  }
}

}  // namespace

CoordinateForms CoordinateForms::of(const client::Declarer& declarer, int rank) {
  CoordinateForms own;
  for (const GivenCoordinate& given : declarer.given_coordinates()) {
    const Named names = named(declarer, given);
    Form& form = own.forms.emplace_back();
    form.name = digest_of(names.grid + "/" + names.coordinate);
    if (!given.form.part) form.only_whole = rank;
    if (!given.form.whole) form.only_part = rank;
    if (!given.has_values()) form.without = rank;
    if (given.form.whole && given.has_values()) form.with_whole = rank;
    if (given.has_values()) form.vertices = static_cast<std::int64_t>(given.vertices);
  }
  return own;
}

void CoordinateForms::add(const CoordinateForms& next) {
  if (!fault) fault = next.fault;
  if (fault) return;
  comparable = comparable && next.comparable && forms.size() == next.forms.size();
  for (std::size_t i = 0; comparable && i < forms.size(); ++i) {
    Form& own = forms[i];
    const Form& other = next.forms[i];
    comparable = own.name == other.name;
    take_first(own.only_whole, other.only_whole);
    take_first(own.only_part, other.only_part);
    take_first(own.with_whole, other.with_whole);
    take_first(own.without, other.without);
    own.vertices = std::max(own.vertices, other.vertices);
  }
}

std::vector<std::byte> CoordinateForms::to_bytes() const {
  base::ByteWriter out;
  put_fault(out, fault);
  if (fault) return out.take();
  out.put(static_cast<std::uint8_t>(comparable ? 1 : 0));
  out.put_all(std::span<const Form>(forms));
  return out.take();
}

CoordinateForms CoordinateForms::from_bytes(std::span<const std::byte> bytes) {
  base::ByteReader in(bytes);
  CoordinateForms read;
  read.fault = get_fault(in);
  if (read.fault) return read;
  read.comparable = in.get<std::uint8_t>() != 0;
  read.forms = in.get_all<Form>();
  return read;
}

std::optional<base::Fault> settle_coordinates(messaging::PolledTree& tree, comm::Communicator& component,
                                              client::Declarer& declarer,
                                              const std::function<void()>& meanwhile) {
  CoordinateForms all = CoordinateForms::of(declarer, component.rank());
  for (std::size_t child = 0; child < tree.children(); ++child)
    all.add(CoordinateForms::from_bytes(messaging::receive_from_child(tree, child, meanwhile)));
  if (!tree.is_first()) {
    tree.up(all.to_bytes());
    return follow(tree, component, declarer, meanwhile);
  }
  if (all.fault) throw Error(all.fault->code, all.fault->message);
  std::vector<GivenCoordinate> agreed;
  if (all.comparable) {
    refuse_mixed(declarer, all);
    agreed = agreed_forms(all);
    fetch_values(component, declarer, all, agreed, meanwhile);
  }
  tree.down(settlement(all, agreed));
  if (all.comparable)
    declarer.settle_coordinates(std::move(agreed));
  else
    declarer.settle_coordinates();
  return std::nullopt;
}

}  // namespace tailrace::handshake
