#include "messaging/active_messages_termination.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace tailrace::messaging {
namespace {

constexpr int asker = 0;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Termination::Termination(Post& post, std::function<bool()> passive, std::function<std::string()> unmatched)
    : post_(post), passive_(std::move(passive)), unmatched_(std::move(unmatched)) {}

void Termination::hear(int from, wire::Word word, std::span<const std::byte> content) {
  switch (word) {
    case wire::Word::count: asked_ = true; return;
    case wire::Word::counts: {
      const Counts theirs = base::ByteReader(content).get<Counts>();
      counts_.sent += theirs.sent;
      counts_.received += theirs.received;
      if (--awaited_ == 0) conclude();
      return;
    }
    case wire::Word::list: return post_.say(from, wire::Word::unmatched, bytes_of(unmatched_()));
    case wire::Word::unmatched:
      add_unmatched(content);
      if (--awaited_ == 0) judge();
      return;
    case wire::Word::verdict:
      phase_ = Phase::over;
      verdict_ = text_of(content);
      return;
    case wire::Word::items: break;
  }
  TAILRACE_ASSERT(false, "a word that no server says about the end");
}

bool Termination::progress() {
  const bool mine = post_.rank() == asker ? phase_ == Phase::waiting : asked_;
  if (!mine || !passive_()) return false;
  if (post_.rank() == asker) {
    counts_ = own();
    phase_ = Phase::counting;
    ask(wire::Word::count);
    if (awaited_ == 0) conclude();
  } else {
    asked_ = false;
    const Counts counts = own();
    post_.say(asker, wire::Word::counts, std::as_bytes(std::span<const Counts, 1>(&counts, 1)));
  }
  return true;
}

void Termination::ask(wire::Word word) {
  awaited_ = post_.size() - 1;
  for (int to = 0; to < post_.size(); ++to)
    if (to != asker) post_.say(to, word, {});
}

void Termination::conclude() {
  const bool still = before_ == counts_ && counts_.sent == counts_.received;
  before_ = counts_;
  phase_ = still ? Phase::listing : Phase::waiting;
  if (!still) return;
  add_unmatched(bytes_of(unmatched_()));
  ask(wire::Word::list);
  if (awaited_ == 0) judge();
}

void Termination::add_unmatched(std::span<const std::byte> lines) {
  const std::string text = text_of(lines);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines_.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

void Termination::judge() {
  std::string all;
  for (const std::string& line : lines_) all += (all.empty() ? "" : "\n") + line;
  for (int to = 0; to < post_.size(); ++to)
    if (to != asker) post_.say(to, wire::Word::verdict, bytes_of(all));
  phase_ = Phase::over;
  verdict_ = std::move(all);
}

std::optional<std::string> Termination::take_verdict() { return std::exchange(verdict_, std::nullopt); }

}  // namespace tailrace::messaging
