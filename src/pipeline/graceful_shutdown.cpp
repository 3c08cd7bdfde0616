#include "pipeline/graceful_shutdown.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/bytes.hpp"
#include "env/clock.hpp"

namespace tailrace::pipeline {
namespace {

constexpr double seconds_between_commits = 1.0, seconds_between_in_hurry = 0.1;
constexpr double seconds_of_hurry = 2.0;  // the launcher may kill this process at any moment

}  // namespace

GracefulShutdown::GracefulShutdown(ControlChannel& control, int leader, Events events)
    : control_(control),
      leader_(leader),
      events_(std::move(events)),
      complete_(control.messenger(),
                {control.kind(ControlMessage::complete), control.kind(ControlMessage::complete_everywhere),
                 control.kind(ControlMessage::complete_directly)},
                {.join = [this](const messaging::Bytes& message) { receive_last(message); },
                 .all = [this] { return bytes_of_last(); },
                 .over =
                     [this](const messaging::Bytes& message) {
                       receive_last(message);
                       cut_if_all();
                     }}) {
  control_.on_flood_once(ControlMessage::stop, [this](const messaging::Bytes& message) {
    base::ByteReader reader(message);
    StopOrder order;
    order.patience = reader.get<double>();
    order.most = reader.get<double>();
    order.why = reader.get_text();
    on_order(order);
  });
  control_.on_broadcast(ControlMessage::commit, leader, [this](int, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    const auto tick = reader.get<model::Tick>();
    if (!cut_) events_.commit(tick);
  });
  control_.on_flood_once(ControlMessage::stopped, [this](const messaging::Bytes&) { stopped_ = true; });
  control_.on_broadcast(ControlMessage::complete_on_leader, leader, [this](int, messaging::Bytes&&) {
    leader_complete_ = true;
    cut_if_all();
  });
}

void GracefulShutdown::request(const StopOrder& order) {
  if (order_ || std::exchange(requested_, true)) return;
  base::ByteWriter writer;
  writer.put(order.patience);
  writer.put(order.most);
  writer.put_text(order.why);
  control_.flood(ControlMessage::stop, writer.take());
}

void GracefulShutdown::on_order(const StopOrder& order) {
  if (order_) return;
  order_ = order;
  ordered_at_ = env::steady_seconds();
  events_.stop();
}

double GracefulShutdown::waited() const { return env::steady_seconds() - ordered_at_; }

void GracefulShutdown::request_commit(const model::Tick& complete, bool nothing_at_hand) {
  if (complete.step == commit_requested_of_) return;
  const double now = env::steady_seconds();
  const bool is_new = !order_ || waited() < seconds_of_hurry;
  const double pause = is_new || nothing_at_hand ? seconds_between_in_hurry : seconds_between_commits;
  if (now < commit_requested_at_ + pause) return;
  commit_requested_at_ = now;
  commit_requested_of_ = complete.step;
  base::ByteWriter writer;
  writer.put(complete);
  control_.broadcast(ControlMessage::commit, writer.take());
}

void GracefulShutdown::announce_complete(const model::Tick& last) { send_complete(last, false); }
void GracefulShutdown::announce_complete() { send_complete({INT64_MAX, 0.0}, true); }

void GracefulShutdown::send_complete(const model::Tick& last, bool finished) {
  if (std::exchange(complete_announced_, true)) return;
  if (!finished) control_.flood(ControlMessage::stopped, {});
  if (control_.rank() == leader_)  // in the same broadcast order as its steps
    control_.broadcast(ControlMessage::complete_on_leader, {});
  if (last.step < last_.step) last_ = last;
  complete_.say(bytes_of_last());
}

messaging::Bytes GracefulShutdown::bytes_of_last() const {
  base::ByteWriter writer;
  writer.put(last_);
  return writer.take();
}

void GracefulShutdown::receive_last(const messaging::Bytes& message) {
  const auto last = base::ByteReader(message).get<model::Tick>();
  if (last.step < last_.step) last_ = last;
}

void GracefulShutdown::cut_if_all() {
  const bool all_finished = last_.step == INT64_MAX;
  if (cut_ || !complete_.over() || !leader_complete_ || all_finished) return;
  cut_ = true;
  events_.cut(last_);
}

base::Fault GracefulShutdown::describe(const std::string& component) const {
  const std::string until = last_.step == model::static_step
                                ? "before the first step was complete"
                                : fmt::format("after step {} ({} s)", last_.step, last_.time);
  return {ErrorCode::lost,
          fmt::format("component \"{}\": {} {}; all records that were complete are in the files", component,
                      order_->why, until)};
}

}  // namespace tailrace::pipeline
