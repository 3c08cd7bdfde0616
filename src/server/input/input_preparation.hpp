// Reads the headers of the files of all entries of `input` before a component runs, each on the server that
// owns the entry, and tells all servers what is in them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "pipeline/control/control_channel.hpp"
#include "server/input/entry_thread.hpp"
#include "server/input/input_setting.hpp"

namespace tailrace::server {

// Communication thread only; nothing blocks. The owner of an entry is the server with its number modulo the
// number of servers.
class InputPreparation {
 public:
  // Begins to read the headers of the entries that this server owns. The setting must live longer.
  InputPreparation(const InputSetting& setting, pipeline::ControlChannel& control,
                   const InputServices& services);

  // A server calls this instead if it cannot set the component up: the others would wait for its entries.
  static void refuse(messaging::Messenger& messenger, int component, const base::Fault& fault);

  bool progress();    // true if anything moved
  bool over() const;  // all servers that are not lost have told of their entries
  void lose(int server);
  const std::optional<base::Fault>& fault() const { return fault_; }  // the first one

  struct Entry {
    const input::Entry* options = nullptr;
    int owner = 0;
    std::vector<int> asked;               // indices in the declarations of its fields
    std::unique_ptr<EntryThread> thread;  // null on other servers
    bool is_known = false;
    std::vector<input::PreparedField> fields;
  };
  std::vector<Entry>& entries() { return entries_; }  // with fields of the model; constant once over
  std::vector<input::PreparedField> fields() const;   // of all entries, in their order

 private:
  void start(Entry& entry, const InputServices& services);
  void tell(std::size_t entry, const EntryThread::Prepared& prepared);
  void hear(int from, const messaging::Bytes& message);

  const InputSetting& setting_;
  pipeline::ControlChannel& control_;
  std::vector<Entry> entries_;
  std::optional<base::Fault> fault_;
};

}  // namespace tailrace::server
