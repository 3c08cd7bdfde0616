#include "messaging/active_messages.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "messaging/active_messages_state.hpp"

namespace tailrace::messaging {
namespace {

// While there is always something else to do, bundles wait for so many calls of progress().
constexpr int most_busy = 8;
constexpr std::size_t most_described = 20;

void keep_own(Bytes&, std::span<const std::byte>) {}

}  // namespace

ActiveMessages::ActiveMessages(Messenger& messenger, std::int32_t kind,
                               std::function<std::string(const Name&)> tell)
    : state_(std::make_unique<State>(messenger, kind, std::move(tell))) {}
ActiveMessages::~ActiveMessages() = default;

void ActiveMessages::send(const Name& name, int to, Bytes&& message) {
  state_->admit(Operation::send, name, to);
  if (to == state_->post.rank())
    state_->arrived({Operation::send, to, name}, to, message);
  else
    state_->post.put(to, {Operation::send, Role::result, name, message});
}

void ActiveMessages::receive(const Name& name, int from, Continuation then) {
  state_->admit(Operation::send, name, from);
  state_->await({Operation::send, from, name}, from, std::move(then));
}

void ActiveMessages::reduce(const Name& name, int root, Bytes&& mine, const Combine& combine,
                            Continuation then) {
  State& state = *state_;
  state.admit(Operation::reduce, name, root);
  if (state.post.size() == 1) return state.run(std::move(then), std::move(mine));
  if (root != state.post.rank()) return state.give(Operation::reduce, name, root, mine);
  state.collect(Operation::reduce, name, std::move(mine), combine, std::move(then), {});
}

void ActiveMessages::allreduce(const Name& name, int root, Bytes&& mine, const Combine& combine,
                               Continuation then) {
  State& state = *state_;
  state.admit(Operation::allreduce, name, root);
  if (state.post.size() == 1) return state.run(std::move(then), std::move(mine));
  if (root == state.post.rank())
    return state.collect(Operation::allreduce, name, std::move(mine), combine, std::move(then), {});
  state.await({Operation::allreduce, -1, name}, root, std::move(then));
  state.give(Operation::allreduce, name, root, mine);
}

void ActiveMessages::broadcast(const Name& name, int root, Bytes&& message, Continuation then) {
  State& state = *state_;
  state.admit(Operation::broadcast, name, root);
  if (root != state.post.rank()) return state.await({Operation::broadcast, -1, name}, root, std::move(then));
  state.post.put_all({Operation::broadcast, Role::result, name, message});
  state.run(std::move(then), std::move(message));
}

void ActiveMessages::gather(const Name& name, int root, Bytes&& mine, GatherContinuation then) {
  State& state = *state_;
  state.admit(Operation::gather, name, root);
  if (root != state.post.rank()) return state.give(Operation::gather, name, root, mine);
  state.collect(Operation::gather, name, std::move(mine), keep_own, {}, std::move(then));
}

// An allreduce of nothing; the names spread the roots.
void ActiveMessages::barrier(const Name& name, std::function<void()> then) {
  State& state = *state_;
  const Key key{Operation::barrier, -1, name};
  const int root = static_cast<int>(KeyHash{}(key) % static_cast<std::size_t>(state.post.size()));
  state.admit(Operation::barrier, name, root);
  Continuation arrived;
  if (then) arrived = [then = std::move(then)](Bytes&&) { then(); };
  if (state.post.size() == 1) return state.run(std::move(arrived), Bytes{});
  if (root == state.post.rank())
    return state.collect(Operation::barrier, name, {}, keep_own, std::move(arrived), {});
  state.await(key, root, std::move(arrived));
  state.give(Operation::barrier, name, root, {});
}

bool ActiveMessages::progress() {
  State& state = *state_;
  if (state.in_progress) return false;  // a continuation asks
  struct Inside {
    bool& flag;
    ~Inside() { flag = false; }
  } const inside{state.in_progress = true};
  bool moved = state.unpack();
  moved = state.run_deferred() || moved;
  if (!moved || ++state.busy == most_busy) {
    state.busy = 0;
    moved = state.post.flush() || moved;
  }
  moved = state.termination.progress() || moved;
  if (const auto verdict = state.termination.take_verdict()) {
    state.at_end(*verdict);
    moved = true;
  }
  return moved;
}

std::size_t ActiveMessages::open() const { return state_->open; }
std::size_t ActiveMessages::bytes() const { return state_->held + state_->post.bytes(); }
void ActiveMessages::begin_work() { ++state_->work; }
void ActiveMessages::end_work() {
  TAILRACE_ASSERT(state_->work > 0, "work ends that was not begun");
  --state_->work;
}

std::string ActiveMessages::describe() const {
  std::string text;
  for (const std::string& line : state_->lines(most_described)) text += "\n    " + line;
  return text;
}

void ActiveMessages::finish(std::function<void(const std::string& unmatched)> then) {
  TAILRACE_ASSERT(state_->at_end == nullptr && then != nullptr, "finish is called once");
  state_->at_end = std::move(then);
}

}  // namespace tailrace::messaging
