#include "output/netcdf/options.hpp"

#include "config/read.hpp"

namespace tailrace::output::netcdf {
namespace {

using namespace config;

Type type() {
  return section({
      {.name = "data_model",
       .type = choice({"netcdf4", "classic", "classic_where_possible"}),
       .description =
           "The data model of the file. `classic` is that of netCDF-3, still stored as HDF5 and with "
           "compression; `netCDF4.MFDataset` and the rules of CMIP require it. By default `netcdf4`, and "
           "`classic_where_possible` for a file with a variable that has `cmip`.",
       .example = "classic"},
  });
}

Options read(const Value& value) {
  return {.data_model =
              choice_of<DataModel>(value, "data_model",
                                   {{"netcdf4", DataModel::netcdf4},
                                    {"classic", DataModel::classic},
                                    {"classic_where_possible", DataModel::classic_where_possible}})};
}

}  // namespace

FormatSection options_section() {
  return {
      .option = {.name = "netcdf", .type = type(), .description = "The options of NetCDF files."},
      .read = [](const std::string&, const Value& value, Problems&) { return wrap_options(read(value)); }};
}

}  // namespace tailrace::output::netcdf
