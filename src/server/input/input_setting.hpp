// All that the input of a component is made from, on one server.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calendar/calendar.hpp"
#include "env/executor.hpp"
#include "input/options.hpp"
#include "input/record_values.hpp"
#include "messaging/messenger.hpp"
#include "model/declarations.hpp"
#include "telemetry/counters.hpp"
#include "transport/transport.hpp"

namespace tailrace::server {

// The references must live longer.
struct InputSetting {
  int component = 0;  // its number
  const model::Declarations& declarations;
  const model::Decomposition& decomposition;
  calendar::Calendar calendar;
  std::vector<input::Entry> entries;      // those without fields that the model declared are ignored
  double begin = 0.0;                     // of the run, in seconds since its start
  std::vector<std::vector<int>> clients;  // by server: ranks in the component, ascending
  bool reads_alone = false;  // each server owns all entries for itself, as it must wait for no other (inline)
  std::size_t memory = 0;    // bytes that this server may hold ahead of its clients
  // The cells of grids to which fields are regridded, where only the ranks know them. They are gathered
  // before the entries that need them are read. Null: there are no such grids.
  std::shared_ptr<input::CellsOfRanks> cells_of_ranks = {};
  std::shared_ptr<const input::WeightsStore> weights = {};  // null: nothing is regridded
  // Called on the entry's thread.
  std::function<std::unique_ptr<input::EntryReader>(const input::Entry&, const std::vector<int>& fields)>
      make_reader;
};

// The parts of a server process that input uses; all must live longer.
struct InputServices {
  messaging::Messenger& messenger;
  env::Executor& executor;  // without threads: entries have no threads either
  telemetry::ServerCounters& counters;
  transport::Doorbell& doorbell;
};

}  // namespace tailrace::server
