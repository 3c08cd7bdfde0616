// The queue of steps for a consumer that is a child process.
#include "output/consumer/step_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "env/clock.hpp"

namespace tailrace::output::consumer {
namespace {

using ::testing::ElementsAre;

class Queue final : public StepQueue {
 public:
  using StepQueue::finish;
  using StepQueue::look_for_room;
  using StepQueue::Room;
  using StepQueue::take_answers;

  Queue(const std::string& program, const QueueLimits& limits)
      : StepQueue({"python3", "-c",
                   "import os, socket, sys, time\ns = socket.socket(fileno=int(sys.argv[1]))\n" + program,
                   "{socket}"},
                  limits) {}

  void send(std::uint64_t number) {
    hand_over(number, [&](Waiting& step) { return child_->send("step " + std::to_string(step.number)); });
  }
  void send_what_the_system_refuses() {
    hand_over(0, [](Waiting&) -> bool { throw Error(ErrorCode::resource, "no memory"); });
  }
  std::size_t waiting() const { return waiting_.size(); }

  std::vector<std::string> how;   // the process ended
  std::vector<std::string> lost;  // why the system refused a step

 private:
  void answered(const std::string& answer) override {
    if (answer == "done") waiting_.pop_front();
  }
  void ended(const std::string& ending) override { how.push_back(ending); }
  void refused(const Error& error) override { lost.emplace_back(error.what()); }
  std::string warning_when_full() const override { return "full"; }
};

constexpr const char* does_all = "while m := s.recv(100):\n  if m == b'end': break\n  s.send(b'done')";
constexpr const char* does_none = "while s.recv(100) != b'end': pass";

TEST(StepQueue, HoldsNoMoreStepsThanItsLimit) {
  Queue queue(does_none, {.steps = 2});
  for (const std::uint64_t number : {0, 1}) {
    EXPECT_EQ(queue.look_for_room(), Queue::Room::free);
    queue.send(number);
  }
  EXPECT_EQ(queue.look_for_room(), Queue::Room::full);
  EXPECT_EQ(queue.waiting(), 2);
  EXPECT_TRUE(queue.finish("end", 30.0, false));
  EXPECT_THAT(queue.how, ElementsAre());  // it ended when it was asked to
}

TEST(StepQueue, WaitsForRoomWhereItMay) {
  Queue queue("time.sleep(0.3)\n" + std::string(does_all), {.steps = 1, .waits = true});
  for (std::uint64_t number = 0; number < 4; ++number) {
    EXPECT_EQ(queue.look_for_room(), Queue::Room::free);
    queue.send(number);
  }
  EXPECT_TRUE(queue.finish("end", 30.0, false));
  EXPECT_EQ(queue.waiting(), 0);
}

TEST(StepQueue, WaitsNoLongerThanItsPatience) {
  Queue queue(does_none, {.steps = 1, .waits = true, .patience = 0.1});
  queue.send(0);
  const double begin = env::steady_seconds();
  EXPECT_EQ(queue.look_for_room(), Queue::Room::full);
  EXPECT_LT(env::steady_seconds() - begin, 20.0);
}

TEST(StepQueue, ReportsOnceThatTheProcessHasEnded) {
  Queue queue("s.recv(100)\nsys.exit(7)", {.steps = 8});
  queue.send(0);
  for (const double end = env::steady_seconds() + 30.0; env::steady_seconds() < end;)
    if (queue.look_for_room() == Queue::Room::closed) break;
  EXPECT_EQ(queue.look_for_room(), Queue::Room::closed);
  EXPECT_THAT(queue.how, ElementsAre("ended with status 7"));
}

TEST(StepQueue, GivesUpAStepThatTheSystemRefuses) {
  Queue queue(does_all, {.steps = 1});
  queue.send_what_the_system_refuses();
  EXPECT_THAT(queue.lost, ElementsAre("no memory"));
  EXPECT_EQ(queue.waiting(), 0);
  EXPECT_EQ(queue.look_for_room(), Queue::Room::free);
}

TEST(StepQueue, FinishesWithinItsPatience) {
  Queue queue("while True: time.sleep(1)", {});
  queue.send(0);
  EXPECT_FALSE(queue.finish("end", 0.1, true));
  EXPECT_EQ(queue.waiting(), 1);
}

}  // namespace
}  // namespace tailrace::output::consumer
