#include <new>

#include "base/error.hpp"
#include "transport/endpoints.hpp"
#include "transport/event_count.hpp"
#include "transport/shm/segment.hpp"

namespace tailrace::transport::shm {
namespace {

class SharedDoorbell final : public Doorbell {
 public:
  explicit SharedDoorbell(Segment segment)
      : segment_(std::move(segment)), bell_(*std::launder(reinterpret_cast<EventCount*>(segment_.data()))) {
    TAILRACE_ASSERT(segment_.size() >= sizeof(EventCount), "the shared memory of a doorbell is too small");
  }
  void ring() override { bell_.ring(); }
  void nudge(double patience) override { bell_.nudge(patience); }
  std::uint32_t ticket() const override { return bell_.ticket(); }
  void sleep(std::uint32_t ticket, double seconds) override { bell_.sleep(ticket, seconds); }

 private:
  Segment segment_;
  EventCount& bell_;
};

}  // namespace

// This is a server's first allocation in the node's shared memory, so the leftovers of dead jobs are removed
// before.
NamedDoorbell make_doorbell() {
  remove_leftovers();
  Segment segment = Segment::create(4096, "a doorbell");
  std::string name = segment.name();
  return {std::make_unique<SharedDoorbell>(std::move(segment)), std::move(name)};
}

std::unique_ptr<Doorbell> attach_doorbell(const std::string& name) {
  return std::make_unique<SharedDoorbell>(Segment::attach(name));
}

void forget_doorbell(const std::string& name) { forget(name); }

}  // namespace tailrace::transport::shm
