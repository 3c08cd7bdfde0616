#include "handshake/connection.hpp"

namespace tailrace::handshake {

int channel_tag(int component, Purpose purpose) {
  return static_cast<int>(Tag::first_transport) + component * transport_tags_per_component +
         static_cast<int>(purpose) * transport_tags_per_channel;
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
