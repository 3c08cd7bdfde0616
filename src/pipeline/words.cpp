#include "pipeline/words.hpp"

#include <utility>

#include "base/bytes.hpp"
#include "base/tree.hpp"

namespace tailrace::pipeline {

void Words::tell(Word word, const messaging::Bytes& message) {
  for (int server = 0; server < size(); ++server)
    messenger_.send(server, kind(word), messaging::Bytes(message));
}

void Words::on_spread(Word word, int root, messaging::Messenger::Handler handler) {
  on(word, [this, word, root, handler = std::move(handler)](int, messaging::Bytes&& message) {
    if (rank() != root) send_down(root, word, message);
    handler(root, std::move(message));
  });
}

void Words::spread(Word word, const messaging::Bytes& message) {
  send_down(rank(), word, message);
  messenger_.send(rank(), kind(word), messaging::Bytes(message));
}

// The root is in front of the message.
void Words::on_news(Word word, std::function<void(const messaging::Bytes&)> handler) {
  on(word, [this, word, handler = std::move(handler)](int, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    const auto root = reader.get<std::int32_t>();
    TAILRACE_ASSERT(root >= 0 && root < size(), "news of one of the servers");
    if (rank() != root) send_down(root, word, message);
    const auto rest = reader.rest();
    handler({rest.begin(), rest.end()});
  });
}

void Words::spread_news(Word word, const messaging::Bytes& message) {
  base::ByteWriter writer;
  writer.put(static_cast<std::int32_t>(rank()));
  writer.put_bytes(message);
  spread(word, writer.take());
}

void Words::send_down(int root, Word word, const messaging::Bytes& message) {
  const base::Branch branch = base::branch_of((rank() - root + size()) % size(), size());
  for (const int child : branch.children)
    messenger_.send((child + root) % size(), kind(word), messaging::Bytes(message));
}

void Words::tell(Word word, const base::Fault& fault) {
  base::ByteWriter writer;
  writer.put(fault.code);
  writer.put_text(fault.message);
  tell(word, writer.take());
}

base::Fault Words::fault_in(const messaging::Bytes& message) {
  base::ByteReader reader(message);
  const auto code = reader.get<ErrorCode>();
  return {code, reader.get_text()};
}

}  // namespace tailrace::pipeline
