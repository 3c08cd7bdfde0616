#include "sinks/shared_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"

namespace tailrace::sinks {
namespace {

std::string new_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

SharedSink::SharedSink(const SinkPlace& place, const output::Format& format, SinkServices services)
    : layout_(place.layout), server_(place.server), home_(place.owners.of_file(place.file)) {
  if (server_ == home_) {
    const output::ManyWriters writers{place.owners.servers(), new_token()};
    metadata_ = std::make_unique<DatasetSink>(place, format, services, Share::metadata, writers);
    writer_commits_.resize(base::index(writers.count));
  }
  chunks_ = std::make_unique<DatasetSink>(place, format, services, Share::chunks);
}

int SharedSink::home_of(const ChunkPlace& chunk) const {
  const cf::VariableLayout& variable = layout_.variables[chunk.variable];
  const bool is_contiguous = layout_.dataset.variables[base::index(variable.variable)].chunk.empty();
  return is_contiguous ? home_ : chunk.assembled_on;
}

void SharedSink::point(const plan::CommitDue& due) {
  chunks_->point(due);
  if (metadata_) metadata_->point(due);
}

void SharedSink::deliver(std::size_t variable, output::FinishedChunk&& chunk) {
  const cf::VariableLayout& of = layout_.variables[variable];
  const bool is_contiguous = layout_.dataset.variables[base::index(of.variable)].chunk.empty();
  (is_contiguous ? metadata_ : chunks_)->deliver(variable, std::move(chunk));
}

// On the home, the metadata give up when the chunks are closed: these complete what they can.
bool SharedSink::progress() {
  bool moved = chunks_->progress();
  if (auto fault = chunks_->take_fault())
    fault_ = base::Fault{fault->code, fmt::format("server {}: {}", server_, fault->message)};
  if (!metadata_) return moved;
  hear_of_writer(server_, chunks_->written_commits(), fault_);
  fault_.reset();
  if (giving_up_ && chunks_->closed()) metadata_->give_up();
  return metadata_->progress() || moved;
}

void SharedSink::hear_of_writer(int server, std::int64_t commits, const std::optional<base::Fault>& fault) {
  std::int64_t& known = writer_commits_[base::index(server)];
  known = std::max(known, commits);
  metadata_->allow_commits(*std::ranges::min_element(writer_commits_));
  if (fault) metadata_->end_by(*fault, known);
}

// The home tells once that it has made the dataset, and once that it has given it up.
std::vector<SinkMessage> SharedSink::take_messages() {
  std::vector<SinkMessage> messages;
  const auto say = [&messages](bool to_home, base::ByteWriter& writer) {
    messages.push_back({to_home, writer.take()});
  };
  if (metadata_) {
    base::ByteWriter writer;
    if (!is_made_known_ && !metadata_->is_given_up()) {
      writer.put(News::made);
      writer.put_text(metadata_->token());
      say(false, writer);
    }
    is_made_known_ = true;
    if (metadata_->is_given_up() && !is_end_known_) {
      writer.put(News::ended);
      say(false, writer);
      is_end_known_ = true;
    }
    return messages;
  }
  if (chunks_->written_commits() == reported_ && !fault_) return messages;
  base::ByteWriter writer;
  reported_ = chunks_->written_commits();
  writer.put(News::written);
  writer.put(static_cast<std::int32_t>(server_));
  writer.put(reported_);
  base::put_fault(writer, std::exchange(fault_, std::nullopt));
  say(true, writer);
  return messages;
}

void SharedSink::receive(std::span<const std::byte> message) {
  base::ByteReader reader(message);
  switch (reader.get<News>()) {
    case News::made: chunks_->begin(reader.get_text()); return;
    case News::ended: chunks_->abandon(); return;
    case News::written: break;
  }
  const int server = reader.get<std::int32_t>();
  const auto commits = reader.get<std::int64_t>();
  const auto fault = base::get_fault(reader);
  TAILRACE_ASSERT(metadata_ && server >= 0 && base::index(server) < writer_commits_.size() && commits >= 0,
                  "the home hears of its writers");
  hear_of_writer(server, commits, fault);
}

std::optional<FinalCommit> SharedSink::cut(const model::Tick& tick, const plan::CommitDue& gathered) {
  if (metadata_) metadata_->cut(tick, gathered);
  auto last = chunks_->cut(tick, gathered);
  if (last) last->needs_all = false;
  return last;
}

void SharedSink::write_soon() {
  chunks_->write_soon();
  if (metadata_) metadata_->write_soon();
}

void SharedSink::give_up() {
  giving_up_ = true;
  chunks_->give_up();
}

std::optional<base::Fault> SharedSink::take_fault() {
  return metadata_ ? metadata_->take_fault() : std::nullopt;
}

std::size_t SharedSink::bytes() const { return chunks_->bytes() + (metadata_ ? metadata_->bytes() : 0); }

std::size_t SharedSink::due_bytes(std::int64_t step) const {
  return chunks_->due_bytes(step) + (metadata_ ? metadata_->due_bytes(step) : 0);
}

std::optional<telemetry::DatasetStatus> SharedSink::status() const {
  return metadata_ ? metadata_->status() : std::nullopt;
}

std::string SharedSink::describe() const {
  std::string text = chunks_->describe();
  if (!metadata_) return text;
  text += metadata_->describe();
  const auto slowest = std::ranges::min_element(writer_commits_);
  if (!metadata_->closed())
    text += fmt::format(" (the fewest commits whose chunks are written: {}, on server {})", *slowest,
                        slowest - writer_commits_.begin());
  return text;
}

void SharedSink::save(model::StateSaver& saver, const plan::Pending& pending) const {
  chunks_->save(saver, pending);
  if (metadata_) metadata_->save(saver, pending);
}

void SharedSink::load(const model::StateLoader& loader, const plan::Pending& pending) {
  chunks_->load(loader, pending);
  if (metadata_) metadata_->load(loader, pending);
}

}  // namespace tailrace::sinks
