#include "messaging/sending.hpp"

namespace tailrace::messaging {
namespace {

// An abandoned request and its bytes, which MPI may still read. Never destroyed.
struct Abandoned {
  std::shared_ptr<const std::vector<std::byte>> bytes;
  std::unique_ptr<comm::Request> request;
};

}  // namespace

Sending::Sending(comm::Communicator& communicator, std::vector<std::byte> bytes, int to, int tag)
    : Sending(communicator, std::make_shared<const std::vector<std::byte>>(std::move(bytes)), to, tag) {}

Sending::Sending(comm::Communicator& communicator, std::shared_ptr<const std::vector<std::byte>> bytes,
                 int to, int tag)
    : to_(to), bytes_(std::move(bytes)), request_(communicator.send(*bytes_, to, tag)) {}

Sending::~Sending() {
  if (!request_ || comm::thread_level() == comm::ThreadLevel::none) return;
  try {
    if (request_->done()) return;
  } catch (...) {  // MPI reports an error: do not touch the request again
  }
  static_cast<void>(std::make_unique<Abandoned>(Abandoned{std::move(bytes_), std::move(request_)}).release());
}

void start_sending(comm::Communicator& communicator, std::vector<std::byte> bytes, std::span<const int> to,
                   int tag, std::vector<Sending>& sendings) {
  const auto shared = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  for (const int rank : to) sendings.emplace_back(communicator, shared, rank, tag);
}

std::optional<std::vector<std::byte>> poll(comm::Communicator& communicator, int from, int tag) {
  const auto incoming = communicator.probe(from, tag);
  if (!incoming) return std::nullopt;
  std::vector<std::byte> bytes(incoming->bytes);
  communicator.receive(bytes, incoming->source, incoming->tag);
  return bytes;
}

}  // namespace tailrace::messaging
