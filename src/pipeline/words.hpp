// What the servers of one component say to each other, besides blocks of data.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "messaging/messenger.hpp"

namespace tailrace::pipeline {

// Kinds of messages; each component has its own block of numbers.
enum class Word : std::int32_t { bundle, tick, final_tick, fault, fatal, closed, set_up, analytics };
inline constexpr std::int32_t words_per_component = 8;

// Communication thread only.
class Words {
 public:
  // `component`: its number. The messenger must live longer.
  Words(messaging::Messenger& messenger, int component) : messenger_(messenger), component_(component) {}

  std::int32_t kind(Word word) const {
    return component_ * words_per_component + static_cast<std::int32_t>(word);
  }
  void on(Word word, messaging::Messenger::Handler handler) { messenger_.on(kind(word), std::move(handler)); }
  // To all servers, this one included, whose handler runs in the next progress like the others'.
  void tell(Word word, const messaging::Bytes& message);
  void tell(Word word, const base::Fault& fault);
  static base::Fault fault_in(const messaging::Bytes& message);

  messaging::Messenger& messenger() { return messenger_; }
  int rank() const { return messenger_.rank(); }  // of this server
  int size() const { return messenger_.size(); }  // of servers

 private:
  messaging::Messenger& messenger_;
  int component_;
};

}  // namespace tailrace::pipeline
