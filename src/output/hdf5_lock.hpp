// The lock of HDF5, for others in the process that call it too.
#pragma once

namespace tailrace::output {

// Between these two calls of one thread no other thread of Tailrace calls HDF5. Not to be nested, nor held in
// a call that may write a file or wait for one that does.
void lock_hdf5();
void unlock_hdf5();

}  // namespace tailrace::output
