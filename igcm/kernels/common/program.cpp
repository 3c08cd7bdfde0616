#include "program.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "../../grid/new_file.hpp"

namespace igcm {
namespace {

std::string usage(const Kernel& kernel) {
  std::string text = "usage: " + kernel.name +
                     " [--input IN.nc] [--output OUT.nc] [--reference REF.nc] [--save-input IN.nc]"
                     " [--calls N] [--language fortran|c++]";
  for (const auto& [name, value] : kernel.sizes) text += " [--" + name + " " + std::to_string(value) + "]";
  for (const auto& [name, values] : kernel.choices) {
    text += " [--" + name + " ";
    for (std::size_t v = 0; v < values.size(); ++v) text += (v > 0 ? "|" : "") + values[v];
    text += "]";
  }
  for (const std::string& name : kernel.switches) text += " [--" + name + "]";
  return text + "\n";
}

int whole_number(const std::string& option, const std::string& value, int least) {
  std::size_t end = 0;
  int number = 0;
  try {
    number = std::stoi(value, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end != value.size() || number < least)
    throw std::runtime_error("--" + option + ": \"" + value + "\"; expected a whole number of at least " +
                             std::to_string(least));
  return number;
}

std::string one_of(const Choice& choice, const std::string& value) {
  if (std::ranges::find(choice.values, value) == choice.values.end()) {
    std::string known;
    for (const std::string& name : choice.values) known += (known.empty() ? "" : ", ") + name;
    throw std::runtime_error("--" + choice.name + ": \"" + value + "\" is unknown (known: " + known + ")");
  }
  return value;
}

Options parse(const Kernel& kernel, int argc, char** argv) {
  Options options;
  options.sizes = kernel.sizes;
  for (const Choice& choice : kernel.choices) options.choices[choice.name] = choice.values.front();
  for (int a = 1; a < argc; ++a) {
    const std::string word = argv[a];
    if (!word.starts_with("--")) throw std::runtime_error("\"" + word + "\" is no option\n" + usage(kernel));
    const std::string name = word.substr(2);
    if (std::ranges::find(kernel.switches, name) != kernel.switches.end()) {
      options.switches[name] = true;
      continue;
    }
    const auto choice = std::ranges::find(kernel.choices, name, &Choice::name);
    const bool known = name == "input" || name == "output" || name == "reference" || name == "calls" ||
                       name == "language" || name == "save-input" || kernel.sizes.contains(name) ||
                       choice != kernel.choices.end();
    if (!known) throw std::runtime_error("--" + name + " is unknown\n" + usage(kernel));
    if (++a == argc) throw std::runtime_error("--" + name + " needs a value");
    const std::string value = argv[a];
    if (value.empty()) throw std::runtime_error("--" + name + ": expected a value that is not empty");
    if (name == "input") options.input = value;
    if (name == "output") options.output = value;
    if (name == "reference") options.reference = value;
    if (name == "save-input") options.save_input = value;
    if (name == "calls") options.calls = whole_number(name, value, 1);
    if (name == "language")
      options.language =
          one_of({name, {"fortran", "c++"}}, value) == "c++" ? Language::cpp : Language::fortran;
    if (kernel.sizes.contains(name)) options.sizes[name] = whole_number(name, value, 0);
    if (choice != kernel.choices.end()) options.choices[name] = one_of(*choice, value);
  }
  if (!options.save_input.empty() && !options.input.empty())
    throw std::runtime_error("--save-input: writes the made input; expected without --input");
  if (!options.save_input.empty() && options.save_input == options.output)
    throw std::runtime_error("--save-input: \"" + options.output +
                             "\" is the file of --output; expected another");
  return options;
}

void run_calls(const Kernel& kernel, Dataset& data, const Options& options, Timers& timers) {
  std::map<std::string, std::vector<double>> before;
  for (const std::string& name : kernel.in_out) before[name] = data.field(name).values;
  for (int n = 0; n < options.calls; ++n) {
    for (const auto& [name, values] : before) data.field(name).values = values;
    timers.start("MAIN_" + kernel.name);
    kernel.call(data, options, timers);
    timers.stop("MAIN_" + kernel.name);
  }
}

// The results of others, or else those of the same kernel in the other language.
Dataset reference_of(const Kernel& kernel, const Dataset& input, const Options& options) {
  if (!options.reference.empty()) return Dataset::read(options.reference);
  Dataset copy = input;
  Options other = options;
  other.calls = 1;
  other.language = options.language == Language::fortran ? Language::cpp : Language::fortran;
  Timers unused;
  run_calls(kernel, copy, other, unused);
  return copy;
}

std::vector<double> difference(const std::string& name, const Dataset& reference, const Dataset& data) {
  const Field& expected = reference.field(name);
  const Field& got = data.field(name);
  if (expected.shape != got.shape)
    throw std::runtime_error(reference.path() + ": \"" + name + "\" has another shape than the result");
  std::vector<double> result(got.values.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    // Equal infinities, and NaNs on both sides, do not differ.
    const bool same =
        expected.values[i] == got.values[i] || (std::isnan(expected.values[i]) && std::isnan(got.values[i]));
    result[i] = same ? 0 : expected.values[i] - got.values[i];
  }
  return result;
}

std::string report(const Kernel& kernel, const Dataset& input, const Dataset& data,
                   const Dataset& reference) {
  std::string text = " ### Input ###\n";
  for (const std::string& name : kernel.inputs) {
    if (name.starts_with("check_")) {
      text += check_line(name, reference.field(name.substr(6)).values);
      continue;
    }
    const bool previous = std::ranges::find(kernel.in_out, name) != kernel.in_out.end();
    text += check_line(name + (previous ? "_prev" : ""), input.field(name).values);
  }
  text += " ### Output ###\n";
  for (const std::string& name : kernel.outputs) text += check_line(name, data.field(name).values);
  text += " ### Validation : point-by-point diff ###\n";
  for (const std::string& name : kernel.outputs)
    text += check_line((kernel.nicam ? "check_" : "") + name, difference(name, reference, data));
  return text;
}

// Fields that only some grids have are left out where they are missing.
void save(const Kernel& kernel, const Dataset& data, const std::string& path) {
  std::vector<std::string> names;
  std::ranges::copy_if(kernel.stored, std::back_inserter(names),
                       [&](const auto& name) { return data.has(name); });
  data.write(path, names);
}

void run(const Kernel& kernel, const Options& options) {
  for (const std::string& path : {options.output, options.save_input})
    if (!path.empty()) expect_new_file(path);
  Dataset data = options.input.empty() ? kernel.make(options) : Dataset::read(options.input);
  const std::string attribute = kernel.attribute.empty() ? kernel.name : kernel.attribute;
  if (!options.input.empty() && data.text("kernel") != attribute)
    throw std::runtime_error(options.input + ": the attribute \"kernel\" is \"" + data.text("kernel") +
                             "\"; expected \"" + attribute + "\"");
  data.set("kernel", attribute);
  if (!options.save_input.empty()) save(kernel, data, options.save_input);
  if (kernel.prepare) kernel.prepare(data, options);
  std::printf(" [KERNEL] %s\n", kernel.name.c_str());
  if (kernel.head) std::fputs(kernel.head(data).c_str(), stdout);
  for (const std::string& name : kernel.fixed)
    std::fputs(check_line(name, data.field(name).values).c_str(), stdout);
  const Dataset input = data;
  Timers timers;
  run_calls(kernel, data, options, timers);
  std::fputs(report(kernel, input, data, reference_of(kernel, input, options)).c_str(), stdout);
  std::fputs(timers.report().c_str(), stdout);
  if (options.output.empty()) return;
  Dataset result;
  for (const std::string& name : kernel.written) {
    const Field& field = data.field(name);
    result.add(name, field.shape, field.type).values = field.values;
  }
  result.set("kernel", attribute);
  result.set("source", options.input.empty() ? "made by " + kernel.name : options.input);
  result.write(options.output, kernel.written);
}

}  // namespace

std::size_t Options::size(const std::string& name) const { return static_cast<std::size_t>(sizes.at(name)); }

int run_kernel(const Kernel& kernel, int argc, char** argv) {
  try {
    if (argc == 2 && std::string(argv[1]) == "--help") {
      std::fputs(usage(kernel).c_str(), stdout);
      return 0;
    }
    run(kernel, parse(kernel, argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", kernel.name.c_str(), error.what());
    std::fflush(nullptr);
    std::_Exit(1);  // after a file that could not be written, HDF5 crashes in what it does at exit
  }
}

}  // namespace igcm
