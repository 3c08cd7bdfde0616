#include "output/netcdf/hdf5.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "output/hdf5_lock.hpp"

namespace tailrace::output::netcdf {
namespace {

extern "C" herr_t tailrace_first_message(unsigned n, const H5E_error2_t* entry, void* message) {
  if (n == 0 && entry->desc != nullptr) *static_cast<std::string*>(message) = entry->desc;
  return 0;
}

}  // namespace

constinit base::Mutex hdf5_mutex;

Hdf5Lock::Hdf5Lock() {
  hdf5_mutex.lock();
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Lock::~Hdf5Lock() {
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
  hdf5_mutex.unlock();
}

bool hdf5_is_thread_safe() {
  hbool_t safe = 0;
  return H5is_library_threadsafe(&safe) >= 0 && safe;
}

void throw_hdf5_error(std::string_view doing) {
  std::string message;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &tailrace_first_message, &message);
  H5Eclear2(H5E_DEFAULT);
  throw Error(ErrorCode::resource,
              fmt::format("{}: HDF5: {}", doing, message.empty() ? "no reason given" : message));
}

}  // namespace tailrace::output::netcdf

namespace tailrace::output {

void lock_hdf5() TAILRACE_ACQUIRE(netcdf::hdf5_mutex) { netcdf::hdf5_mutex.lock(); }
void unlock_hdf5() TAILRACE_RELEASE(netcdf::hdf5_mutex) { netcdf::hdf5_mutex.unlock(); }

}  // namespace tailrace::output
