#include "output/netcdf/driver.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <iterator>
#include <memory>

namespace tailrace::output::netcdf {
namespace {

constexpr haddr_t max_address = (haddr_t{1} << 62) - 1;

struct DriverInfo {  // driver data in the file access properties
  AtomicFile* file = nullptr;
};

struct DriverFile {
  H5FD_t base{};  // must be first: HDF5 identifies a DriverFile by its address
  AtomicFile* file = nullptr;
  haddr_t end_of_allocation = 0;
};

DriverFile& self(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& self(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

extern "C" {

static H5FD_t* tailrace_driver_open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  auto file = std::make_unique<DriverFile>();
  file->file = info->file;
  return &file.release()->base;  // HDF5 owns it until it calls close
}

static herr_t tailrace_driver_close(H5FD_t* file) {
  delete &self(file);
  return 0;
}

// No feature flags: HDF5 then writes each piece of metadata separately and with its exact size.
static herr_t tailrace_driver_query(const H5FD_t*, unsigned long* flags) {
  *flags = 0;
  return 0;
}

static haddr_t tailrace_driver_get_eoa(const H5FD_t* file, H5FD_mem_t) {
  return self(file).end_of_allocation;
}

static herr_t tailrace_driver_set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  self(file).end_of_allocation = address;
  return 0;
}

// Values go to places that no reader knows any more, where there are such; all else to the end of the file.
static haddr_t tailrace_driver_alloc(H5FD_t* file, H5FD_mem_t type, hid_t, hsize_t size) {
  if (type == H5FD_MEM_DRAW)
    if (const auto place = self(file).file->reuse(size)) return *place;
  const haddr_t address = self(file).end_of_allocation;
  self(file).end_of_allocation += size;
  return address;
}

// HDF5 itself reuses no freed space, not even at the end of the file: a reader may still refer to it.
static herr_t tailrace_driver_free(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, hsize_t) { return 0; }

static haddr_t tailrace_driver_get_eof(const H5FD_t* file, H5FD_mem_t) { return self(file).file->end(); }

static herr_t tailrace_driver_read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size,
                                   void* buffer) {
  try {
    self(file).file->read(address, {static_cast<std::byte*>(buffer), size});
    return 0;
  } catch (...) {
    return -1;
  }
}

static herr_t tailrace_driver_write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t size,
                                    const void* buffer) {
  try {
    self(file).file->write(address, {static_cast<const std::byte*>(buffer), size}, type == H5FD_MEM_DRAW);
    return 0;
  } catch (...) {
    return -1;
  }
}

static herr_t tailrace_driver_truncate(H5FD_t* file, hid_t, hbool_t) {
  self(file).file->set_end(self(file).end_of_allocation);
  return 0;
}

}  // extern "C"

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(512);  // from the range for private drivers
#endif
  driver.name = "tailrace";
  driver.maxaddr = max_address;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = &tailrace_driver_open;
  driver.close = &tailrace_driver_close;
  driver.query = &tailrace_driver_query;
  driver.alloc = &tailrace_driver_alloc;
  driver.free = &tailrace_driver_free;
  driver.get_eoa = &tailrace_driver_get_eoa;
  driver.set_eoa = &tailrace_driver_set_eoa;
  driver.get_eof = &tailrace_driver_get_eof;
  driver.read = &tailrace_driver_read;
  driver.write = &tailrace_driver_write;
  driver.truncate = &tailrace_driver_truncate;
  const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), std::begin(driver.fl_map));
  return driver;
}

// Fixes the file format to that of HDF5 1.10, which all current readers support. Its chunk indices only grow,
// so a reader that opened the file before a commit still finds its records in the same place. (Older formats
// use a B-tree that is rebuilt in place, in which such a reader would miss records.)
Id access_properties(AtomicFile& file) {
  static const H5FD_class_t driver = driver_class();
  const Id registered(H5FDregister(&driver), &H5FDunregister, "cannot register the file driver");
  Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, "cannot make access properties");
  const DriverInfo info{&file};
  check(H5Pset_driver(access, registered, &info), "cannot choose the file driver");
  check(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "cannot set the close degree");
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "cannot bind the file format");
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check(H5Pget_mdc_config(access, &cache), "cannot read the bounds of the cache");
  cache.set_initial_size = true;
  cache.initial_size = cache.max_size = cache_bytes;
  cache.min_size = cache_bytes / 2;
  check(H5Pset_mdc_config(access, &cache), "cannot bound the cache");
  return access;
}

// HDF5 releases a file's driver before it calls the driver's close function. The access properties keep the
// driver registered until then.
herr_t close_file(hid_t file) {
  const hid_t access = H5Fget_access_plist(file);
  const herr_t status = H5Fclose(file);
  if (access >= 0) H5Pclose(access);
  return status;
}

}  // namespace

Id create_in(AtomicFile& file, hid_t creation_properties) {
  const Id access = access_properties(file);
  return {H5Fcreate("tailrace", H5F_ACC_TRUNC, creation_properties, access), &close_file, "cannot create"};
}

Id open_in(AtomicFile& file) {
  const Id access = access_properties(file);
  return {H5Fopen("tailrace", H5F_ACC_RDWR, access), &close_file, "cannot open"};
}

}  // namespace tailrace::output::netcdf
