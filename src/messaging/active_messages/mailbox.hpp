// The mailbox of the active messages of one server: bundles messages to the same server, and keeps those
// that arrive until they are processed.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "messaging/active_messages/wire.hpp"

namespace tailrace::messaging {

class Mailbox {
 public:
  struct Bundle {
    int from = 0;
    Bytes message;
    std::size_t offset = 0;  // of the next item
  };

  Mailbox(Messenger& messenger, std::int32_t kind);

  int rank() const { return rank_; }
  int size() const { return size_; }

  void put(int to, const wire::Item& item);  // to another server; sent in a bundle, in order
  void put_all(const wire::Item& item);      // to all others
  bool flush();                              // sends all bundles; true if there was one

  Bundle* first();  // null: none has arrived. Valid until taken
  Bundle take_first();

  bool quiet() const { return bundled_ == 0 && inbox_->arrived.empty(); }
  std::size_t bytes() const { return bundled_ + inbox_->bytes; }

 private:
  // Filled by the messenger's handler, which may outlive the mailbox.
  struct Inbox {
    std::deque<Bundle> arrived;
    std::size_t bytes = 0;
  };
  bool send(int to);

  Messenger& messenger_;
  std::int32_t kind_;
  int rank_;
  int size_;
  std::vector<Bytes> bundles_;  // by server
  std::size_t bundled_ = 0;
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
};

}  // namespace tailrace::messaging
