// The public Session: translates the model's calls into those of the rooms.
#include <fmt/format.h>

#include <functional>
#include <unordered_map>

#include "base/nearest_name.hpp"
#include "handshake/ready/wanted_names.hpp"
#include "session/model_rank.hpp"
#include "session/uncaught.hpp"
#include "tailrace/tailrace.hpp"

namespace tailrace {
namespace {

model::DataType data_type(Type type) {
  const int value = static_cast<int>(type);
  if (value < 0 || value > 3)
    throw Error(
        ErrorCode::usage,
        fmt::format("{} is not a type; expected float32 (0), float64 (1), int32 (2) or int64 (3)", value));
  return static_cast<model::DataType>(value);
}

struct HashOfText {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace

class Session::Impl {
 public:
  bool server = false;
  bool off = false;
  std::unique_ptr<comm::Communicator> model;       // in mode off
  int given = -1;                                  // the communicator of a stream, in mode off
  std::unique_ptr<client::Declarer> off_declarer;  // in mode off: checks the declarations all the same
  std::shared_ptr<session::ModelRank> rank;
  std::unordered_map<std::string, int, HashOfText, std::equal_to<>>
      handles;                      // of the fields that were declared
  std::vector<std::string> wanted;  // in mode off

  session::ModelRank& model_rank(const char* call) const {
    if (rank) return *rank;
    throw Error(ErrorCode::usage,
                fmt::format("{} was called on a server rank; ask is_server after start", call));
  }
  client::Declarer& declarer(const char* call) const {
    return off ? *off_declarer : model_rank(call).declarer();
  }
  client::Client& client(const char* call) const { return model_rank(call).client(call); }
  // Runs a call. If it fails because a server is lost, and the model is to continue without output, the call
  // counts as done.
  template <class Call>
  void survive(const Call& call) const {
    try {
      call();
    } catch (const Error& error) {
      if (!rank || !rank->goes_on_after(error)) throw;
    }
  }
  const model::Declarations& declarations() const {
    return off ? off_declarer->declarations() : model_rank("handle").declarations();
  }
};

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Session Session::start(int communicator, const std::string& configuration, const StartOptions& options) {
  session::report_uncaught_errors();
  handshake::Started started =
      handshake::start(communicator, {configuration, options.text}, options.component, false);
  auto impl = std::make_unique<Impl>();
  if (started.run.servers().mode == settings::Mode::off) {
    impl->off = true;
    impl->off_declarer = std::make_unique<client::Declarer>(options.component, started.component->rank(),
                                                            started.component->size());
    impl->wanted = handshake::wanted_names(started, {});
    impl->model = std::move(started.model);
  } else if (started.number < 0) {
    impl->server = true;
    server::serve_until_done(started);
  } else {
    impl->rank = std::make_shared<session::ModelRank>(
        std::move(started), model::Tick{options.initial_step, options.initial_time});
  }
  return Session(std::move(impl));
}

Session Session::open_output(int communicator, const std::string& name, const StartOptions& options) {
  auto impl = std::make_unique<Impl>();
  if (!impl_->off)
    impl->rank = impl_->model_rank("open_output")
                     .open_stream(communicator, name, options.text,
                                  model::Tick{options.initial_step, options.initial_time});
  if (!impl->rank) {  // mode off, or a server is lost and the model goes on without output
    const comm::GroupMembers members = comm::members_of(communicator);
    impl->off = true;
    impl->given = communicator;
    impl->off_declarer =
        std::make_unique<client::Declarer>(name, members.rank, static_cast<int>(members.numbers.size()));
  }
  return Session(std::move(impl));
}

void Session::open_file(const std::string& path) {
  if (!impl_->off) impl_->survive([&] { impl_->model_rank("open_file").open_file(path); });
}

void Session::close_file() {
  if (!impl_->off) impl_->survive([&] { impl_->model_rank("close_file").close_file(); });
}

bool Session::written(std::int64_t step) {
  bool is_written = true;
  if (!impl_->off) impl_->survive([&] { is_written = impl_->model_rank("written").written(step); });
  return is_written;
}

bool Session::is_server() const noexcept { return impl_->server; }
bool Session::is_off() const noexcept { return impl_->off; }

int Session::model_comm() const {
  if (impl_->off) return impl_->model ? impl_->model->handle() : impl_->given;
  return impl_->model_rank("model_comm").model_comm();
}

std::vector<std::string> Session::wanted_names() const {
  if (impl_->off) return impl_->wanted;
  const client::Declarer& declarer = impl_->declarer("wanted_names");
  return handshake::wanted_names(impl_->rank->started(), declarer.declarations().options);
}

void Session::option(const std::string& name, const std::string& value) {
  impl_->declarer("option").option(name, value);
}
void Session::option(const std::string& name, std::int64_t value) { option(name, fmt::format("{}", value)); }
void Session::option(const std::string& name, double value) { option(name, fmt::format("{}", value)); }

void Session::grid(const GridSpec& spec) {
  impl_->declarer("grid").grid({spec.name, spec.dims, spec.shape, spec.offset, spec.count, spec.indexed_dim,
                                spec.indices, spec.partial, spec.first_index_in_messages});
}

void Session::add_block(const std::string& grid, const std::vector<std::int64_t>& offset,
                        const std::vector<std::int64_t>& count) {
  impl_->declarer("add_block").add_block(grid, offset, count);
}

void Session::coordinate(const std::string& grid, const CoordinateSpec& spec,
                         std::span<const double> values) {
  model::Coordinate coordinate;
  coordinate.name = spec.name;
  coordinate.dims = spec.dims;
  coordinate.units = spec.units;
  coordinate.standard_name = spec.standard_name;
  coordinate.long_name = spec.long_name;
  coordinate.attributes = spec.attributes;
  coordinate.measure = spec.measure;
  client::CoordinateExtras extras{spec.bounds, spec.vertices, spec.computed_bounds, spec.scalar};
  if (!spec.bounds.empty() && spec.vertices == 0) extras.vertices = 2;
  impl_->declarer("coordinate").coordinate(grid, std::move(coordinate), values, extras);
}

void Session::healpix_grid(const HealpixGridSpec& spec) {
  impl_->declarer("healpix_grid")
      .healpix_grid({spec.name, spec.level, spec.order, spec.dims, spec.shape, spec.cell_dim, spec.first,
                     spec.count, spec.cells});
}

void Session::grid_mapping(const std::string& grid, const GridMappingSpec& spec) {
  model::GridMapping mapping{spec.name, spec.attributes};
  mapping.attributes["grid_mapping_name"] = spec.grid_mapping_name;
  impl_->declarer("grid_mapping").grid_mapping(grid, std::move(mapping));
}

void Session::mesh(const std::string& grid, const MeshSpec& spec) {
  impl_->declarer("mesh").mesh(
      grid, {spec.name, spec.node_x, spec.node_y, spec.nodes_per_face, spec.face_nodes, spec.global_nodes,
             spec.node_indices, spec.node_units, spec.first_index_in_messages});
}

void Session::mesh_location(const std::string& grid, const MeshLocationSpec& spec) {
  impl_->declarer("mesh_location")
      .mesh_location(grid, {spec.mesh, spec.location, spec.edge_nodes, spec.first_index_in_messages});
}

FieldHandle Session::field(const FieldSpec& spec) {
  model::Field field;
  field.name = spec.name;
  field.type = data_type(spec.type);
  field.units = spec.units;
  field.standard_name = spec.standard_name;
  field.long_name = spec.long_name;
  field.attributes = spec.attributes;
  if (spec.fill_value) {
    field.fill_value.emplace(spec.fill_value->number);
    field.fill_value->whole = spec.fill_value->whole;
  }
  const int handle = impl_->declarer("field").field(spec.grid, std::move(field));
  impl_->handles.emplace(spec.name, handle);
  return {handle};
}

void Session::set_attribute(const std::string& name, const Attribute& value, const std::string& field) {
  if (impl_->rank && impl_->rank->is_stream() && impl_->rank->is_ready() && field.empty())
    return impl_->rank->set_file_attribute(name, value);
  impl_->declarer("set_attribute").set_attribute(field, name, value);
}

FieldHandle Session::input(const InputSpec& spec) {
  model::Field field;
  field.name = spec.name;
  field.type = data_type(spec.type);
  field.units = spec.units;
  field.is_optional = spec.optional;
  if (spec.fill_value) {
    field.fill_value.emplace(spec.fill_value->number);
    field.fill_value->whole = spec.fill_value->whole;
  }
  const int handle = impl_->declarer("input").input(spec.grid, std::move(field));
  impl_->handles.emplace(spec.name, handle);
  return {handle};
}

void Session::ready() {
  if (!impl_->off) impl_->survive([&] { impl_->model_rank("ready").ready(); });
}

void Session::step(std::int64_t step, double time) {
  if (!impl_->off) impl_->survive([&] { impl_->model_rank("step").step(step, time); });
}

FieldHandle Session::handle(std::string_view name) const {
  if (const auto known = impl_->handles.find(name); known != impl_->handles.end()) return {known->second};
  const model::Declarations& declarations = impl_->declarations();
  if (const auto found = declarations.find_field(std::string(name))) return {*found};
  std::vector<std::string> known = declarations.field_names();
  for (std::string& input : declarations.input_names()) known.push_back(std::move(input));
  throw Error(ErrorCode::usage,
              fmt::format("field \"{}\" was not declared.{}", name, base::name_hint(name, known)));
}

bool Session::wants(FieldHandle field) const {
  return !impl_->off && impl_->client("wants").wants(field.index);
}

bool Session::wants_at_end(FieldHandle field) const {
  return !impl_->off && impl_->client("wants_at_end").wants_at_end(field.index);
}

void Session::put(FieldHandle field, const ArrayView& array) {
  if (impl_->off || put_unwanted(field)) return;
  impl_->survive([&] {
    impl_->client("put").put(field.index, {array.data, data_type(array.type), array.shape, array.strides,
                                           array.fastest_first_in_messages});
  });
}

void Session::put_block(FieldHandle field, std::size_t block, const ArrayView& array) {
  if (impl_->off) return;
  impl_->survive([&] {
    impl_->client("put_block")
        .put_block(
            field.index, block,
            {array.data, data_type(array.type), array.shape, array.strides, array.fastest_first_in_messages});
  });
}

void Session::put_dense(FieldHandle field, const void* data, Type type, std::size_t count) {
  if (!impl_->off && !put_unwanted(field))
    impl_->survive([&] { impl_->client("put").put_dense(field.index, data, data_type(type), count); });
}

bool Session::put_unwanted(FieldHandle field) noexcept {
  // An invalid handle returns false, also in mode off: then the put of the binding reports the error.
  if (impl_->off)
    return static_cast<std::size_t>(field.index) < impl_->off_declarer->declarations().fields.size();
  return impl_->rank && impl_->rank->put_unwanted(field.index);
}

std::span<std::byte> Session::acquire(FieldHandle field) {
  std::span<std::byte> hosted;
  if (!impl_->off) impl_->survive([&] { hosted = impl_->client("acquire").acquire(field.index); });
  return hosted;
}

void Session::publish(FieldHandle field) {
  if (!impl_->off) impl_->survive([&] { impl_->client("publish").publish(field.index); });
}

std::optional<RestartPoint> Session::restarting() {
  if (impl_->off) return std::nullopt;
  const model::Tick* at = impl_->model_rank("restarting").restart_point();
  return at != nullptr ? std::optional(RestartPoint{at->step, at->time}) : std::nullopt;
}

void Session::get(FieldHandle field, const MutableArrayView& array) {
  if (impl_->off)
    throw Error(ErrorCode::usage,
                "get: mode off reads no checkpoint and no input; ask restarting or available");
  impl_->model_rank("get").get(field.index, {array.data, data_type(array.type), array.shape, array.strides});
}

bool Session::available(FieldHandle input) const {
  return !impl_->off && impl_->model_rank("available").available(input.index);
}

bool Session::checkpoint_due() {
  bool due = false;
  if (!impl_->off) impl_->survive([&] { due = impl_->model_rank("checkpoint_due").checkpoint_due(); });
  return due;
}

void Session::request_checkpoint() {
  if (!impl_->off) impl_->survive([&] { impl_->client("request_checkpoint").request_checkpoint(); });
}

void Session::checkpoint() {
  if (!impl_->off) impl_->survive([&] { impl_->model_rank("checkpoint").checkpoint(); });
}

void Session::put_value(const std::string& name, const Value& value) {
  if (!impl_->off) impl_->client("put_value").put_value(name, value);
}

Value Session::get_value(const std::string& name) {
  if (impl_->off) throw Error(ErrorCode::usage, "get_value: there is no restart in mode off; ask restarting");
  return impl_->model_rank("get_value").restored("get_value").value(name);
}

const std::string& Session::output_lost() const noexcept {
  static const std::string nothing;
  return impl_->rank ? impl_->rank->output_lost() : nothing;
}

bool Session::stop_requested() { return !impl_->off && impl_->model_rank("stop_requested").stop_requested(); }

void Session::finish() {
  if (impl_->rank) impl_->survive([&] { impl_->rank->finish(); });
}

}  // namespace tailrace
