#include "analytics/user/crash_notice.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string_view>

#include "base/index.hpp"

namespace tailrace::analytics::user {
namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::array<const char*, crashes.size()> crash_names{
    "segmentation fault", "bus error", "arithmetic fault", "illegal instruction", "abort"};

enum class Use : int { free, being_written, told };

// Data for the signal handler, which may neither allocate nor lock.
struct Slot {
  std::atomic<Use> use{Use::free};
  std::array<char, 512> text{};
};
std::array<Slot, 64> slots;
std::array<struct sigaction, crashes.size()> before;

// The message, written with one call, so that messages of processes that crash together are not interleaved.
class LastLine {
 public:
  void add(std::string_view text) {
    size_ += text.copy(room_.data() + size_, room_.size() - ending.size() - size_);
  }
  void write() {
    size_ += ending.copy(room_.data() + size_, ending.size());
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, room_.data(), size_);
  }

 private:
  static constexpr std::string_view ending = "; it ends now, and the files contain all commits\n";
  std::array<char, 2048> room_;  // a signal stack may have only 8 KiB
  std::size_t size_ = 0;
};

// Writes the message, restores the previous handler and raises the signal again.
extern "C" void on_crash(int number, siginfo_t* info, void*) {
  const auto which = base::index(std::ranges::find(crashes, number) - crashes.begin());
  LastLine line;
  bool first = true;
  for (Slot& slot : slots) {
    if (slot.use.load(std::memory_order_acquire) != Use::told) continue;
    line.add(first ? "tailrace: error: the process crashed (" : " and ");
    if (first) line.add(crash_names[which]);
    if (first) line.add(") in a user-defined operator while it computed ");
    line.add(slot.text.data());
    first = false;
  }
  if (!first) line.write();
  sigaction(number, &before[which], nullptr);
  if (info->si_code <= 0) raise(number);  // sent by kill or raise; a fault recurs by itself
}

void watch() {
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < crashes.size(); ++i) sigaction(crashes[i], &action, &before[i]);
}

}  // namespace

CrashNotice::CrashNotice(const std::string& what) : slot_(-1) {
  static std::once_flag once;
  std::call_once(once, watch);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Use expected = Use::free;
    if (!slots[i].use.compare_exchange_strong(expected, Use::being_written)) continue;
    const std::size_t size = std::min(what.size(), slots[i].text.size() - 1);
    std::copy_n(what.begin(), size, slots[i].text.begin());
    slots[i].text[size] = '\0';
    slots[i].use.store(Use::told, std::memory_order_release);
    slot_ = static_cast<int>(i);
    return;
  }
}

CrashNotice::~CrashNotice() {
  if (slot_ >= 0) slots[base::index(slot_)].use.store(Use::free, std::memory_order_release);
}

}  // namespace tailrace::analytics::user
