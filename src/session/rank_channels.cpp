#include "session/rank_channels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "client/buffer_size.hpp"

namespace tailrace::session {
namespace {

constexpr std::size_t most_input_buffer = std::size_t{64} << 20;  // for records that are far ahead
constexpr std::int64_t records_in_use = 2, default_records_ahead = 2;
// A stream is stepped now and then, and to allocate room for more steps would be most of the cost of `ready`.
constexpr std::size_t steps_of_stream = 2;

constexpr const char* wait_for_room = "to make room in the buffer";

}  // namespace

transport::BufferOptions RankChannels::output_buffer(const plan::Plan& plan) const {
  transport::BufferOptions buffer = started_.run.servers().buffer;
  if (!buffer.at_most) return buffer;
  std::vector<bool> used;
  for (const plan::FieldPlan& field : plan.fields) used.push_back(field.used || field.kept);
  const bool is_stream = started_.place >= started_.components;
  buffer.bytes = is_stream ? client::suitable_buffer(declarer_, used, buffer.bytes, steps_of_stream)
                           : client::suitable_buffer(declarer_, used, buffer.bytes);
  return buffer;
}

transport::ProducerEnd RankChannels::make_output(const plan::Plan& plan) {
  const transport::BufferOptions buffer = output_buffer(plan);
  if (host_.own) {
    transport::loopback::LoopbackOptions loopback{buffer, {}};
    if (host_.own->is_inline()) loopback.while_waiting = [this] { host_.own->progress(); };
    auto ends = transport::loopback::make(loopback, host_.own->process().doorbell());
    ends.producer->look_while_waiting([this](double seconds) {
      host_.own->look();
      host_.watch.check_while_waiting(seconds, wait_for_room);
    });
    host_.own->process().local_ends().leave(std::move(ends.consumer));
    return {std::move(ends.producer), ""};
  }
  const int rank = started_.world->rank();
  const int tag = handshake::channel_tag(started_.place, handshake::Purpose::output);
  auto end = handshake::transport_of(started_.run, rank)
                 .make_producer({*started_.world, handshake::pair_of(started_.run, rank), tag,
                                 host_.doorbell_name.value_or(""), host_.doorbell},
                                buffer);
  end.producer->look_while_waiting(
      [this](double seconds) { host_.watch.check_while_waiting(seconds, wait_for_room); });
  end.producer->explain_loss([this] { host_.watch.throw_known_failure(); });
  return end;
}

// Records that are in use, and the next ones, stay where they come: a copy of each would cost the model more
// than `get` does, and as much memory.
transport::BufferOptions RankChannels::input_buffer(const plan::Plan& plan) const {
  std::vector<client::ExpectedInput> inputs, soon;
  for (const plan::InputPlan& input : plan.inputs) {
    const std::int64_t ahead = input.records_ahead.value_or(default_records_ahead);
    inputs.push_back({input.field, ahead + records_in_use, input.levels_dim});
    soon.push_back({input.field, std::min(ahead, default_records_ahead) + records_in_use, input.levels_dim});
  }
  transport::BufferOptions buffer;
  const std::size_t bound = started_.run.servers().buffer.bytes;
  const std::size_t at_most = std::max(most_input_buffer, client::input_buffer(declarer_, soon, bound));
  buffer.bytes = client::input_buffer(declarer_, inputs, std::min(at_most, bound));
  buffer.when_full = transport::WhenFull::fail;  // a server waits for nobody
  return buffer;
}

// The server sends, so the doorbell and the memory are this rank's.
transport::ConsumerEnd RankChannels::make_input(const plan::Plan& plan) {
  const transport::BufferOptions buffer = input_buffer(plan);
  if (host_.own) {
    input_bell_ = {transport::make_heap_doorbell(), ""};
    auto ends = transport::loopback::make(
        {.buffer = buffer, .while_waiting = {}, .sender = transport::Sender::invitee}, *input_bell_.doorbell);
    host_.own->process().local_ends().leave(std::move(ends.producer));
    return {std::move(ends.consumer), ""};
  }
  const int rank = started_.world->rank();
  const transport::Transport& transport = handshake::transport_of(started_.run, rank);
  if (transport.shares_memory())
    input_bell_ = transport::shm::make_doorbell();
  else
    input_bell_ = {transport::make_heap_doorbell(), ""};
  return transport.make_consumer({*started_.world,
                                  handshake::pair_of(started_.run, rank),
                                  handshake::channel_tag(started_.place, handshake::Purpose::input),
                                  "",
                                  {}},
                                 buffer, input_bell_);
}

void RankChannels::forget_input_bell() {
  if (!input_bell_.name.empty()) transport::shm::forget_doorbell(input_bell_.name);
}

}  // namespace tailrace::session
