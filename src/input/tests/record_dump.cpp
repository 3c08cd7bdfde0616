// record_dump: reads input as a server does, for the tests in Python. The first line on stdin describes the
// model, the entry and its fields as JSON (see parse() below); the answer is what prepare() returned. Each
// further line {"field": n, "record": n, "to": file} writes the bytes of a record to the file; {"grow":
// seconds} waits for the next record, and is answered as prepare() is. Each answer is a line of JSON; an
// error is {"error": text, "code": number}.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "env/programs.hpp"
#include "input/record_values.hpp"
#include "regrid/method.hpp"

namespace tailrace::input {
namespace {

using nlohmann::json;

struct Task {
  model::Declarations declarations;
  Entry entry;
  std::vector<int> fields;
  std::string folder, directory;
  calendar::Calendar calendar;
  std::shared_ptr<WeightsStore> weights;
  std::uint64_t chunk_bytes = 0;  // 0: as many as the reader wants
};

model::DataType type_of(const std::string& name) {
  for (const model::DataType type : model::all_data_types())
    if (model::name_of(type) == name) return type;
  throw std::runtime_error("no type " + name);
}

model::Grid grid_of(const json& from) {
  model::Grid grid;
  grid.name = "model";
  grid.dims = from.at("dims").get<std::vector<std::string>>();
  grid.shape = from.at("shape").get<std::vector<std::int64_t>>();
  for (const json& one : from.at("coordinates")) {
    model::Coordinate& coordinate = grid.coordinates.emplace_back();
    coordinate.name = one.at("name");
    coordinate.dims = one.at("dims").get<std::vector<std::string>>();
    coordinate.units = one.value("units", "");
    coordinate.standard_name = one.value("standard_name", "");
    coordinate.values = one.at("values").get<std::vector<double>>();
    coordinate.bounds = one.value("bounds", std::vector<double>());
    if (coordinate.values.empty()) coordinate.field = 0;  // each rank has its own
  }
  if (from.contains("mapping")) {
    grid.mapping.emplace();
    for (const auto& [name, text] : from["mapping"].items())
      grid.mapping->attributes[name] = text.get<std::string>();
  }
  return grid;
}

TimeRule rule_of(const std::string& name) {
  constexpr const char* names[] = {"exact",  "previous",        "next", "nearest",
                                   "linear", "mean_preserving", "none"};
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names)) throw std::runtime_error("no rule " + name);
  return static_cast<TimeRule>(found - std::begin(names));
}

MissingRequest missing_of(const json& from) {
  if (!from.contains("missing")) return {};
  if (from["missing"].is_number()) return {MissingRequest::Kind::value, from["missing"]};
  return {from["missing"] == "keep" ? MissingRequest::Kind::keep : MissingRequest::Kind::nearest, 0.0};
}

regrid::Method method_of(const std::string& name) {
  for (const auto method : {regrid::Method::conservative, regrid::Method::bilinear, regrid::Method::nearest,
                            regrid::Method::average, regrid::Method::largest_area})
    if (regrid::name_of(method) == name) return method;
  return regrid::Method::file;
}

RegridRequest regrid_of(const json& from) {
  RegridRequest request;
  const std::string method = from.at("method");
  request.rule.method = method_of(method);
  request.rule.coverage = from.value("coverage", request.rule.coverage);
  if (request.rule.method == regrid::Method::file) request.weights = method;
  if (from.value("normalisation", "") == "destarea")
    request.rule.normalisation = regrid::Normalisation::destarea;
  return request;
}

FieldRequest request_of(const json& from) {
  FieldRequest request;
  request.name = from.at("name");
  request.location = {
      "run.yml",
      7,
      3,
  };
  request.variable = from.value("variable", request.name);
  request.time.rule = rule_of(from.value("time", "linear"));
  if (from.contains("cycle")) {
    const double seconds = from["cycle"];
    request.time.cycle = {seconds > 0 ? CycleKind::period : CycleKind::year, seconds};
  }
  request.time_offset = from.value("time_offset", 0.0);
  if (from.contains("regrid")) request.regrid = regrid_of(from["regrid"]);
  if (from.contains("vertical")) request.vertical = VerticalRequest{from["vertical"], {}};
  request.units = from.value("units_of_file", "");
  request.scale = from.value("scale", 1.0);
  request.offset = from.value("offset", 0.0);
  request.missing = missing_of(from);
  if (from.contains("select")) request.select = from["select"].get<Selected>();
  request.may_lose_bits = from.value("narrow", false);
  return request;
}

Task parse(const json& from) {
  Task task;
  task.folder = from.at("folder");
  task.directory = from.value("directory", "");
  const std::string name = from.value("calendar", "standard");
  task.calendar = calendar::Calendar(
      name, name == "none" ? calendar::Date{} : calendar::parse_date(from.value("start", "2000-01-01")));
  task.chunk_bytes = from.value("chunk_bytes", std::uint64_t{0});
  task.declarations.grids.push_back(grid_of(from.at("grid")));
  for (const json& one : from.value("more_grids", json::array()))
    task.declarations.grids.push_back(grid_of(one));
  if (from.contains("weights"))  // a cache directory
    task.weights = std::make_shared<WeightsStore>(
        regrid::WeightsCache{from["weights"], env::default_interpreter()}, from.value("makes", true));
  for (const json& one : from.value("put", json::array())) {  // fields that the model puts
    model::Field& field = task.declarations.fields.emplace_back();
    field.name = one.at("name");
    field.grid = 0;
    field.units = one.at("units");
  }
  task.entry.name = "forcing";
  task.entry.files = from.at("files").get<std::vector<std::string>>();
  task.entry.files_location_text = "run.yml:5:12";
  if (from.contains("python")) task.entry.source = PythonSource{from.value("function", ""), from["python"]};
  if (from.contains("adios2")) task.entry.source = Adios2Source{from["adios2"] == "stream"};
  for (const json& one : from.at("fields")) {
    task.fields.push_back(static_cast<int>(task.declarations.fields.size()));
    model::Field& field = task.declarations.fields.emplace_back();
    field.name = one.at("name");
    field.grid = one.value("grid", 0);
    field.type = type_of(one.value("type", "float64"));
    field.units = one.value("units", "");
    task.entry.fields.push_back(request_of(one));
  }
  return task;
}

json described(const PreparedField& field) {
  json records = json::array();
  for (const Record& one : field.timeline.records())
    records.push_back({{"file", one.file},
                       {"index", one.index},
                       {"time", one.time},
                       {"begin", one.begin},
                       {"end", one.end}});
  json described{{"records", records},
                 {"type", model::name_of(field.travels_as)},
                 {"stays", field.stays},
                 {"may_grow", field.may_grow},
                 {"regridded", field.regridded},
                 {"files", field.files},
                 {"has_bounds", field.timeline.has_bounds()},
                 {"is_climatology", field.timeline.is_climatology()}};
  if (field.vertical)
    described["levels"] = {{"values", field.vertical->levels},
                           {"count", field.vertical->count},
                           {"come_with_records", field.vertical->come_with_records}};
  return described;
}

json dumped(const RecordValues& values, const WeightsStore* weights, const std::string& to) {
  std::ofstream(to, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.bytes.data()),
             static_cast<std::streamsize>(values.bytes.size()));
  return {{"missing", values.missing},
          {"bytes_read", values.bytes_read},
          {"bytes_of_weights", weights == nullptr ? 0 : weights->bytes()}};
}

void serve() {
  std::string line;
  std::getline(std::cin, line);
  const Task task = parse(json::parse(line));
  const auto reader = make_reader(
      task.entry, task.fields,
      {task.declarations, task.calendar, task.folder, task.directory,
       task.chunk_bytes > 0 ? std::make_shared<ChunkMemory>(task.chunk_bytes) : nullptr, task.weights});
  std::vector<PreparedField> fields;
  const auto answer = [](const auto& work) {
    try {
      std::cout << work().dump() << std::endl;
    } catch (const Error& error) {
      std::cout << json{{"error", error.what()}, {"code", static_cast<int>(error.code())}}.dump()
                << std::endl;
    }
  };
  const auto all_described = [&] {
    json all = json::array();
    for (const PreparedField& one : fields) all.push_back(described(one));
    return all;
  };
  answer([&] {
    fields = reader->prepare();
    return all_described();
  });
  while (std::getline(std::cin, line))
    answer([&] {
      const json wanted = json::parse(line);
      if (wanted.contains("grow")) {
        fields = reader->grow(wanted["grow"]);
        return all_described();
      }
      return dumped(reader->read(fields.at(wanted.at("field")), wanted.at("record")), task.weights.get(),
                    wanted.at("to"));
    });
}

}  // namespace
}  // namespace tailrace::input

int main() {
  try {
    tailrace::input::serve();
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
