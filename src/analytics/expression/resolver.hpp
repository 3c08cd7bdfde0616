// From the tree of one expression to nodes of the graph: names, dimensions, calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analytics/expression/ast.hpp"
#include "analytics/expression/builder.hpp"

namespace tailrace::analytics::expression {

struct Rewrite;
struct RewriteCall;

// What surrounds one expression. Places are bytes of its text.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual bool is_name(const std::string& name) const = 0;  // of a field or diagnostic
  virtual bool may_lack_names() const = 0;                  // an unknown name leaves the diagnostic out
  // The value behind a name, or of {name}. None where there is none; it has then been told.
  virtual std::optional<Value> named(const std::string& name, std::size_t at) = 0;
  virtual std::optional<Value> option(const std::string& name, std::size_t at) = 0;
  virtual bool is_dim(const std::string& name) const = 0;                            // of any field
  virtual const std::vector<double>* coordinates(const std::string& dim) const = 0;  // null: none
  virtual const Operators& operators() const = 0;  // besides the built-in ones
  virtual void problem(std::size_t at, const std::string& what) = 0;
  virtual bool
  deeper() = 0;  // one level down, over all expressions that wait for each other; false: too deep
  virtual void higher() = 0;
};

class Resolver {
 public:
  Resolver(const Ast& ast, Builder& builder, Surroundings& surroundings)
      : ast_(ast), builder_(builder), around_(surroundings) {}

  // None where something is wrong; it has then been told.
  std::optional<Value> resolve() { return resolve(ast_.root); }

 private:
  struct Arguments {
    std::vector<Value> arrays;
    std::vector<std::string> dims;
    bool failed = false;
  };

  const Phrase& phrase(int number) const { return ast_.phrases[static_cast<std::size_t>(number)]; }
  std::optional<Value> resolve(int number);
  std::optional<Value> resolve_here(const Phrase& here);
  std::optional<Value> name(const Phrase& here);
  std::optional<Value> binary(const Phrase& here);
  std::optional<Value> elementwise(const Phrase& here, Opcode opcode,
                                   std::vector<std::optional<Value>> values);
  std::optional<Value> call(const Phrase& here);
  std::optional<Value> call_elementwise(const Phrase& here, Opcode opcode);
  std::optional<Value> call_rewrite(const Phrase& here, const Rewrite& rewrite);
  std::optional<Value> call_operator(const Phrase& here, const Operator& op);
  Value write(const Rewrite& rewrite, const RewriteCall& call);
  void complete_dims(RewriteCall& call) const;
  void unknown_function(const Phrase& here);

  // At most `most` arrays; what follows are dims.
  Arguments arguments(const Phrase& here, std::size_t most);
  void dim(const Phrase& word, Arguments& into);
  bool names_coordinate(const Phrase& here, std::size_t child) const;
  bool has_dim(const Arguments& arguments, const std::string& name) const;
  std::string dims_text(const Arguments& arguments) const;
  std::optional<ParameterValue> parameter(const Keyword& keyword);
  std::optional<double> constant(int number);
  void complain(const Phrase& here, const CallProblem& problem);

  const Ast& ast_;
  Builder& builder_;
  Surroundings& around_;
};

// nan, inf and pi, where no field has the name.
std::optional<double> constant_named(const std::string& name);

std::vector<std::string> function_names();  // of all that can be called, sorted

}  // namespace tailrace::analytics::expression
