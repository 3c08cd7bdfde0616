#include "analytics/engine/background.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/index.hpp"

namespace tailrace::analytics::engine {
namespace {

TEST(Background, ContinuesOnlyInProgressEvenIfTheWorkRanAtOnce) {
  std::string said;
  Background background([&](std::function<void()> work, bool light) {
    said += light ? "light " : "heavy ";
    work();
  });
  background.run([&] { said += "work "; }, [&] { said += "then "; }, true);
  EXPECT_EQ(said, "light work ");
  EXPECT_TRUE(background.progress());
  EXPECT_EQ(said, "light work then ");
  EXPECT_FALSE(background.progress());
}

TEST(Background, RunsWorkThatAContinuationStarts) {
  int done = 0;
  Background background([](std::function<void()> work, bool) { work(); });
  background.run([] {}, [&] { background.run([] {}, [&] { ++done; }, false); }, false);
  EXPECT_TRUE(background.progress());
  EXPECT_EQ(done, 0);
  EXPECT_TRUE(background.progress());
  EXPECT_EQ(done, 1);
}

TEST(Background, LosesNoWorkOfManyThreads) {
  constexpr int workers = 4, each = 500;
  std::vector<std::function<void()>> submitted;
  Background background([&](std::function<void()> work, bool) { submitted.push_back(std::move(work)); });
  std::atomic<int> worked{0};
  int done = 0;
  for (int i = 0; i < workers * each; ++i) background.run([&] { ++worked; }, [&] { ++done; }, false);
  std::vector<std::thread> threads;
  for (int worker = 0; worker < workers; ++worker)
    threads.emplace_back([&, worker] {
      for (int i = 0; i < each; ++i) submitted[base::index(worker * each + i)]();
    });
  while (done < workers * each) background.progress();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(worked, workers * each);
}

}  // namespace
}  // namespace tailrace::analytics::engine
