#include "server/input/entry_thread.hpp"

#include <gtest/gtest.h>

#include <future>

namespace tailrace::server {
namespace {

// Its reads end only when they are interrupted, as those of a disk that does not answer.
class StuckReader final : public input::EntryReader {
 public:
  explicit StuckReader(std::promise<void>& reads) : reads_(reads) {}
  std::vector<input::PreparedField> prepare() override {
    input::PreparedField field{.entry = "forcing",
                               .request = {},
                               .timeline = input::Timeline(calendar::Calendar()),
                               .files = {},
                               .vertical = {}};
    field.field = 0;
    return {field};
  }
  input::RecordValues read(const input::PreparedField&, std::int64_t) override {
    reads_.set_value();
    interrupted_.get_future().wait();
    throw Error(ErrorCode::resource, "the server ends");
  }
  void interrupt() override { interrupted_.set_value(); }

 private:
  std::promise<void>& reads_;
  std::promise<void> interrupted_;
};

TEST(EntryThread, ends_in_the_middle_of_a_read) {
  std::promise<void> reads;
  {
    EntryThread thread({.name = "forcing",
                        .make_reader = [&] { return std::make_unique<StuckReader>(reads); },
                        .wait_for = 1000.0,
                        .ring = [] {}});
    thread.read({.field = 0});
    reads.get_future().wait();
    testing::internal::CaptureStderr();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "nobody waits for the record any more";
}

}  // namespace
}  // namespace tailrace::server
