#include "client/checkpointing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "model/name.hpp"

namespace tailrace::client {

void Checkpointing::begin_step(const model::Tick& tick) {
  withdraw();
  made_ = false;
  if (schedule_ && schedule_(tick)) request();
}

void Checkpointing::withdraw() {
  if (std::exchange(due_, false)) std::fill(awaited_.begin(), awaited_.end(), static_cast<unsigned char>(0));
}

void Checkpointing::request() {
  if (!std::exchange(due_, true)) awaited_ = kept_;
}

void Checkpointing::put_value(const std::string& name, model::KeptValue value) {
  if (const auto complaint = model::name_complaint(name))
    throw Error(ErrorCode::usage, fmt::format("put_value: the name \"{}\" {}", name, *complaint));
  values_.insert_or_assign(name, std::move(value));
}

std::vector<std::byte> Checkpointing::values() const { return model::to_bytes(values_); }

}  // namespace tailrace::client
