// The lock around HDF5, for other code in the process that calls the library, such as the model's own output.
#pragma once

namespace tailrace::output {

// Between these two calls no other thread of Tailrace calls HDF5. Calls do not nest. The caller must not hold
// the lock while it writes a dataset through Tailrace or waits for such a write: that would deadlock.
void lock_hdf5();
void unlock_hdf5();

}  // namespace tailrace::output
