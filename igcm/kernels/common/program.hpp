// The main program of a kernel: reads or makes the input, calls the kernel, reports, compares, writes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dataset.hpp"
#include "report.hpp"

namespace igcm {

enum class Language { fortran, cpp };

struct Options {
  std::string input, output, reference, save_input;
  Language language = Language::fortran;
  int calls = 1;
  std::map<std::string, int> sizes;      // of the made input, by the names of Kernel::sizes
  std::map<std::string, bool> switches;  // by the names of Kernel::switches
  std::map<std::string, std::string> choices;

  [[nodiscard]] std::size_t size(const std::string& name) const;
};

struct Choice {
  std::string name;
  std::vector<std::string> values;  // the first is the default
};

struct Kernel {
  std::string name;                       // of the program
  std::string attribute = {};             // `kernel` of exchange files, if it is not the name
  std::vector<std::string> fixed = {};    // fields that are checked before the calls: metrics
  std::vector<std::string> inputs;        // fields that are checked under Input; check_NAME: of the reference
  std::vector<std::string> in_out = {};   // fields that get their values before each call again
  std::vector<std::string> outputs;       // fields of the report: Output and Validation
  std::vector<std::string> written;       // fields of the output file
  std::vector<std::string> stored;        // fields of the input file, for --save-input
  std::map<std::string, int> sizes = {};  // options --NAME N, with defaults
  std::vector<std::string> switches = {};       // options without a value
  std::vector<Choice> choices = {};             // options --NAME VALUE
  bool nicam = false;                           // the reference is called check_NAME in the validation
  std::function<Dataset(const Options&)> make;  // the input, when there is no --input
  std::function<void(Dataset&, const Options&)> prepare =
      nullptr;  // derived fields; checks of attributes, before anything else uses them; after reading too
  std::function<std::string(const Dataset&)> head = nullptr;  // the first lines of the report
  std::function<void(Dataset&, const Options&, Timers&)> call;
};

// Returns the exit status. Errors go to stderr, with the option or the file that is wrong.
int run_kernel(const Kernel& kernel, int argc, char** argv);

}  // namespace igcm
