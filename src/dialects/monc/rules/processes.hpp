// Turns computations that MONC does process by process, and then over the processes, into one computation
// over the whole domain.
#pragma once

#include <string>

#include "dialects/monc/rules/expression.hpp"
#include "dialects/monc/vocabulary.hpp"

namespace tailrace::dialects::monc {

class Processes {
 public:
  // Mistakes become problems, and a result of null.
  Processes(const Options& options, Problems& problems, Warnings& warnings)
      : options_(options), problems_(problems), warnings_(warnings) {}

  // reduction and allreduction: sum, mean, min or max of what each process has. `place` is where `local` is
  // named.
  ExpressionRef reduce(const std::string& function, const ExpressionRef& local, const Word& place);
  ExpressionRef broadcast(ExpressionRef value, const Word& place);

  // The value of a diagnostic that ends without a communication: of the whole domain where MONC has the part
  // of one process only. `where` is that of its last rule.
  ExpressionRef whole(const ExpressionRef& value, const Location& where);

 private:
  void warn_of_mean(const Location& where);

  const Options& options_;
  Problems& problems_;
  Warnings& warnings_;
};

}  // namespace tailrace::dialects::monc
