#include "dialects/monc/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/nearest_name.hpp"
#include "config/scalars.hpp"
#include "dialects/monc/numbers.hpp"
#include "dialects/monc/rules/equation.hpp"
#include "dialects/monc/rules/expression.hpp"
#include "dialects/monc/rules/processes.hpp"
#include "dialects/monc/rules/rule_list.hpp"

namespace tailrace::dialects::monc {
namespace {

using Strings = std::vector<std::string>;

constexpr std::size_t longest = 20000;
constexpr int deepest = 300;

const Strings reductions{"sum", "mean", "min", "max"};

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
      : diagnostic_(diagnostic),
        names_(names),
        options_(options),
        problems_(problems),
        warnings_(warnings),
        rules_(diagnostic, problems, warnings),
        processes_(options, problems, warnings) {}

  std::optional<CompiledRules> compile() {
    const std::string& name = diagnostic_.name.text;
    const Rule* last = rules_.find(name);
    if (last == nullptr) {
      if (rules_.fine())
        problem(
            diagnostic_.name.location,
            fmt::format("no rule of this diagnostic has the result \"{}\", so it would never be complete.{}",
                        name, near(name, rules_.results())));
      return std::nullopt;
    }
    ExpressionRef value = value_of({name, last->tag.location});
    if (value == nullptr || !rules_.fine()) return std::nullopt;
    warn_of_unused();
    const Location where = place_of(last->tag);
    value = processes_.whole(value, where);
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

  // The place at which users look for the arguments of a rule.
  static Location place_of(const Tag& tag) {
    for (const char* name : {"equation", "input", "field"})
      if (const Word* value = tag.find(name)) return value->location;
    return tag.location;
  }

  void warn_of_unused() {
    for (const auto& [result, rule] : rules_.by_result())
      if (!values_.contains(result))
        warnings_.add(rule->tag.location,
                      fmt::format("the result \"{}\" is not used by its diagnostic and is left out", result));
  }

  // Null where something was wrong.
  ExpressionRef value_of(const Word& name) {
    const auto known = values_.find(name.text);
    if (known != values_.end()) {
      if (known->second == nullptr && open_.contains(name.text))
        problem(name.location, fmt::format("\"{}\" depends on itself", name.text));
      return known->second;
    }
    const Rule* rule = rules_.find(name.text);
    if (rule == nullptr) return field_of(name);
    if (open_.size() > static_cast<std::size_t>(deepest)) {
      problem(name.location, fmt::format("a diagnostic cannot have more than {} rules", deepest));
      return nullptr;
    }
    values_[name.text] = nullptr;
    open_.insert(name.text);
    ExpressionRef value = value_of_rule(*rule);
    open_.erase(name.text);
    if (value != nullptr && (value->length > longest || value->depth > deepest)) {
      problem(rule->tag.location, "the expression made from these rules is too long");
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
      problem(
          name.location,
          fmt::format("\"{}\" cannot be used in a computation: its name, with the namespace, must consist of "
                      "words of letters, digits and underscores that do not begin with a digit",
                      full));
      return nullptr;
    }
    if (others)
      warnings_.add(
          name.location,
          fmt::format("\"{}\" is in several data definitions; the first one, {}, is used", name.text, full));
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
    for (const std::string& result : rules_.results()) known.push_back(result);
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
          fmt::format("MONC reads {} as {}; it is {}", text->text, text_of(equation.monc),
                      options_.legacy ? "kept for `legacy: monc`"
                                      : "read by the usual rules here, as " + text_of(equation.usual)));
    ExpressionRef value = built(options_.legacy ? equation.monc : equation.usual);
    if (value != nullptr && value->dims.contains("z") && value->dims.contains("zn"))
      warnings_.add(text->location,
                    "combines values along z with values along zn: MONC combines them level by level, but "
                    "here these are two dimensions");
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
      problem(tree.word.location, "the expression made from these rules is too long");
      return nullptr;
    }
    return make_binary(tree.word.text, std::move(left), std::move(right));
  }

  ExpressionRef number(const Word& word) {
    const double in_monc = real_as_monc_reads(word.text);
    if (monc_misreads(word.text))
      warnings_.add(word.location,
                    fmt::format("MONC reads the number {} as {}, since it has no decimal point; {}",
                                word.text, static_cast<float>(in_monc),
                                options_.legacy ? "so does `legacy: monc`" : "here it is read as written"));
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
              "the location of an extreme cannot be derived from the result of a localreduce: the model must "
              "send the value and its location as fields");
      return nullptr;
    }
    ExpressionRef equal = make_binary(" == ", values[2], values[1]);
    return make_call("where", {std::move(equal), values[0], make_number("-1")});
  }

  // Slices and coarsening take fields without a namespace.
  ExpressionRef plain_field(const Tag& tag) {
    const Word* name = required(tag, "field");
    if (name == nullptr) return nullptr;
    if (rules_.find(name->text) != nullptr || names_.field("", name->text) == nullptr)
      warnings_.add(name->location, "MONC accepts only fields without a namespace here");
    return value_of(*name);
  }

  ExpressionRef slice(const Tag& tag) {
    const Word* dimension = required(tag, "dimension");
    const Word* index = required(tag, "index");
    ExpressionRef field = plain_field(tag);
    if (dimension == nullptr || index == nullptr || field == nullptr) return nullptr;
    const auto number = config::parse_integer(index->text);
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
      const auto number = config::parse_integer(periods[i]);
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
    const Word* name = kind == "broadcast" ? nullptr : reduction_of(tag);
    ExpressionRef local = field_value(tag);
    if (local == nullptr) return nullptr;
    if (kind == "broadcast") return processes_.broadcast(std::move(local), *tag.find("field"));
    return name == nullptr ? nullptr : processes_.reduce(name->text, local, *tag.find("field"));
  }

  const Diagnostic& diagnostic_;
  const Names& names_;
  const Options& options_;
  Problems& problems_;
  Warnings& warnings_;
  RuleList rules_;
  Processes processes_;
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

}  // namespace tailrace::dialects::monc
