#include "transport/endpoints.hpp"

#include "transport/bell.hpp"
#include "transport/invitation.hpp"

namespace tailrace::transport {
namespace {

class HeapDoorbell final : public Doorbell {
 public:
  void ring() override { bell_.ring(); }
  void nudge(double patience) override { bell_.nudge(patience); }
  std::uint32_t ticket() const override { return bell_.ticket(); }
  void sleep(std::uint32_t ticket, double seconds) override { bell_.sleep(ticket, seconds); }

 private:
  Bell bell_{};
};

}  // namespace

std::unique_ptr<Doorbell> make_heap_doorbell() { return std::make_unique<HeapDoorbell>(); }

std::unique_ptr<Consumer> accept(const std::string& invitation, comm::Communicator& communicator, int client,
                                 Doorbell& doorbell) {
  base::ByteReader reader(std::as_bytes(std::span(invitation)));
  switch (reader.get<Kind>()) {
    case Kind::shm: return shm::accept(reader, doorbell);
    case Kind::mpi: return mpi::accept(reader, communicator, client, doorbell);
  }
  throw Error(ErrorCode::internal,
              "rank " + std::to_string(client) + " sent something that is no invitation");
}

}  // namespace tailrace::transport
