#include "pipeline/control/control_channel.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "base/tree.hpp"
#include "pipeline/control/tree_place.hpp"

namespace tailrace::pipeline {

void ControlChannel::on_broadcast(ControlMessage kind, int root, messaging::Messenger::Handler handler) {
  on(kind, [this, kind, root, handler = std::move(handler)](int, messaging::Bytes&& message) {
    if (rank() != root) send_down(root, kind, message);
    handler(root, std::move(message));
  });
}

void ControlChannel::broadcast(ControlMessage kind, const messaging::Bytes& message) {
  send_down(rank(), kind, message);
  messenger_.send(rank(), this->kind(kind), messaging::Bytes(message));
}

// The root is in front of the message.
void ControlChannel::on_broadcast_from_any(ControlMessage kind,
                                           std::function<void(const messaging::Bytes&)> handler) {
  on(kind, [this, kind, handler = std::move(handler)](int, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    const auto root = reader.get<std::int32_t>();
    TAILRACE_ASSERT(root >= 0 && root < size(), "news of one of the servers");
    if (rank() != root) send_down(root, kind, message);
    const auto rest = reader.rest();
    handler({rest.begin(), rest.end()});
  });
}

void ControlChannel::broadcast_from_any(ControlMessage kind, const messaging::Bytes& message) {
  base::ByteWriter writer;
  writer.put(static_cast<std::int32_t>(rank()));
  writer.put_bytes(message);
  broadcast(kind, writer.take());
}

void ControlChannel::send_down(int root, ControlMessage kind, const messaging::Bytes& message) {
  for (const int child : TreePlace(rank(), root, size()).children)
    messenger_.send(child, this->kind(kind), messaging::Bytes(message));
}

void ControlChannel::on_flood_once(ControlMessage kind,
                                   std::function<void(const messaging::Bytes&)> handler) {
  on(kind,
     [this, kind, heard = false, handler = std::move(handler)](int from, messaging::Bytes&& message) mutable {
       if (std::exchange(heard, true)) return;
       const base::Branch branch = base::branch_of(rank(), size());
       const auto pass_on = [&](int to) {
         if (to >= 0 && to != from) messenger_.send(to, this->kind(kind), messaging::Bytes(message));
       };
       pass_on(branch.parent);
       std::ranges::for_each(branch.children, pass_on);
       handler(message);
     });
}

void ControlChannel::flood(ControlMessage kind, const messaging::Bytes& message) {
  messenger_.send(rank(), this->kind(kind), messaging::Bytes(message));
}

void ControlChannel::tell(const base::Fault& fault) {
  told_.push_back(fault);
  broadcast_from_any(ControlMessage::fault, bytes_of({&fault, 1}));
}

messaging::Bytes ControlChannel::bytes_of(std::span<const base::Fault> faults) {
  base::ByteWriter writer;
  for (const base::Fault& fault : faults) {
    writer.put(fault.code);
    writer.put_text(fault.message);
  }
  return writer.take();
}

std::vector<base::Fault> ControlChannel::faults_in(std::span<const std::byte> message) {
  std::vector<base::Fault> faults;
  for (base::ByteReader reader(message); !reader.rest().empty();) {
    const auto code = reader.get<ErrorCode>();
    faults.push_back({code, reader.get_text()});
  }
  return faults;
}

}  // namespace tailrace::pipeline
