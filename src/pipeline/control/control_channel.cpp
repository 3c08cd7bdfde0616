#include "pipeline/control/control_channel.hpp"

#include "base/fault_bytes.hpp"

namespace tailrace::pipeline {

void ControlChannel::tell(const base::Fault& fault) {
  told_.push_back(fault);
  broadcast_from_any(ControlMessage::fault, base::fault_bytes({&fault, 1}));
}

}  // namespace tailrace::pipeline
