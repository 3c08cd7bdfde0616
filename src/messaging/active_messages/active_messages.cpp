#include "messaging/active_messages/active_messages.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "messaging/active_messages/matching.hpp"
#include "messaging/collectives/broadcast.hpp"
#include "messaging/collectives/quiescence_detector.hpp"
#include "messaging/collectives/tree_gather.hpp"

namespace tailrace::messaging {
namespace {

// While every call of progress() finds other work, bundles wait for this number of calls.
constexpr int most_busy = 8;
constexpr std::size_t most_described = 20;
// The most lines of unmatched names that a server adds to the text at the end; nobody reads more.
constexpr std::size_t most_lines = 100;

// Relative to the first kind.
enum Kind : std::int32_t { items, resting, look, list, unmatched, verdict };
constexpr int root_of_the_end = 0;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

// The end: once all servers are quiescent, the root gathers the lines of unmatched names from all servers
// and broadcasts them as the verdict.
struct ActiveMessages::State {
  State(Messenger& messenger, std::int32_t first_kind, std::function<std::string(const Name&)> tell);

  Key admit(Operation operation, const Name& name, int root) const;
  bool unpack();
  void handle(int from, const wire::Item& item);
  bool passive() const { return at_end != nullptr && continuations.none() && mailbox.quiet(); }
  void say_unmatched();
  void judge(const Bytes& lines);

  Messenger& messenger;
  std::int32_t first_kind;
  Mailbox mailbox;
  const Describer describer;
  Continuations continuations;
  Matching matching{mailbox, continuations, describer};
  int busy = 0;  // calls of progress since the last flush that found something to do
  bool in_progress = false;
  std::function<void(const std::string&)> at_end;
  QuiescenceDetector quiescence;
  TreeGather unmatched_lines;
  std::optional<std::string> verdict_text;  // once
};

ActiveMessages::State::State(Messenger& messenger_, std::int32_t first,
                             std::function<std::string(const Name&)> tell)
    : messenger(messenger_),
      first_kind(first),
      mailbox(messenger, first + items),
      describer(std::move(tell), mailbox.rank(), mailbox.size()),
      quiescence(messenger,
                 {.resting = first + resting,
                  .look = first + look,
                  .first_counted = first + items,
                  .end_counted = first + items + 1},
                 root_of_the_end,
                 {.at_rest = [this] { return passive(); },
                  .all_rest = [this] { messaging::broadcast(messenger, first_kind + list, {}); }}),
      unmatched_lines(messenger, first + unmatched, root_of_the_end,
                      [this](const Bytes& lines) { judge(lines); }) {
  on_broadcast(messenger, first + list, root_of_the_end, [this](int, Bytes&&) { say_unmatched(); });
  on_broadcast(messenger, first + verdict, root_of_the_end,
               [this](int, Bytes&& message) { verdict_text = text_of(message); });
  quiescence.begin();
}

void ActiveMessages::State::say_unmatched() {
  quiescence.end();
  std::string text;
  for (const std::string& line : matching.lines(most_lines)) text += line + '\n';
  const auto bytes = bytes_of(text);
  unmatched_lines.say({bytes.begin(), bytes.end()});
}

void ActiveMessages::State::judge(const Bytes& lines) {
  std::istringstream all(text_of(lines));
  std::set<std::string> sorted;
  for (std::string line; std::getline(all, line);) sorted.insert(line);
  const std::string text = fmt::format("{}", fmt::join(sorted, "\n"));
  const auto bytes = bytes_of(text);
  messaging::broadcast(messenger, first_kind + verdict, {bytes.begin(), bytes.end()});
}

Key ActiveMessages::State::admit(Operation operation, const Name& name, int root) const {
  const Key key{operation, name};
  if (root < 0 || root >= mailbox.size()) describer.no_server(key, root);
  if (at_end != nullptr && !continuations.inside()) describer.after_finish(key);
  return key;
}

void ActiveMessages::State::handle(int from, const wire::Item& item) {
  const Key key{item.operation, item.name};
  if (item.operation == Operation::gather)
    matching.contributed(key, from, item.payload);
  else
    matching.arrived(key, from, item.payload);
}

// The offset advances before the item is handled, so that an item that throws is not handled again.
bool ActiveMessages::State::unpack() {
  bool moved = false;
  for (; Mailbox::Bundle* bundle = mailbox.first(); mailbox.take_first()) {
    moved = true;
    while (const auto item = wire::next_item(bundle->message, bundle->offset)) handle(bundle->from, *item);
  }
  return moved;
}

ActiveMessages::ActiveMessages(Messenger& messenger, std::int32_t first_kind,
                               std::function<std::string(const Name&)> tell)
    : state_(std::make_unique<State>(messenger, first_kind, std::move(tell))) {}
ActiveMessages::~ActiveMessages() = default;

void ActiveMessages::broadcast(const Name& name, int root, Bytes&& message, Continuation then) {
  State& state = *state_;
  const Key key = state.admit(Operation::broadcast, name, root);
  if (root != state.mailbox.rank()) return state.matching.await(key, root, std::move(then));
  state.mailbox.put_all({Operation::broadcast, name, message});
  state.continuations.run(std::move(then), std::move(message));
}

void ActiveMessages::gather(const Name& name, int root, Bytes&& mine, GatherContinuation then) {
  State& state = *state_;
  const Key key = state.admit(Operation::gather, name, root);
  if (root != state.mailbox.rank()) return state.matching.give(key, root, mine);
  state.matching.collect(key, std::move(mine), std::move(then));
}

bool ActiveMessages::progress() {
  State& state = *state_;
  if (state.in_progress) return false;  // a continuation asks
  struct Inside {
    bool& flag;
    ~Inside() { flag = false; }
  } const inside{state.in_progress = true};
  bool moved = state.unpack();
  moved = state.continuations.run_deferred() || moved;
  if (!moved || ++state.busy == most_busy) {
    state.busy = 0;
    moved = state.mailbox.flush() || moved;
  }
  moved = state.quiescence.progress() || moved;
  if (const auto text = std::exchange(state.verdict_text, std::nullopt)) {
    state.at_end(*text);
    moved = true;
  }
  return moved;
}

std::size_t ActiveMessages::bytes() const { return state_->matching.held() + state_->mailbox.bytes(); }
std::string ActiveMessages::describe() const {
  std::string text;
  for (const std::string& line : state_->matching.lines(most_described)) text += "\n    " + line;
  return text;
}

void ActiveMessages::finish(std::function<void(const std::string& unmatched)> then) {
  TAILRACE_ASSERT(state_->at_end == nullptr && then != nullptr, "finish is called once");
  state_->at_end = std::move(then);
}

}  // namespace tailrace::messaging
