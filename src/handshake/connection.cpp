#include "handshake/connection.hpp"

#include <fmt/format.h>

namespace tailrace::handshake {

namespace {

constexpr int transport_tags = 4;
constexpr int least_bound_on_tags = 32767;  // MPI 4.1, 9.1.2

int first_tag(Place place) { return static_cast<int>(Tag::first_transport) + place * tags_per_component; }

}  // namespace

int channel_tag(Place place, Purpose purpose) {
  return first_tag(place) + static_cast<int>(purpose) * transport_tags_per_channel;
}

int message_tag(Tag tag, Place place, int components) {
  if (place < components) return static_cast<int>(tag);
  const int message = tag == Tag::goodbye ? 3 : static_cast<int>(tag) - static_cast<int>(Tag::ready);
  TAILRACE_ASSERT(message >= 0 && message < tags_per_component - transport_tags, "a message of a stream");
  return first_tag(place) + transport_tags + message;
}

void check_place(Place place) {
  if (first_tag(place + 1) <= least_bound_on_tags) return;
  throw Error(ErrorCode::usage,
              fmt::format("a rank opened {} output streams, more than MPI has tags for; keep a stream open "
                          "for all files of its kind, with open_file for each",
                          place));
}

void put_invitations(base::ByteWriter& writer, const std::vector<Invitation>& invitations) {
  writer.put(static_cast<std::uint8_t>(invitations.size()));
  for (const Invitation& one : invitations) {
    writer.put(one.purpose);
    writer.put_text(one.text);
  }
}

std::vector<Invitation> get_invitations(base::ByteReader& reader) {
  std::vector<Invitation> invitations(reader.get<std::uint8_t>());
  for (Invitation& one : invitations) {
    one.purpose = reader.get<Purpose>();
    one.text = reader.get_text();
  }
  return invitations;
}

void LocalEnds::leave(std::unique_ptr<transport::Consumer> consumer) {
  const std::lock_guard lock(mutex_);
  consumer_ = std::move(consumer);
}

void LocalEnds::leave(std::unique_ptr<transport::Producer> producer) {
  const std::lock_guard lock(mutex_);
  producer_ = std::move(producer);
}

std::unique_ptr<transport::Consumer> LocalEnds::take_consumer() {
  const std::lock_guard lock(mutex_);
  return std::move(consumer_);
}

std::unique_ptr<transport::Producer> LocalEnds::take_producer() {
  const std::lock_guard lock(mutex_);
  return std::move(producer_);
}

}  // namespace tailrace::handshake
