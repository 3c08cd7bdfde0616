#include "pipeline/checkpoints/cut.hpp"

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"

namespace tailrace::pipeline::checkpoints {

Cut::Cut(Words& words, int leader, Events events)
    : words_(words),
      leader_(leader),
      events_(std::move(events)),
      reports_(static_cast<std::size_t>(words.size())) {
  words_.on_spread(Word::keep, leader, [this](int, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    announced_ = reader.get<model::Tick>();
    told_.reset();
    saved_ = false;
    const auto values = reader.get_all<std::byte>();
    events_.begin(*announced_, values);
  });
  words_.on(Word::resting, [this](int from, messaging::Bytes&& message) { on_resting(from, message); });
  words_.on_spread(Word::look, leader, [this](int, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    on_look(reader.get<std::int64_t>());
  });
  words_.on_spread(Word::save, leader, [this](int, messaging::Bytes&&) {
    if (!announced_) return;  // given up
    events_.save();
    saved_ = true;
    words_.messenger().send(leader_, words_.kind(Word::saved), {});
  });
  words_.on(Word::saved, [this](int, messaging::Bytes&&) {
    if (++saved_servers_ == words_.size()) words_.spread(Word::go_on, messaging::Bytes{});
  });
  words_.on_spread(Word::go_on, leader, [this](int, messaging::Bytes&&) {
    asked_.reset();
    announced_.reset();
    announced_here_ = false;
  });
}

void Cut::ask(const model::Tick& tick, std::span<const std::byte> values) {
  asked_ = tick;
  if (is_leader()) values_.assign(values.begin(), values.end());
}

void Cut::give_up() {
  asked_.reset();
  announced_.reset();
}

Cut::Count Cut::count() const {
  const auto traffic =
      words_.messenger().traffic(words_.kind(Word{}), words_.kind(first_word_of_checkpoints));
  return {traffic.sent, traffic.handled};
}

bool Cut::progress(bool may_begin) {
  if (is_leader() && asked_ && may_begin && !std::exchange(announced_here_, true)) {
    std::ranges::fill(reports_, Report{});
    round_ = 0;
    saved_servers_ = 0;
    base::ByteWriter writer;
    writer.put(*asked_);
    writer.put_all(std::span<const std::byte>(values_));
    values_.clear();
    words_.spread(Word::keep, writer.take());
    return true;
  }
  if (!announced_ || saved_ || !events_.at_rest()) return false;
  const Count now = count();
  if (told_ == now) return false;
  told_ = now;
  tell_leader(0, now);
  return true;
}

void Cut::tell_leader(std::int64_t round, std::optional<Count> count) {
  base::ByteWriter writer;
  writer.put(round);
  writer.put(static_cast<std::uint8_t>(count.has_value()));
  writer.put(count.value_or(Count{}));
  words_.messenger().send(leader_, words_.kind(Word::resting), writer.take());
}

void Cut::on_look(std::int64_t round) {
  if (!announced_) return;  // given up
  if (events_.at_rest())
    told_ = count();
  else
    told_.reset();  // and is told again
  tell_leader(round, told_);
}

void Cut::on_resting(int from, const messaging::Bytes& message) {
  base::ByteReader reader(message);
  const auto round = reader.get<std::int64_t>();
  const bool rests = reader.get<std::uint8_t>() != 0;
  const auto count = reader.get<Count>();
  Report& report = reports_[static_cast<std::size_t>(from)];
  const bool same = rests && report.count == count;
  if (round_ != 0 && !same) unchanged_ = false;
  report.count = rests ? std::optional(count) : std::nullopt;
  if (round_ == 0) return compare();
  if (round == round_) report.answered = true;
  if (std::ranges::all_of(reports_, &Report::answered)) end_look();
}

void Cut::compare() {
  Count sum;
  for (const Report& report : reports_) {
    if (!report.count) return;
    sum.sent += report.count->sent;
    sum.handled += report.count->handled;
  }
  if (sum.sent != sum.handled) return;
  for (Report& report : reports_) report.answered = false;
  unchanged_ = true;
  round_ = ++rounds_;
  base::ByteWriter writer;
  writer.put(round_);
  words_.spread(Word::look, writer.take());
}

void Cut::end_look() {
  round_ = 0;
  if (unchanged_)
    words_.spread(Word::save, messaging::Bytes{});
  else
    compare();
}

}  // namespace tailrace::pipeline::checkpoints
