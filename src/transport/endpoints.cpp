#include "transport/endpoints.hpp"

#include "transport/event_count.hpp"

namespace tailrace::transport {
namespace {

class HeapDoorbell final : public Doorbell {
 public:
  void ring() override { bell_.ring(); }
  void nudge(double patience) override { bell_.nudge(patience); }
  std::uint32_t ticket() const override { return bell_.ticket(); }
  void sleep(std::uint32_t ticket, double seconds) override { bell_.sleep(ticket, seconds); }

 private:
  EventCount bell_{};
};

}  // namespace

std::unique_ptr<Doorbell> make_heap_doorbell() { return std::make_unique<HeapDoorbell>(); }

}  // namespace tailrace::transport
