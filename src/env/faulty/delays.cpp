#include "env/delays.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/log.hpp"
#include "env/threads.hpp"

namespace tailrace::env {
namespace {

struct Settings {
  std::uint64_t seed = 0;
  std::uint64_t most_microseconds = 0;  // 0: off
};

// A mistake here must not stop a model: it is reported once, and there are no delays.
Settings read_settings() {
  const char* const text = std::getenv("TAILRACE_RANDOM_DELAYS");
  if (!text || !*text) return {};
  const std::string_view all(text);
  const std::size_t colon = all.find(':');
  Settings settings;
  const auto number = [](std::string_view digits, std::uint64_t& value) {
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return code == std::errc{} && end == digits.data() + digits.size() && !digits.empty();
  };
  if (colon != std::string_view::npos && number(all.substr(0, colon), settings.seed) &&
      number(all.substr(colon + 1), settings.most_microseconds))
    return settings;
  base::log_warning(
      "TAILRACE_RANDOM_DELAYS is not of the form <seed>:<most microseconds>, such as 7:500; no delays");
  return {};
}

const Settings& settings() {
  static const Settings read = read_settings();
  return read;
}

std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return value;
}

// Imitates a slow disk.
std::uint64_t read_file_delay() {
  const char* const text = std::getenv("TAILRACE_FILE_DELAY");
  if (!text || !*text) return 0;
  std::uint64_t microseconds = 0;
  const std::string_view all(text);
  const auto [end, code] = std::from_chars(all.data(), all.data() + all.size(), microseconds);
  if (code == std::errc{} && end == all.data() + all.size()) return microseconds;
  base::log_warning("TAILRACE_FILE_DELAY is not a number of microseconds; no delays");
  return 0;
}

std::uint64_t file_delay() {
  static const std::uint64_t read = read_file_delay();
  return read;
}

// The rank from the launcher's environment, because MPI may not be initialised yet.
std::uint64_t rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* const text = std::getenv(name)) return hash(text);
  }
  return 0;
}

std::uint64_t random_delay(const char* tag) {
  thread_local std::uint64_t state =
      mix(settings().seed ^ mix(rank() ^ mix(static_cast<std::uint64_t>(this_thread_number()))));
  state = mix(state ^ hash(tag));
  // Half of all calls are not delayed, so that delays differ by more than a constant.
  if (state & 1u) return 0;
  return (state >> 8) % (settings().most_microseconds + 1);
}

}  // namespace

const bool random_delays_on = settings().most_microseconds > 0;
const bool delays_on = random_delays_on || file_delay() > 0;

std::chrono::microseconds next_delay(const char* tag) {
  std::uint64_t microseconds = std::string_view(tag) == "file" ? file_delay() : 0;
  if (random_delays_on) microseconds += random_delay(tag);
  return std::chrono::microseconds(microseconds);
}

void delay(const char* tag) {
  if (const auto time = next_delay(tag); time.count() > 0) std::this_thread::sleep_for(time);
}

}  // namespace tailrace::env
