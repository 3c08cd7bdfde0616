#include "config/monc/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/nearest_name.hpp"
#include "config/monc/equation.hpp"
#include "config/monc/expression.hpp"
#include "config/monc/numbers.hpp"
#include "config/scalars.hpp"

namespace tailrace::config::monc {
namespace {

using Kind = Expression::Kind;
using Strings = std::vector<std::string>;

constexpr std::size_t longest = 20000;
constexpr int deepest = 300;

const Strings reductions{"sum", "mean", "min", "max"};

// The rules by their names, with the attributes they know besides name, result and root.
const std::map<std::string, Strings>& operators() {
  static const std::map<std::string, Strings> all{{"arithmetic", {"equation"}},
                                                  {"localreduce", {"operator", "field"}},
                                                  {"reductionlocation", {"input"}},
                                                  {"field_slicer", {"field", "dimension", "index"}},
                                                  {"field_coarsener", {"field", "dimension", "period"}}};
  return all;
}

const std::map<std::string, Strings>& communications() {
  static const std::map<std::string, Strings> all{{"reduction", {"operator", "field"}},
                                                  {"allreduction", {"operator", "field"}},
                                                  {"broadcast", {"operator", "field"}}};
  return all;
}

Strings split(std::string_view text) {
  Strings parts;
  for (bool more = true; more;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string part(text.substr(0, comma));
    std::erase(part, ' ');
    parts.push_back(std::move(part));
    more = comma < text.size();
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

// Whether an expression can hold it: words of letters, digits and underscores that start with no digit, with
// points between them.
bool is_named_plainly(const std::string& name) {
  bool starts = true;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (starts ? std::isalpha(letter) == 0 && c != '_' : std::isalnum(letter) == 0 && c != '_' && c != '.')
      return false;
    starts = c == '.';
  }
  return !starts;
}

class Compiler {
 public:
  Compiler(const Diagnostic& diagnostic, const Names& names, const Options& options, Problems& problems,
           Warnings& warnings)
      : diagnostic_(diagnostic), names_(names), options_(options), problems_(problems), warnings_(warnings) {}

  std::optional<CompiledRules> compile() {
    const std::string& name = diagnostic_.name.text;
    const bool fine = index_rules();
    const auto last = by_result_.find(name);
    if (last == by_result_.end()) {
      if (fine)
        problem(
            diagnostic_.name.location,
            fmt::format("no rule of this diagnostic has the result \"{}\", so it would never be complete.{}",
                        name, near(name, results())));
      return std::nullopt;
    }
    ExpressionRef value = value_of({name, last->second->tag.location});
    if (value == nullptr || !fine) return std::nullopt;
    warn_of_unused();
    const Location where = place_of(last->second->tag);
    value = whole(value, where);
    if (value->per_process)
      warnings_.add(
          diagnostic_.name.location,
          "without a communication MONC writes the value of whichever process comes first; here the "
          "value must be the same on all");
    return CompiledRules{text_of(*value), where, optional_, {fields_.begin(), fields_.end()}};
  }

 private:
  void problem(const Location& where, const std::string& what) { problems_.add(where, "", what); }

  static std::string near(const std::string& name, const Strings& known) {
    const auto nearest = base::nearest_name(name, known);
    return nearest ? fmt::format(" Did you mean \"{}\"?", *nearest) : "";
  }

  Strings results() const {
    Strings names;
    for (const auto& [name, rule] : by_result_) names.push_back(name);
    return names;
  }

  // Where people look for what a rule computes from.
  static Location place_of(const Tag& tag) {
    for (const char* name : {"equation", "input", "field"})
      if (const Word* value = tag.find(name)) return value->location;
    return tag.location;
  }

  // Checks the rules one by one.
  bool index_rules() {
    bool fine = true;
    for (const Rule& rule : diagnostic_.rules) {
      const Tag& tag = rule.tag;
      const Word* result = tag.find("result");
      if (!check_kind(rule)) {
        fine = false;
      } else if (result == nullptr) {
        problem(tag.location, fmt::format("<{}> needs the attribute \"result\"", tag.name));
        fine = false;
      } else if (const auto [entry, is_new] = by_result_.try_emplace(result->text, &rule); !is_new) {
        problem(result->location,
                fmt::format("the result \"{}\" is given twice in this diagnostic; the first is at {}",
                            result->text, entry->second->tag.location.text()));
        fine = false;
      }
    }
    return fine;
  }

  bool check_kind(const Rule& rule) {
    const Tag& tag = rule.tag;
    const auto& kinds = rule.communication ? communications() : operators();
    const Word* name = tag.find("name");
    if (name == nullptr) {
      problem(tag.location, fmt::format("<{}> needs the attribute \"name\"", tag.name));
      return false;
    }
    const auto kind = kinds.find(name->text);
    if (kind == kinds.end()) {
      Strings known;
      for (const auto& [known_name, attributes] : kinds) known.push_back(known_name);
      problem(name->location, fmt::format("the {} \"{}\" is unknown.{}", tag.name, name->text,
                                          base::name_hint(name->text, known)));
      return false;
    }
    Strings known{"name", "result", "root"};
    known.insert(known.end(), kind->second.begin(), kind->second.end());
    for (const Attribute& attribute : tag.attributes)
      if (std::find(known.begin(), known.end(), attribute.name.text) == known.end())
        warnings_.add(
            attribute.name.location,
            fmt::format("the attribute \"{}\" of {} is unknown and passed over.{}", attribute.name.text,
                        name->text, base::name_hint(attribute.name.text, known)));
    return check_root(rule);
  }

  bool check_root(const Rule& rule) {
    const Word* root = rule.tag.find("root");
    if (root == nullptr) {
      if (rule.communication)
        problem(rule.tag.location, "<communication> needs the attribute \"root\", such as root=\"auto\"");
      return !rule.communication;
    }
    const auto number = parse_integer(root->text);
    if (root->text == "auto" || (number && *number >= 0)) return true;
    problem(root->location,
            fmt::format("expected auto or the number of a server for root, but got \"{}\"", root->text));
    return false;
  }

  void warn_of_unused() {
    for (const auto& [result, rule] : by_result_)
      if (!values_.contains(result))
        warnings_.add(rule->tag.location,
                      fmt::format("the result \"{}\" is not used by its diagnostic and left out", result));
  }

  // Null where something was wrong.
  ExpressionRef value_of(const Word& name) {
    const auto known = values_.find(name.text);
    if (known != values_.end()) {
      if (known->second == nullptr && open_.contains(name.text))
        problem(name.location, fmt::format("\"{}\" is computed from itself", name.text));
      return known->second;
    }
    const auto rule = by_result_.find(name.text);
    if (rule == by_result_.end()) return field_of(name);
    if (open_.size() > static_cast<std::size_t>(deepest)) {
      problem(name.location, fmt::format("a diagnostic cannot go through more than {} rules", deepest));
      return nullptr;
    }
    values_[name.text] = nullptr;
    open_.insert(name.text);
    ExpressionRef value = value_of_rule(*rule->second);
    open_.erase(name.text);
    if (value != nullptr && (value->length > longest || value->depth > deepest)) {
      problem(rule->second->tag.location, "the expression that these rules make becomes too long");
      value = nullptr;
    }
    values_[name.text] = value;
    return value;
  }

  ExpressionRef field_of(const Word& name, const std::string* space = nullptr) {
    bool others = false;
    const Field* field = names_.for_rule(space != nullptr ? *space : diagnostic_.space, name.text, others);
    if (field == nullptr) {
      tell_unknown(name);
      return nullptr;
    }
    if (field->type == "map" || field->data_type == "string" || field->data_type == "boolean") {
      problem(name.location, fmt::format("\"{}\" holds no numbers", name.text));
      return nullptr;
    }
    const std::string full = qualified(field->space, field->name.text);
    if (!is_named_plainly(full)) {
      problem(name.location,
              fmt::format("\"{}\" cannot be used in a computation: its name, with the namespace, "
                          "must be made of words of letters, digits and underscores that start with no digit",
                          full));
      return nullptr;
    }
    if (others)
      warnings_.add(
          name.location,
          fmt::format("\"{}\" is in several data definitions; {} is taken, the first one", name.text, full));
    if (std::find(fields_.begin(), fields_.end(), field) == fields_.end()) fields_.push_back(field);
    optional_ |= field->optional;
    return make_field(*field);
  }

  void tell_unknown(const Word& name) {
    if (names_.diagnostic(diagnostic_.space, name.text) != nullptr) {
      problem(name.location,
              fmt::format("\"{}\" is the result of another diagnostic, which rules cannot use: "
                          "repeat its rules here",
                          name.text));
      return;
    }
    Strings known = names_.field_names();
    for (const std::string& result : results()) known.push_back(result);
    problem(name.location, fmt::format("\"{}\" is neither a field of a data definition nor a result of this "
                                       "diagnostic.{}",
                                       name.text, near(name.text, known)));
  }

  ExpressionRef value_of_rule(const Rule& rule) {
    const std::string& kind = rule.tag.find("name")->text;
    if (rule.communication) return communication(rule.tag, kind);
    if (kind == "arithmetic") return arithmetic(rule.tag);
    if (kind == "localreduce") return local_reduction(rule.tag);
    if (kind == "reductionlocation") return location_of_extreme(rule.tag);
    return kind == "field_slicer" ? slice(rule.tag) : coarsen(rule.tag);
  }

  const Word* required(const Tag& tag, const char* name) {
    const Word* value = tag.find(name);
    if (value == nullptr)
      problem(tag.location, fmt::format("{} needs the attribute \"{}\"", tag.find("name")->text, name));
    return value;
  }

  const Word* reduction_of(const Tag& tag) {
    const Word* name = required(tag, "operator");
    if (name == nullptr || std::find(reductions.begin(), reductions.end(), name->text) != reductions.end())
      return name;
    problem(name->location, fmt::format("the operator \"{}\" is unknown.{}", name->text,
                                        base::name_hint(name->text, reductions)));
    return nullptr;
  }

  ExpressionRef field_value(const Tag& tag) {
    const Word* field = required(tag, "field");
    return field != nullptr ? value_of(*field) : nullptr;
  }

  ExpressionRef arithmetic(const Tag& tag) {
    const Word* text = required(tag, "equation");
    if (text == nullptr) return nullptr;
    const Equation equation = parse_equation(*text, problems_, warnings_);
    if (equation.usual.kind == EquationTree::Kind::name && equation.usual.word.empty()) return nullptr;
    if (equation.differ)
      warnings_.add(
          text->location,
          fmt::format("MONC takes {} as {}; it is {}", text->text, text_of(equation.monc),
                      options_.legacy ? "kept so for `legacy: monc`"
                                      : "taken by the usual rules here, as " + text_of(equation.usual)));
    ExpressionRef value = built(options_.legacy ? equation.monc : equation.usual);
    if (value != nullptr && value->dims.contains("z") && value->dims.contains("zn"))
      warnings_.add(text->location,
                    "combines values along z with values along zn: MONC takes them level by level, while "
                    "here these are "
                    "two dimensions");
    return value;
  }

  ExpressionRef built(const EquationTree& tree) {
    using TreeKind = EquationTree::Kind;
    switch (tree.kind) {
      case TreeKind::name: return value_of(tree.word);
      case TreeKind::number: return number(tree.word);
      case TreeKind::option: return option(tree.word.text);
      case TreeKind::negative: {
        ExpressionRef inner = built(tree.parts[0]);
        return inner == nullptr ? nullptr : make_negative(std::move(inner));
      }
      case TreeKind::binary: break;
    }
    ExpressionRef left = built(tree.parts[0]);
    ExpressionRef right = built(tree.parts[1]);
    if (left == nullptr || right == nullptr) return nullptr;
    if (left->length + right->length > longest) {
      problem(tree.word.location, "the expression that these rules make becomes too long");
      return nullptr;
    }
    return make_binary(tree.word.text, std::move(left), std::move(right));
  }

  ExpressionRef number(const Word& word) {
    const double in_monc = real_as_monc_reads(word.text);
    if (monc_misreads(word.text))
      warnings_.add(
          word.location,
          fmt::format("MONC reads the number {} as {}, since it has no decimal point; {}", word.text,
                      static_cast<float>(in_monc),
                      options_.legacy ? "so does `legacy: monc`" : "it is taken as it stands here"));
    return make_number(options_.legacy ? exact_text(in_monc) : word.text);
  }

  ExpressionRef option(const std::string& name) const {
    if (options_.values != nullptr)
      if (const auto known = options_.values->find(name); known != options_.values->end())
        return make_number(known->second.starts_with('-') ? fmt::format("({})", known->second)
                                                          : known->second);
    return make_number(fmt::format("{{{}}}", name));
  }

  ExpressionRef local_reduction(const Tag& tag) {
    const Word* name = reduction_of(tag);
    ExpressionRef inner = field_value(tag);
    if (name == nullptr || inner == nullptr) return nullptr;
    if (inner->local_scalar) return inner;  // one number: all four leave it as it is
    if (!inner->per_process && !inner->distributed)
      return make_call(name->text, {std::move(inner)}, "", true);
    return make_local_reduction(name->text, std::move(inner));
  }

  ExpressionRef location_of_extreme(const Tag& tag) {
    const Word* input = required(tag, "input");
    if (input == nullptr) return nullptr;
    const Strings names = split(input->text);
    if (names.size() != 3) {
      problem(input->location, "expected three names for input: location_local,value_global,value_local");
      return nullptr;
    }
    std::vector<ExpressionRef> values;
    for (const std::string& name : names) values.push_back(value_of({name, input->location}));
    if (std::find(values.begin(), values.end(), nullptr) != values.end()) return nullptr;
    if (std::any_of(values.begin(), values.end(), [](const auto& value) { return value->local_scalar; })) {
      problem(input->location,
              "the place of an extreme cannot be told from the result of a localreduce: the model must "
              "give the value and its place as fields");
      return nullptr;
    }
    ExpressionRef equal = make_binary(" == ", values[2], values[1]);
    return make_call("where", {std::move(equal), values[0], make_number("-1")});
  }

  // Slices and coarsening take fields without a namespace.
  ExpressionRef plain_field(const Tag& tag) {
    const Word* name = required(tag, "field");
    if (name == nullptr) return nullptr;
    if (by_result_.contains(name->text) || names_.field("", name->text) == nullptr)
      warnings_.add(name->location, "MONC takes only fields without a namespace here");
    return value_of(*name);
  }

  ExpressionRef slice(const Tag& tag) {
    const Word* dimension = required(tag, "dimension");
    const Word* index = required(tag, "index");
    ExpressionRef field = plain_field(tag);
    if (dimension == nullptr || index == nullptr || field == nullptr) return nullptr;
    const auto number = parse_integer(index->text);
    if (!is_option(index->text) && (!number || *number < 1)) {
      problem(index->location, fmt::format("expected an index from 1, but got \"{}\"", index->text));
      return nullptr;
    }
    if (!is_dimension(dimension->text, *dimension)) return nullptr;
    const std::string from_0 = number ? fmt::format("{}", *number - 1) : index->text + " - 1";
    return make_call("slice", {std::move(field)}, fmt::format(", {}={}", dimension->text, from_0));
  }

  ExpressionRef coarsen(const Tag& tag) {
    const Word* dimension = required(tag, "dimension");
    const Word* period = required(tag, "period");
    ExpressionRef field = plain_field(tag);
    if (dimension == nullptr || period == nullptr || field == nullptr) return nullptr;
    const Strings dims = split(dimension->text);
    const Strings periods = split(period->text);
    if (dims.size() != periods.size()) {
      problem(period->location,
              fmt::format("expected a period for each of the dimensions {}", dimension->text));
      return nullptr;
    }
    std::string tail;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const auto number = parse_integer(periods[i]);
      if (!is_option(periods[i]) && (!number || *number < 1)) {
        problem(period->location, fmt::format("expected a period of at least 1, but got \"{}\"", periods[i]));
        return nullptr;
      }
      if (!is_dimension(dims[i], *dimension)) return nullptr;
      tail += fmt::format(", {}={}", dims[i], periods[i]);
    }
    return make_call("coarsen", {std::move(field)}, tail + ", method=\"sample\"");
  }

  bool is_dimension(const std::string& name, const Word& place) {
    static const Strings known{"x", "y", "z", "zn"};
    if (std::find(known.begin(), known.end(), name) != known.end()) return true;
    problem(place.location,
            fmt::format("the dimension \"{}\" is unknown.{}", name, base::name_hint(name, known)));
    return false;
  }

  ExpressionRef communication(const Tag& tag, const std::string& kind) {
    if (kind == "broadcast") return broadcast(tag);
    const Word* name = reduction_of(tag);
    ExpressionRef local = field_value(tag);
    if (name == nullptr || local == nullptr) return nullptr;
    return over_processes(name->text, local, *tag.find("field"));
  }

  ExpressionRef broadcast(const Tag& tag) {
    ExpressionRef value = field_value(tag);
    if (value == nullptr) return nullptr;
    if (!value->per_process && !value->distributed) return value;  // all have it already
    if (value->local_scalar || value->distributed) {
      problem(tag.find("field")->location, "a broadcast of what each process has a part of means nothing");
      return nullptr;
    }
    return make_call("slice", {std::move(value)}, ", rank=0", true);
  }

  ExpressionRef over_processes(const std::string& function, const ExpressionRef& local, const Word& place) {
    if (local->local_scalar) {
      if (function == "mean") warn_of_mean(place.location);
      ExpressionRef value = over_all(function, local);
      if (value == nullptr)
        problem(
            place.location,
            fmt::format(
                "the {} over processes of {} depends on how the domain is cut; expected the same reduction "
                "over a process and over all of them",
                function, text_of(*local)));
      return value;
    }
    if (local->distributed) {
      problem(
          place.location,
          fmt::format("each process has another part of {}: a localreduce must come first", text_of(*local)));
      return nullptr;
    }
    if (local->per_process) return make_call(function, {local}, local->only_scalars ? "" : ", rank", true);
    if (function != "sum") return local;
    problem(place.location,
            fmt::format("{} is the same everywhere; a sum over processes would count it several times",
                        text_of(*local)));
    return nullptr;
  }

  void warn_of_mean(const Location& where) {
    warnings_.add(where,
                  options_.legacy
                      ? "MONC takes the mean over processes; this is the mean over all cells, the same where "
                        "all processes have parts of equal size"
                      : "MONC takes the mean over processes, whatever their sizes; this is the mean over all "
                        "cells");
  }

  // A reduction over processes of what a localreduce gave: linear in sums and means, and equal ones of
  // extremes. Null where the whole domain does not tell it.
  ExpressionRef over_all(const std::string& function, const ExpressionRef& local) {
    if (local->kind == Kind::local_reduction) return of_reduction(function, *local);
    if (function == "min" || function == "max") return nullptr;
    if (local->kind == Kind::negative) {
      ExpressionRef inner = over_all(function, local->args[0]);
      return inner == nullptr ? nullptr : make_negative(std::move(inner));
    }
    if (local->kind != Kind::binary) return nullptr;
    const auto& left = local->args[0];
    const auto& right = local->args[1];
    if (local->text == "+" || local->text == "-") {
      if (!left->local_scalar || !right->local_scalar) return nullptr;
    } else if (left->local_scalar && right->local_scalar) {
      return nullptr;
    } else if (local->text == "/" && right->local_scalar) {
      return nullptr;
    }
    ExpressionRef new_left = left->local_scalar ? over_all(function, left) : constant(left);
    ExpressionRef new_right = right->local_scalar ? over_all(function, right) : constant(right);
    if (new_left == nullptr || new_right == nullptr) return nullptr;
    return make_binary(local->text, std::move(new_left), std::move(new_right));
  }

  static ExpressionRef constant(const ExpressionRef& value) {
    return value->per_process || value->distributed ? nullptr : value;
  }

  static ExpressionRef of_reduction(const std::string& function, const Expression& local) {
    const ExpressionRef& inner = local.args[0];
    if (local.text == function) return make_call(function, {inner}, "", true);
    if (inner->distributed || !inner->sizes_known) return nullptr;
    // Each process has a whole of its own, so both steps can be told.
    ExpressionRef own = inner;
    if (!inner->dims.empty())
      own = make_call(local.text, {inner}, fmt::format(", {}", fmt::join(inner->dims, ", ")));
    return make_call(function, {std::move(own)}, inner->dims.empty() ? "" : ", rank", true);
  }

  // Without a communication, MONC has the part of one process only.
  ExpressionRef whole(const ExpressionRef& value, const Location& where) {
    if (!value->local_scalar) return value;
    warnings_.add(where,
                  "without a communication MONC writes the value of one process; this is the value of the "
                  "whole domain");
    return without_local(value);
  }

  static ExpressionRef without_local(const ExpressionRef& value) {
    if (!value->local_scalar) return value;
    if (value->kind == Kind::local_reduction) return make_call(value->text, {value->args[0]}, "", true);
    std::vector<ExpressionRef> args;
    for (const ExpressionRef& arg : value->args) args.push_back(without_local(arg));
    if (value->kind == Kind::binary) return make_binary(value->text, args[0], args[1]);
    if (value->kind == Kind::negative) return make_negative(args[0]);
    return make_call(value->text, std::move(args), value->tail);
  }

  const Diagnostic& diagnostic_;
  const Names& names_;
  const Options& options_;
  Problems& problems_;
  Warnings& warnings_;
  std::map<std::string, const Rule*> by_result_;
  std::map<std::string, ExpressionRef> values_;
  std::set<std::string> open_;
  std::vector<const Field*> fields_;
  bool optional_ = false;
};

}  // namespace

std::optional<CompiledRules> compile_rules(const Diagnostic& diagnostic, const Names& names,
                                           const Options& options, Problems& problems, Warnings& warnings) {
  return Compiler(diagnostic, names, options, problems, warnings).compile();
}

}  // namespace tailrace::config::monc
