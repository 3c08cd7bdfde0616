// The interface through which a component controls the intake that feeds it on one server. The component
// does not own it.
#pragma once

#include <cstddef>

#include "base/error.hpp"
#include "model/block.hpp"

namespace tailrace::pipeline {

// Communication thread only.
class Input {
 public:
  virtual ~Input() = default;
  virtual const model::Tick& tick() const = 0;  // the current step; static_step before the first one
  // Whether all blocks of tick() have arrived, and not only those of earlier steps.
  virtual bool step_is_complete() const = 0;
  virtual const model::Tick& complete_until() const = 0;  // the last complete step
  // No packet is being processed, and none will be until the clients continue.
  virtual bool stands_still() const = 0;
  virtual bool finished() const = 0;                // every client has finished or is gone
  virtual bool has_lost() const = 0;                // a client is gone; more of it may be in its buffer
  virtual bool runs_on() const = 0;                 // a client does not end although it got a stop signal
  virtual double buffer_used() const = 0;           // 0 to 1, of the fullest client
  virtual std::size_t most_step_bytes() const = 0;  // that came in a step, the current one included

  virtual void raise(const base::Fault& fault) = 0;  // to all clients
  virtual void say_written(std::int64_t step) = 0;   // to all clients: what came up to this step is written
  // From now on packets are taken and dropped, so that no client waits for room.
  virtual void discard() = 0;
  // The run is being stopped, and its clients may end without finishing. A client that is gone is no fault
  // from now on, and its buffer is taken to the end; the clients that live receive the request to stop.
  virtual void expect_losses() = 0;
  virtual void halt() = 0;  // takes nothing any more
};

}  // namespace tailrace::pipeline
