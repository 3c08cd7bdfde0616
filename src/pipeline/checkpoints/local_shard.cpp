#include "pipeline/checkpoints/local_shard.hpp"

#include <thread>
#include <utility>

#include "pipeline/checkpoints/pieces.hpp"

namespace tailrace::pipeline::checkpoints {

// The I/O thread writes the members from `writer` on, and `done` last.
struct LocalShard::Work {
  std::deque<messaging::Bytes> bundles;
  std::deque<OwnPiece> pieces;
  std::size_t bytes = 0;
  bool last = false;
  std::shared_ptr<checkpoint::ShardWriter> writer;
  std::optional<base::Fault> fault;
  checkpoint::Shard shard;
  std::atomic<bool> done{false};
};

LocalShard::~LocalShard() {
  while (work_ && !work_->done.load(std::memory_order_acquire)) std::this_thread::yield();
}

void LocalShard::begin(const std::string& checkpoint, const std::string& buffered,
                       checkpoint::CheckpointHeader head) {
  TAILRACE_ASSERT(!under_way_, "one checkpoint after the other");
  checkpoint_ = checkpoint;
  buffered_ = buffered;
  head_ = std::move(head);
  fault_.reset();
  outcome_.reset();
  all_here_ = false;
  under_way_ = true;
}

void LocalShard::take(messaging::Bytes&& bundle) {
  if (!under_way_) return;  // given up
  bytes_ += bundle.size();
  waiting_.push_back(std::move(bundle));
}

void LocalShard::keep(OwnPiece&& piece) {
  if (!under_way_) return;  // given up
  bytes_ += piece.values.size();
  pieces_.push_back(std::move(piece));
  progress();
}

void LocalShard::end_of_pieces() { all_here_ = true; }

void LocalShard::start(bool last) {
  work_ = std::make_shared<Work>();
  work_->pieces = std::exchange(pieces_, {});
  for (const OwnPiece& piece : work_->pieces) work_->bytes += piece.values.size();
  work_->bundles = std::exchange(waiting_, {});
  for (const messaging::Bytes& bundle : work_->bundles) work_->bytes += bundle.size();
  work_->last = last;
  work_->writer = writer_;
  work_->fault = fault_;
  executor_.write([work = work_, &files = files_, checkpoint = checkpoint_, buffered = buffered_,
                   head = head_, server = server_] {
    try {
      if (!work->fault && !work->writer)
        work->writer = std::make_shared<checkpoint::ShardWriter>(files, checkpoint, head,
                                                                 checkpoint::shard_name(server), buffered);
      for (OwnPiece& piece : work->pieces) {
        if (!work->fault) work->writer->save(piece.array, piece.region, piece.values);
        piece.values = {};
      }
      for (const messaging::Bytes& bundle : work->bundles)
        if (!work->fault) unpack(bundle, *work->writer);
      if (work->last && !work->fault) work->shard = work->writer->finish();
    } catch (...) {
      work->fault = base::current_fault();
    }
    try {
      if (work->fault || work->last) work->writer.reset();
    } catch (...) {
      work->fault = base::current_fault();
    }
    work->bundles.clear();
    work->pieces.clear();
    work->done.store(true, std::memory_order_release);
  });
}

bool LocalShard::progress() {
  bool moved = false;
  if (work_ && work_->done.load(std::memory_order_acquire)) {
    const auto work = std::exchange(work_, nullptr);
    bytes_ -= work->bytes;
    writer_ = work->writer;
    fault_ = work->fault;
    if (work->last && under_way_) outcome_ = Outcome{head_.step, work->fault, std::move(work->shard)};
    moved = true;
  }
  if (!under_way_) writer_.reset();
  if (work_ || outcome_ || !under_way_ || (waiting_.empty() && pieces_.empty() && !all_here_)) return moved;
  start(all_here_);
  return true;
}

std::optional<LocalShard::Outcome> LocalShard::take_outcome() {
  if (!outcome_) return std::nullopt;
  under_way_ = false;
  return std::exchange(outcome_, std::nullopt);
}

void LocalShard::give_up() {
  under_way_ = false;
  for (const messaging::Bytes& bundle : waiting_) bytes_ -= bundle.size();
  for (const OwnPiece& piece : pieces_) bytes_ -= piece.values.size();
  waiting_.clear();
  pieces_.clear();
  outcome_.reset();
}

}  // namespace tailrace::pipeline::checkpoints
