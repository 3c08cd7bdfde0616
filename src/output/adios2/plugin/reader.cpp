// Datasets of earlier runs, for those that go on with them.
#include <adios2.h>

#include <stdexcept>

#include "output/adios2/bp_version.hpp"
#include "output/adios2/engine.hpp"
#include "output/adios2/plugin/operators.hpp"

namespace tailrace::output::adios2 {
namespace {

namespace library = ::adios2;

template <class T>
struct Of {
  using Type = T;
};

// Calls `work` with the type that ADIOS2 calls so; types that Tailrace never writes are passed over.
template <class Work>
void with_type(const std::string& type, Work work) {
  if (type == library::GetType<char>()) work(Of<char>());
  if (type == library::GetType<float>()) work(Of<float>());
  if (type == library::GetType<double>()) work(Of<double>());
  if (type == library::GetType<std::int8_t>()) work(Of<std::int8_t>());
  if (type == library::GetType<std::uint8_t>()) work(Of<std::uint8_t>());
  if (type == library::GetType<std::int16_t>()) work(Of<std::int16_t>());
  if (type == library::GetType<std::int32_t>()) work(Of<std::int32_t>());
  if (type == library::GetType<std::int64_t>()) work(Of<std::int64_t>());
}

template <class T>
std::optional<model::DataType> type_of() {
  using model::DataType;
  if constexpr (std::is_same_v<T, float>) return DataType::float32;
  if constexpr (std::is_same_v<T, double>) return DataType::float64;
  if constexpr (std::is_same_v<T, std::int8_t>) return DataType::int8;
  if constexpr (std::is_same_v<T, std::uint8_t>) return DataType::uint8;
  if constexpr (std::is_same_v<T, std::int16_t>) return DataType::int16;
  if constexpr (std::is_same_v<T, std::int32_t>) return DataType::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return DataType::int64;
  return std::nullopt;
}

class Adios2Reader final : public StepReader {
 public:
  explicit Adios2Reader(const std::string& path) : io_(adios_.DeclareIO("tailrace")) {
    try {
      load_operator();
    } catch (const std::runtime_error&) {
      // Values that it compressed cannot be read then, and ADIOS2 reports that.
    }
    io_.SetEngine(bp_version(path) == 4 ? "BP4" : "BP5");
    engine_ = io_.Open(path, library::Mode::ReadRandomAccess);
    for (const auto& [name, about] : io_.AvailableVariables())
      with_type(io_.VariableType(name), [&]<class T>(Of<T>) { add<T>(name); });
  }

  ~Adios2Reader() override {
    try {
      engine_.Close();
    } catch (const std::exception&) {
      // Nothing is lost by what cannot be closed for reading.
    }
  }

  std::size_t steps() const override { return engine_.Steps(); }
  const std::vector<ExistingVariable>& variables() const override { return variables_; }

  std::vector<std::string> texts(const std::string& attribute) const override {
    library::IO io = io_;
    const auto found = io.InquireAttribute<std::string>(attribute);
    return found ? found.Data() : std::vector<std::string>();
  }

  std::vector<std::byte> read(const ExistingVariable& variable, std::size_t place) override {
    std::vector<std::byte> bytes;
    with_type(io_.VariableType(variable.name), [&]<class T>(Of<T>) {
      auto inquired = io_.InquireVariable<T>(variable.name);
      inquired.SetStepSelection({place, 1});
      const auto& shape = variable.shapes.at(place);
      if (!shape.empty()) inquired.SetSelection({library::Dims(shape.size(), 0), shape});
      std::size_t cells = 1;
      for (const std::size_t extent : shape) cells *= extent;
      bytes.resize(cells * sizeof(T));
      engine_.Get(inquired, reinterpret_cast<T*>(bytes.data()), library::Mode::Sync);
    });
    return bytes;
  }

 private:
  template <class T>
  void add(const std::string& name) {
    auto inquired = io_.InquireVariable<T>(name);
    ExistingVariable found{name, type_of<T>(), texts(name + "/__xarray_dimensions__"), {}, {}};
    found.steps = engine_.GetAbsoluteSteps(inquired);
    for (std::size_t place = 0; place < found.steps.size(); ++place)
      found.shapes.push_back(inquired.Shape(place));
    variables_.push_back(std::move(found));
  }

  library::ADIOS adios_;
  library::IO io_;
  library::Engine engine_;
  std::vector<ExistingVariable> variables_;
};

}  // namespace
}  // namespace tailrace::output::adios2

extern "C" __attribute__((visibility("default"))) tailrace::output::adios2::StepReader* tailrace_adios2_read(
    const std::string& path);

tailrace::output::adios2::StepReader* tailrace_adios2_read(const std::string& path) {
  return std::make_unique<tailrace::output::adios2::Adios2Reader>(path).release();
}
