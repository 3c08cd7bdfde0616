// The only code that sees ADIOS2.
#include "output/adios2/engine.hpp"

#include <adios2.h>
#include <sys/stat.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include "base/index.hpp"
#include "output/adios2/plugin/listeners.hpp"
#include "output/adios2/plugin/operators.hpp"

namespace tailrace::output::adios2 {
namespace {

namespace library = ::adios2;

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

// ADIOS2 knows int8_t, not char, as a number of eight bits, and so does Tailrace.
void define(library::IO& io, const std::string& name, const AttributeValue& value) {
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (is_list<Held>)
          io.DefineAttribute<typename Held::value_type>(name, held.data(), held.size());
        else
          io.DefineAttribute<Held>(name, held);
      },
      value);
}

class AnyVariable {
 public:
  virtual ~AnyVariable() = default;
  virtual void put(library::Engine& engine, const Block& block) = 0;
};

template <class T>
class TypedVariable final : public AnyVariable {
 public:
  TypedVariable(library::IO& io, const EngineVariable& spec, Operators& operators)
      : variable_(spec.dims.empty() ? io.DefineVariable<T>(spec.name)
                                    : io.DefineVariable<T>(spec.name, library::Dims(spec.dims.size(), 1),
                                                           library::Dims(spec.dims.size(), 0),
                                                           library::Dims(spec.dims.size(), 1))),
        has_codec_(spec.codec.codec != "none") {
    if (has_codec_) variable_.AddOperation(operators.of(spec.codec, sizeof(T)));
    if (spec.takes_operator) variable_.AddOperation(operators.own());
  }
  void put(library::Engine& engine, const Block& block) override {
    if (!block.shape.empty()) {
      variable_.SetShape(block.shape);
      variable_.SetSelection({block.start, block.count});
    }
    if (has_codec_) return put_source(engine, block);
    engine.Put(variable_, reinterpret_cast<const T*>(block.values), library::Mode::Deferred);
  }

 private:
  // The operator is called at once.
  void put_source(library::Engine& engine, const Block& block) {
    std::size_t bytes = sizeof(T);
    for (const std::size_t extent : block.count) bytes *= extent;
    const Source source{{block.values, block.encoded > 0 ? block.encoded : bytes}, block.encoded > 0};
    engine.Put(variable_, reinterpret_cast<const T*>(&source), library::Mode::Sync);
  }

  library::Variable<T> variable_;
  const bool has_codec_;
};

std::unique_ptr<AnyVariable> make_variable(library::IO& io, const EngineVariable& spec,
                                           Operators& operators) {
  using model::DataType;
  if (spec.is_text) return std::make_unique<TypedVariable<char>>(io, spec, operators);
  switch (spec.type) {
    case DataType::float32: return std::make_unique<TypedVariable<float>>(io, spec, operators);
    case DataType::float64: return std::make_unique<TypedVariable<double>>(io, spec, operators);
    case DataType::int32: return std::make_unique<TypedVariable<std::int32_t>>(io, spec, operators);
    case DataType::int64: return std::make_unique<TypedVariable<std::int64_t>>(io, spec, operators);
    case DataType::int16: return std::make_unique<TypedVariable<std::int16_t>>(io, spec, operators);
    case DataType::int8: return std::make_unique<TypedVariable<std::int8_t>>(io, spec, operators);
    case DataType::uint8: return std::make_unique<TypedVariable<std::uint8_t>>(io, spec, operators);
  }
  throw std::logic_error("a type of no variable");
}

// Blocks stay where they are until the step ends, so what is not small is written from there: BP5 copies what
// is below 4 MiB, into memory that is new in each step.
constexpr const char* least_not_copied = "65536";

library::Params parameters_of(const Options& options) {
  if (options.engine != Engine::sst) {
    library::Params parameters{{"Profile", "Off"}, {"StatsLevel", "0"}};
    if (options.engine == Engine::bp5) parameters["MinDeferredSize"] = least_not_copied;
    if (!options.burst_buffer.empty()) parameters["BurstBufferPath"] = options.burst_buffer;
    return parameters;
  }
  return {{"RendezvousReaderCount", "0"},
          {"QueueLimit", std::to_string(options.queue)},
          {"ReserveQueueLimit", "1"},  // a reader that comes gets the newest step at once
          {"QueueFullPolicy", options.when_full == WhenFull::block ? "Block" : "Discard"},
          {"ControlTransport", "tcp"},
          {"DataTransport", "evpath"},
          // The address that readers receive; listeners.hpp sets the one that the ports are bound to.
          {"NetworkInterface", options.listen == Listen::loopback ? "lo" : ""},
          {"MarshalMethod", "BP5"}};
}

const char* name_of(Engine engine) {
  return engine == Engine::bp4 ? "BP4" : engine == Engine::bp5 ? "BP5" : "SST";
}

constexpr std::chrono::seconds patience{10};  // with readers that do not take the last steps of a stream

// Files that are made meanwhile are the user's alone.
class OwnFiles {
 public:
  OwnFiles() : before_(umask(077)) {}
  OwnFiles(const OwnFiles&) = delete;
  OwnFiles& operator=(const OwnFiles&) = delete;
  ~OwnFiles() { umask(before_); }

 private:
  mode_t before_;
};

struct Library {
  library::ADIOS adios;
  library::IO io;
  library::Engine engine;
};

class Adios2Writer final : public StepWriter {
 public:
  explicit Adios2Writer(const EngineSpec& spec)
      : spec_(spec),
        library_(std::make_shared<Library>()),
        io_(library_->io = library_->adios.DeclareIO("tailrace")),
        engine_(library_->engine),
        operators_(library_->adios, spec.options) {
    io_.SetEngine(name_of(spec.options.engine));
    io_.SetParameters(parameters_of(spec.options));
    for (const EngineVariable& variable : spec.variables)
      variables_.push_back(make_variable(io_, variable, operators_));
    define_attributes();
    if (spec.options.engine == Engine::sst)
      open_stream();
    else
      engine_ = io_.Open(spec.path, spec.appends ? library::Mode::Append : library::Mode::Write);
  }

  void write_step(std::span<const Block> blocks) override {
    // A reader that comes late gets only what comes with the steps that it reads.
    if (spec_.options.engine == Engine::sst) {
      io_.RemoveAllAttributes();
      define_attributes();
    }
    if (engine_.BeginStep() != library::StepStatus::OK) throw std::runtime_error("a step cannot begin");
    for (const Block& block : blocks) variables_[base::index(block.variable)]->put(engine_, block);
    engine_.EndStep();
  }

  void set_attribute(const std::string& variable, const std::string& name,
                     const AttributeValue& value) override {
    const std::string full = variable.empty() ? name : variable + "/" + name;
    io_.RemoveAttribute(full);
    define(io_, full, value);
  }

  // A reader that was stopped, or that is slow, would hold the end of a stream up for as long as it likes.
  // Then what ADIOS2 keeps for it stays until the process ends.
  void close() override {
    if (spec_.options.engine != Engine::sst) return engine_.Close();
    std::packaged_task<void()> task([library = library_] { library->engine.Close(); });
    std::future<void> closed = task.get_future();
    std::thread(std::move(task)).detach();
    if (closed.wait_for(patience) != std::future_status::ready)
      throw ReadersLeftBehind("a reader did not take the last steps within 10 s; the stream ends without it");
    closed.get();
  }

 private:
  void open_stream() {
    const Listeners before = listeners();
    const OwnFiles own;
    engine_ = io_.Open(spec_.path, library::Mode::Write);
    if (spec_.options.listen == Listen::loopback) keep_to_loopback(listeners_since(before));
    keep_to_user(spec_.path + ".sst");
  }

  void define_attributes() {
    for (const auto& [name, value] : spec_.attributes) define(io_, name, value);
    if (!spec_.unlimited_dims.empty()) define_names("__unlimited_dimensions__", spec_.unlimited_dims);
    for (const EngineVariable& variable : spec_.variables) {
      for (const auto& [name, value] : variable.attributes) define(io_, variable.name + "/" + name, value);
      if (!variable.dims.empty()) define_names(variable.name + "/__xarray_dimensions__", variable.dims);
    }
  }

  // SST of ADIOS2 2.12 makes one empty text of a list of texts.
  void define_names(const std::string& attribute, const std::vector<std::string>& names) {
    if (spec_.options.engine != Engine::sst) {
      io_.DefineAttribute<std::string>(attribute, names.data(), names.size());
      return;
    }
    std::string words;
    for (const std::string& name : names) words += (words.empty() ? "" : " ") + name;
    io_.DefineAttribute<std::string>(attribute, words);
  }

  const EngineSpec spec_;
  std::shared_ptr<Library> library_;
  library::IO& io_;
  std::vector<std::unique_ptr<AnyVariable>> variables_;
  library::Engine& engine_;
  Operators operators_;
};

}  // namespace
}  // namespace tailrace::output::adios2

extern "C" __attribute__((visibility("default"))) tailrace::output::adios2::StepWriter* tailrace_adios2_open(
    const tailrace::output::adios2::EngineSpec& spec);

tailrace::output::adios2::StepWriter* tailrace_adios2_open(const tailrace::output::adios2::EngineSpec& spec) {
  return std::make_unique<tailrace::output::adios2::Adios2Writer>(spec).release();
}
