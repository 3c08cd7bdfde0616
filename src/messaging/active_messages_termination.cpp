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

void Termination::hear(int from, wire::MessageKind kind, std::span<const std::byte> content) {
  switch (kind) {
    case wire::MessageKind::count: asked_ = true; return;
    case wire::MessageKind::counts: {
      const Counts theirs = base::ByteReader(content).get<Counts>();
      counts_.sent += theirs.sent;
      counts_.received += theirs.received;
      if (--awaited_ == 0) conclude();
      return;
    }
    case wire::MessageKind::list:
      return post_.say(from, wire::MessageKind::unmatched, bytes_of(unmatched_()));
    case wire::MessageKind::unmatched:
      add_unmatched(content);
      if (--awaited_ == 0) judge();
      return;
    case wire::MessageKind::verdict:
      phase_ = Phase::over;
      verdict_ = text_of(content);
      return;
    case wire::MessageKind::items: break;
  }
  TAILRACE_ASSERT(false, "a word that no server says about the end");
}

bool Termination::progress() {
  const bool mine = post_.rank() == asker ? phase_ == Phase::waiting : asked_;
  if (!mine || !passive_()) return false;
  if (post_.rank() == asker) {
    counts_ = own();
    phase_ = Phase::counting;
    ask(wire::MessageKind::count);
    if (awaited_ == 0) conclude();
  } else {
    asked_ = false;
    const Counts counts = own();
    post_.say(asker, wire::MessageKind::counts, std::as_bytes(std::span<const Counts, 1>(&counts, 1)));
  }
  return true;
}

void Termination::ask(wire::MessageKind kind) {
  awaited_ = post_.size() - 1;
  for (int to = 0; to < post_.size(); ++to)
    if (to != asker) post_.say(to, kind, {});
}

void Termination::conclude() {
  const bool still = before_ == counts_ && counts_.sent == counts_.received;
  before_ = counts_;
  phase_ = still ? Phase::listing : Phase::waiting;
  if (!still) return;
  add_unmatched(bytes_of(unmatched_()));
  ask(wire::MessageKind::list);
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
    if (to != asker) post_.say(to, wire::MessageKind::verdict, bytes_of(all));
  phase_ = Phase::over;
  verdict_ = std::move(all);
}

std::optional<std::string> Termination::take_verdict() { return std::exchange(verdict_, std::nullopt); }

}  // namespace tailrace::messaging
