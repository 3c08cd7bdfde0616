#include "server/input/cells_gathering.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"

namespace tailrace::server {

using pipeline::ControlMessage;

CellsGathering::CellsGathering(pipeline::ControlChannel& control, std::set<int> readers,
                               std::shared_ptr<input::CellsOfRanks> cells)
    : control_(control), readers_(std::move(readers)), cells_(std::move(cells)) {
  if (!readers_.contains(control_.rank())) return;
  for (int server = 0; server < control_.size(); ++server) awaited_.insert(server);
  control_.on(ControlMessage::input_cells,
              [this](int from, messaging::Bytes&& message) { hear(from, message); });
}

void CellsGathering::accept(regrid::RankCells cells) { own_.push_back(std::move(cells)); }

void CellsGathering::pass_on(const std::optional<base::Fault>& fault) {
  if (std::exchange(is_passed_on_, true)) return;
  base::ByteWriter writer;
  base::put_fault(writer, fault);
  if (!fault) regrid::put_rank_cells(writer, own_);
  own_.clear();
  for (const int reader : readers_)
    control_.messenger().send(reader, control_.kind(ControlMessage::input_cells),
                              messaging::Bytes(writer.bytes().begin(), writer.bytes().end()));
}

void CellsGathering::hear(int from, const messaging::Bytes& message) {
  base::ByteReader reader(message);
  if (const auto fault = base::get_fault(reader)) {
    if (!fault_) fault_ = fault;
  } else {
    for (const regrid::RankCells& cells : regrid::get_rank_cells(reader)) cells_->add(cells);
  }
  awaited_.erase(from);
}

void CellsGathering::lose(int server) {
  if (awaited_.erase(server) == 0 || fault_) return;
  fault_ =
      base::Fault{ErrorCode::lost, fmt::format("server {} has not given the cells of its ranks", server)};
}

}  // namespace tailrace::server
