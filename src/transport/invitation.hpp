// The bytes of an invitation: its kind, then what that kind needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.hpp"
#include "comm/communicator.hpp"
#include "transport/transport.hpp"

namespace tailrace::transport {

enum class Kind : std::uint32_t { shm = 0x54525301, mpi = 0x54524d01 };

inline std::string to_invitation(const base::ByteWriter& writer) {
  return {reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size()};
}

// What accept calls for each kind, with the rest of the invitation.
namespace shm {
std::unique_ptr<Consumer> accept(base::ByteReader& invitation, Doorbell& doorbell);
}
namespace mpi {
std::unique_ptr<Consumer> accept(base::ByteReader& invitation, comm::Communicator& communicator, int client,
                                 Doorbell& doorbell);
}

}  // namespace tailrace::transport
