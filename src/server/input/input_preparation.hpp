// Reads the headers of the files of all entries of `input` before a component runs, each on the server that
// owns the entry, and tells all servers what is in them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "pipeline/control/control_channel.hpp"
#include "server/input/cells_gathering.hpp"
#include "server/input/entry_thread.hpp"
#include "server/input/input_setting.hpp"

namespace tailrace::server {

// Communication thread only; nothing blocks. The owner of an entry is the server with its number modulo the
// number of servers.
class InputPreparation {
 public:
  // Begins to read the headers of the entries that this server owns; of those that are regridded to cells
  // that only ranks know, once these have come. The setting and the services must live longer.
  InputPreparation(const InputSetting& setting, pipeline::ControlChannel& control,
                   const InputServices& services);

  // A server calls this instead if it cannot set the component up: the others would wait for its entries.
  static void refuse(messaging::Messenger& messenger, int component, const base::Fault& fault);

  // The cells of a client of this server; then, once all have invited or one could not, pass_on().
  void accept(regrid::RankCells cells) { cells_.accept(std::move(cells)); }
  void pass_on_cells(const std::optional<base::Fault>& fault) { cells_.pass_on(fault); }
  bool progress();    // true if anything moved
  bool over() const;  // all servers that are not lost have told of their entries
  void lose(int server);
  const std::optional<base::Fault>& fault() const { return fault_; }  // the first one

  struct Entry {
    const input::Entry* options = nullptr;
    int owner = 0;
    std::vector<int> asked;               // indices in the declarations of its fields
    bool awaits_cells = false;            // of ranks, and so is not read yet
    std::unique_ptr<EntryThread> thread;  // null on other servers
    bool is_known = false;
    std::vector<input::PreparedField> fields;
  };
  std::vector<Entry>& entries() { return entries_; }  // with fields of the model; constant once over
  std::vector<input::PreparedField> fields() const;   // of all entries, in their order

 private:
  static std::vector<Entry> entries_of(const InputSetting& setting, const pipeline::ControlChannel& control);
  std::set<int> readers_of_cells() const;
  bool start_those_with_cells();
  void start(Entry& entry);
  void tell(std::size_t entry, const EntryThread::Prepared& prepared);
  void hear(int from, const messaging::Bytes& message);

  const InputSetting& setting_;
  pipeline::ControlChannel& control_;
  const InputServices& services_;
  std::vector<Entry> entries_;
  CellsGathering cells_;
  std::optional<base::Fault> fault_;
};

}  // namespace tailrace::server
