#include "messaging/active_messages.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "messaging/active_messages_matching.hpp"
#include "messaging/active_messages_termination.hpp"

namespace tailrace::messaging {
namespace {

// While there is always something else to do, bundles wait for so many calls of progress().
constexpr int most_busy = 8;
constexpr std::size_t most_described = 20;
// Lines of unmatched names that a server adds to the text at the end; with more, nobody reads them.
constexpr std::size_t most_lines = 100;

void keep_own(Bytes&, std::span<const std::byte>) {}

}  // namespace

struct ActiveMessages::State {
  State(Messenger& messenger, std::int32_t kind, std::function<std::string(const Name&)> tell)
      : post(messenger, kind), describer(std::move(tell), post.rank(), post.size()) {}

  int rank() const { return post.rank(); }
  bool alone() const { return post.size() == 1; }
  Key admit(Operation operation, const Name& name, int peer) const;
  bool unpack();
  void handle(int from, const wire::Item& item);
  bool passive() const { return at_end != nullptr && work == 0 && continuations.none() && post.quiet(); }
  template <class Then, class Result>
  void run(Then&& then, Result&& result) {
    continuations.run(std::forward<Then>(then), std::forward<Result>(result));
  }

  Post post;
  const Describer describer;
  Continuations continuations;
  Matching matching{post, continuations, describer};
  int work = 0;  // begun elsewhere and not ended
  int busy = 0;  // calls of progress since the last flush that found something to do
  bool in_progress = false;
  std::function<void(const std::string&)> at_end;
  Termination termination{post, [this] { return passive(); },
                          [this] { return fmt::format("{}", fmt::join(matching.lines(most_lines), "\n")); }};
};

// Of what a caller asks for. `peer`: the other server or the root.
Key ActiveMessages::State::admit(Operation operation, const Name& name, int peer) const {
  const Key key{operation, -1, name};
  if (peer < 0 || peer >= post.size()) describer.no_server(key, peer);
  if (at_end != nullptr && !continuations.inside() && work == 0) describer.after_finish(key);
  return key;
}

void ActiveMessages::State::handle(int from, const wire::Item& item) {
  const Key key{item.operation, item.operation == Operation::send ? from : -1, item.name};
  if (item.role == Role::contribution)
    matching.contributed(key, from, item.payload);
  else
    matching.arrived(key, from, item.payload);
}

// An item is past before it is handled, so that one that throws does not come again.
bool ActiveMessages::State::unpack() {
  bool moved = false;
  while (Post::Letter* letter = post.first()) {
    moved = true;
    const wire::MessageKind kind = wire::kind_of(letter->message);
    if (kind == wire::MessageKind::items) {
      while (const auto item = wire::next_item(letter->message, letter->offset)) handle(letter->from, *item);
      post.take_first();
    } else {
      const Post::Letter said = post.take_first();
      termination.hear(said.from, kind, wire::content(said.message));
    }
  }
  return moved;
}

ActiveMessages::ActiveMessages(Messenger& messenger, std::int32_t kind,
                               std::function<std::string(const Name&)> tell)
    : state_(std::make_unique<State>(messenger, kind, std::move(tell))) {}
ActiveMessages::~ActiveMessages() = default;

void ActiveMessages::send(const Name& name, int to, Bytes&& message) {
  state_->admit(Operation::send, name, to);
  if (to == state_->rank())
    state_->matching.arrived({Operation::send, to, name}, to, message);
  else
    state_->post.put(to, {Operation::send, Role::result, name, message});
}

void ActiveMessages::receive(const Name& name, int from, Continuation then) {
  state_->admit(Operation::send, name, from);
  state_->matching.await({Operation::send, from, name}, from, std::move(then));
}

void ActiveMessages::reduce(const Name& name, int root, Bytes&& mine, const Combine& combine,
                            Continuation then) {
  State& state = *state_;
  const Key key = state.admit(Operation::reduce, name, root);
  if (state.alone()) return state.run(std::move(then), std::move(mine));
  if (root != state.rank()) return state.matching.give(key, root, mine);
  state.matching.collect(key, {.mine = std::move(mine), .combine = combine, .then = std::move(then)});
}

void ActiveMessages::allreduce(const Name& name, int root, Bytes&& mine, const Combine& combine,
                               Continuation then) {
  State& state = *state_;
  const Key key = state.admit(Operation::allreduce, name, root);
  if (state.alone()) return state.run(std::move(then), std::move(mine));
  if (root == state.rank())
    return state.matching.collect(key,
                                  {.mine = std::move(mine), .combine = combine, .then = std::move(then)});
  state.matching.await(key, root, std::move(then));
  state.matching.give(key, root, mine);
}

void ActiveMessages::broadcast(const Name& name, int root, Bytes&& message, Continuation then) {
  State& state = *state_;
  const Key key = state.admit(Operation::broadcast, name, root);
  if (root != state.rank()) return state.matching.await(key, root, std::move(then));
  state.post.put_all({Operation::broadcast, Role::result, name, message});
  state.run(std::move(then), std::move(message));
}

void ActiveMessages::gather(const Name& name, int root, Bytes&& mine, GatherContinuation then) {
  State& state = *state_;
  const Key key = state.admit(Operation::gather, name, root);
  if (root != state.rank()) return state.matching.give(key, root, mine);
  state.matching.collect(key,
                         {.mine = std::move(mine), .combine = keep_own, .then_gathered = std::move(then)});
}

// An allreduce of nothing; the names spread the roots.
void ActiveMessages::barrier(const Name& name, std::function<void()> then) {
  State& state = *state_;
  const Key key{Operation::barrier, -1, name};
  const int root = static_cast<int>(KeyHash{}(key) % static_cast<std::size_t>(state.post.size()));
  state.admit(Operation::barrier, name, root);
  Continuation arrived;
  if (then) arrived = [then = std::move(then)](Bytes&&) { then(); };
  if (state.alone()) return state.run(std::move(arrived), Bytes{});
  if (root == state.rank())
    return state.matching.collect(key, {.mine = {}, .combine = keep_own, .then = std::move(arrived)});
  state.matching.await(key, root, std::move(arrived));
  state.matching.give(key, root, {});
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
    moved = state.post.flush() || moved;
  }
  moved = state.termination.progress() || moved;
  if (const auto verdict = state.termination.take_verdict()) {
    state.at_end(*verdict);
    moved = true;
  }
  return moved;
}

std::size_t ActiveMessages::open() const { return state_->matching.open(); }
std::size_t ActiveMessages::bytes() const { return state_->matching.held() + state_->post.bytes(); }
void ActiveMessages::begin_work() { ++state_->work; }
void ActiveMessages::end_work() {
  TAILRACE_ASSERT(state_->work > 0, "work ends that was not begun");
  --state_->work;
}

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
