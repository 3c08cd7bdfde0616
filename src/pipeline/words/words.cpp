#include "pipeline/words/words.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "base/tree.hpp"
#include "pipeline/words/tree_place.hpp"

namespace tailrace::pipeline {

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
  for (const int child : TreePlace(rank(), root, size()).children)
    messenger_.send(child, kind(word), messaging::Bytes(message));
}

void Words::on_rumour(Word word, std::function<void(const messaging::Bytes&)> handler) {
  on(word,
     [this, word, heard = false, handler = std::move(handler)](int from, messaging::Bytes&& message) mutable {
       if (std::exchange(heard, true)) return;
       const base::Branch branch = base::branch_of(rank(), size());
       const auto pass_on = [&](int to) {
         if (to >= 0 && to != from) messenger_.send(to, kind(word), messaging::Bytes(message));
       };
       pass_on(branch.parent);
       std::ranges::for_each(branch.children, pass_on);
       handler(message);
     });
}

void Words::spread_rumour(Word word, const messaging::Bytes& message) {
  messenger_.send(rank(), kind(word), messaging::Bytes(message));
}

void Words::tell(const base::Fault& fault) {
  told_.push_back(fault);
  spread_news(Word::fault, bytes_of({&fault, 1}));
}

messaging::Bytes Words::bytes_of(std::span<const base::Fault> faults) {
  base::ByteWriter writer;
  for (const base::Fault& fault : faults) {
    writer.put(fault.code);
    writer.put_text(fault.message);
  }
  return writer.take();
}

std::vector<base::Fault> Words::faults_in(std::span<const std::byte> message) {
  std::vector<base::Fault> faults;
  for (base::ByteReader reader(message); !reader.rest().empty();) {
    const auto code = reader.get<ErrorCode>();
    faults.push_back({code, reader.get_text()});
  }
  return faults;
}

}  // namespace tailrace::pipeline
