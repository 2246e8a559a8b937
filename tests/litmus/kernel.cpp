// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a litmus test to a kernel. Every lane of the warps takes part in a different instance of the
// test, so that a warp's accesses are like those of real programs: 32 lanes side by side. The
// threads of an instance synchronize, run the test on fresh variables, keep the values that they
// read, and synchronize again.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "litmus.h"

namespace heddle::litmus {
namespace {

constexpr u32 kLanes = 32;
constexpr u32 kSharedBytes = 32 * 1024;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, word) != list.end();
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::istringstream in(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// r0, d1, q2: 32, 64 and 128 bits.
bool is_register(std::string_view name) {
  return name.size() > 1 && is_one_of(name.substr(0, 1), {"r", "d", "q"}) &&
         std::ranges::all_of(name.substr(1), [](unsigned char c) { return std::isdigit(c); });
}

/// Calls visit(name) for each word of the operands; visit may change it.
template <class Visit>
std::string map_names(const std::string& text, Visit visit) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_name(text[end])) ++end;
    if (end == i) {
      result += text[i++];
    } else {
      result += visit(text.substr(i, end - i));
      i = end;
    }
  }
  return result;
}

/// The instructions of each thread, with `$W` replaced.
using Threads = std::vector<std::vector<std::string>>;

class Writer {
 public:
  Writer(const Test& test, const Threads& threads, const Variant& variant, u32 rounds)
      : test_(test), threads_(threads), variant_(variant) {
    for (const auto& thread : threads_) {
      for (const std::string& line : thread) note_names(line);
    }
    for (const auto& [name, count] : test_.barriers) note_variable(name);
    for (const auto* list : {&test_.forbidden, &test_.weak, &test_.only}) {
      for (const Outcome& outcome : *list) {
        for (const Condition& one : outcome) note_result(one.name);
      }
    }
    per_round_ = variant_.place == "warp" ? kLanes / count() : kLanes;
    rounds_ = rounds;
    const u32 variables = static_cast<u32>(variables_.size());
    if (shared()) rounds_ = std::min(rounds_, kSharedBytes / (per_round_ * variables * test_.slot));
    stride_ = u64{rounds_} * per_round_ * test_.slot;
  }

  Kernel kernel() {
    Kernel kernel;
    kernel.variant = variant_;
    const bool split = variant_.place == "split", grid = variant_.place == "grid";
    const bool cluster = variant_.place == "cluster";
    kernel.grid = cluster || grid ? count() : split ? count() - 1 : 1;
    kernel.cluster = cluster ? count() : 1;
    kernel.block = variant_.place == "cta" ? kLanes * count() : split ? 2 * kLanes : kLanes;
    kernel.instances = u64{rounds_} * per_round_;
    kernel.memory_bytes = stride_ * variables_.size();
    kernel.names = results_;
    write();
    kernel.text = fmt::format(
        ".version 9.1\n.target sm_90\n.address_size 64\n"
        ".visible .entry litmus(.param .u64 out, .param .u64 memory, .param .u64 meeting)\n{{\n"
        "{}{}exit;\n}}\n",
        declarations_, body_);
    return kernel;
  }

 private:
  u32 count() const { return static_cast<u32>(threads_.size()); }
  bool shared() const { return variant_.space.find("shared") != std::string::npos; }
  /// The state space in instructions; generic addressing names none.
  std::string space() const {
    return variant_.space.starts_with("generic") ? "" : "." + variant_.space;
  }

  void note_variable(const std::string& name) {
    if (std::ranges::find(variables_, name) == variables_.end()) variables_.push_back(name);
  }
  void note_result(const std::string& name) {
    if (std::ranges::find(results_, name) == results_.end()) results_.push_back(name);
  }
  void note_names(const std::string& line) {
    for (std::size_t at = 0; (at = line.find('[', at)) != std::string::npos; ++at) {
      note_variable(line.substr(at + 1, line.find_first_of("]+", at) - at - 1));
    }
    map_names(line, [&](const std::string& name) {
      if (is_register(name) && name[0] != 'q') note_result(name);
      if (is_register(name) && name[0] == 'q') note_result(name + ".lo"), note_result(name + ".hi");
      return name;
    });
  }

  void line(const std::string& text) { body_ += "  " + text + ";\n"; }
  void label(const std::string& name) { body_ += name + ":\n"; }
  std::string fresh(std::string_view stem) { return fmt::format("{}{}", stem, labels_++); }

  /// "[%at+128]" of "x", for this instance.
  std::string address(const std::string& name, const std::string& more = "") const {
    const auto index = std::ranges::find(variables_, name) - variables_.begin();
    return fmt::format("%at+{}{}", stride_ * static_cast<u64>(index), more);
  }

  void write() {
    declarations_ =
        "  .reg .b32 %lane, %warp, %cta, %thread, %instance, %round, %n, %t, %u, %goal, %role;\n"
        "  .reg .b64 %out, %mem, %meet, %at, %result, %w, %v;\n"
        "  .reg .pred %p, %leads;\n";
    if (shared())
      declarations_ +=
          fmt::format("  .shared .align 16 .b8 variables[{}];\n", stride_ * variables_.size());
    line("ld.param.u64 %out, [out]");
    line("ld.param.u64 %meet, [meeting]");
    line("mov.u32 %thread, %tid.x");
    line("and.b32 %lane, %thread, 31");
    line("shr.u32 %warp, %thread, 5");
    line("mov.u32 %cta, %ctaid.x");
    line("setp.eq.u32 %leads, %lane, 0");
    line("mov.u32 %goal, 0");
    find_memory();
    find_role();
    if (!test_.barriers.empty()) {
      begin_rounds("INIT");
      for (const auto& [name, arrivals] : test_.barriers) {
        line("setp.eq.u32 %p, %role, 0");
        line(fmt::format("@%p mbarrier.init{}.b64 [{}], {}", space(), address(name), arrivals));
      }
      end_rounds("INIT");
    }
    begin_rounds("NEXT");
    // Synchronize every few rounds; in between the threads run freely, on fresh variables each
    // time.
    line("and.b32 %t, %round, 7");
    line("setp.ne.u32 %p, %t, 0");
    line("@%p bra RUN");
    meet();
    label("RUN");
    for (u32 i = 0; i < count(); ++i) {
      line(fmt::format("setp.eq.u32 %p, %role, {}", i));
      line(fmt::format("@%p bra THREAD{}", i));
    }
    line("bra DONE");
    for (u32 i = 0; i < count(); ++i) thread(i);
    label("DONE");
    end_rounds("NEXT");
    meet();
    finals();
    // A CTA must not end while others read its shared memory.
    if (variant_.place == "cluster") meet();
  }

  /// Computes, for all rounds, the addresses of the instance's variables and results.
  void begin_rounds(const std::string& name) {
    line("mov.u32 %round, 0");
    label(name);
    line(fmt::format("mad.lo.u32 %n, %round, {}, %instance", per_round_));
    line(fmt::format("mad.wide.u32 %at, %n, {}, %mem", test_.slot));
    line("mad.wide.u32 %result, %n, 8, %out");
  }
  void end_rounds(const std::string& name) {
    line("add.u32 %round, %round, 1");
    line(fmt::format("setp.lt.u32 %p, %round, {}", rounds_));
    line(fmt::format("@%p bra {}", name));
  }

  void find_memory() {
    if (!shared()) {
      line("ld.param.u64 %mem, [memory]");
      return;
    }
    line("mov.u32 %t, %thread");
    line("mov.u32 %u, %ntid.x");
    label("CLEAR");
    line("mul.wide.u32 %w, %t, 4");
    line("mov.u64 %mem, variables");
    line("add.u64 %w, %w, %mem");
    line("st.shared.u32 [%w], 0");
    line("add.u32 %t, %t, %u");
    line(fmt::format("setp.lt.u32 %p, %t, {}", stride_ * variables_.size() / 4));
    line("@%p bra CLEAR");
    line("bar.sync 0");
    if (variant_.space == "generic-shared") line("cvta.shared.u64 %mem, %mem");
    if (variant_.space == "shared::cluster") line("mapa.shared::cluster.u64 %mem, %mem, 0");
  }

  /// Computes which thread of which instance this thread is.
  void find_role() {
    line("mov.u32 %instance, %lane");
    if (variant_.place == "warp") {
      line(fmt::format("rem.u32 %role, %lane, {}", count()));
      line(fmt::format("div.u32 %instance, %lane, {}", count()));
      line(fmt::format("setp.ge.u32 %p, %instance, {}", per_round_));
      line("@%p mov.u32 %role, 99");
    } else if (variant_.place == "cta") {
      line("mov.u32 %role, %warp");
    } else if (variant_.place == "split") {
      // Two warps of the first CTA, and one warp of each other CTA.
      line("setp.eq.u32 %p, %cta, 0");
      line("add.u32 %role, %cta, 1");
      line("@%p mov.u32 %role, %warp");
      line("setp.ne.and.u32 %p, %warp, 0, !%p");
      line("@%p exit");
    } else {
      line("mov.u32 %role, %cta");
    }
  }

  void meet() {
    if (variant_.place == "warp") {
      line("bar.warp.sync 0xffffffff");
    } else if (variant_.place == "cta") {
      line("bar.sync 0");
    } else if (variant_.place == "cluster") {
      line("barrier.cluster.arrive");
      line("barrier.cluster.wait");
    } else {
      const std::string again = fresh("MEET");
      line("bar.warp.sync 0xffffffff");  // the first lane arrives for all
      line(fmt::format("add.u32 %goal, %goal, {}", count()));
      line("@%leads red.release.gpu.global.add.u32 [%meet], 1");
      const std::string met = fresh("MET");
      line("mov.u32 %u, 0");
      label(again);
      line("ld.acquire.gpu.global.u32 %t, [%meet]");
      line("setp.ge.u32 %p, %t, %goal");
      line(fmt::format("@%p bra {}", met));
      // Other threads may need this host thread's processor.
      line("add.u32 %u, %u, 1");
      line("setp.gt.u32 %p, %u, 300");
      line("@%p nanosleep.u32 1");
      line("bra " + again);
      label(met);
    }
  }

  void thread(u32 index) {
    label(fmt::format("THREAD{}", index));
    std::set<std::string> registers;
    for (const std::string& text : threads_[index]) {
      map_names(text, [&](const std::string& name) {
        if (is_register(name)) registers.insert(name);
        return name;
      });
    }
    for (const std::string& name : registers) {
      declarations_ += fmt::format("  .reg .b{} %{};\n",
                                   name[0] == 'r'   ? 32
                                   : name[0] == 'd' ? 64
                                                    : 128,
                                   name);
      if (name[0] == 'q') {
        line("mov.u64 %w, 0");
        line(fmt::format("mov.b128 %{}, {{%w, %w}}", name));
      } else {
        line(fmt::format("mov.b{} %{}, 0", name[0] == 'r' ? 32 : 64, name));
      }
    }
    for (const std::string& text : threads_[index]) statement(text);
    for (const std::string& name : registers) {
      if (name[0] == 'r') {
        line(fmt::format("cvt.u64.u32 %w, %{}", name));
        keep(name, "%w");
      } else if (name[0] == 'd') {
        keep(name, "%" + name);
      } else {
        line(fmt::format("mov.b128 {{%w, %v}}, %{}", name));
        keep(name + ".lo", "%w");
        keep(name + ".hi", "%v");
      }
    }
    line("bra DONE");
  }

  void keep(const std::string& name, const std::string& value) {
    const auto index = std::ranges::find(results_, name) - results_.begin();
    line(fmt::format("st.global.u64 [%result+{}], {}",
                     u64{rounds_} * per_round_ * 8 * static_cast<u64>(index), value));
  }

  /// `?r0=1 INSTRUCTION` and `await INSTRUCTION [= VALUE]`, or an instruction.
  void statement(std::string text) {
    if (text[0] == '?') {
      const std::size_t sign = text.find('='), end = text.find(' ');
      line(fmt::format("setp.eq.u32 %p, %{}, {}", text.substr(1, sign - 1),
                       text.substr(sign + 1, end - sign - 1)));
      line("@%p " + instruction(text.substr(end + 1)));
    } else if (text.starts_with("await ")) {
      text = text.substr(6);
      const std::string again = fresh("AWAIT");
      const std::size_t equals = text.find(" = ");
      label(again);
      if (equals == std::string::npos) {  // the instruction has a predicate of its own
        line(instruction(text.insert(text.find(' '), " %p,")));
        line(fmt::format("@!%p bra {}", again));
      } else {
        const std::string reg =
            text.substr(text.find(' ') + 1, text.find(',') - text.find(' ') - 1);
        line(instruction(text.substr(0, equals)));
        line(fmt::format("setp.ne.u32 %p, %{}, {}", reg, text.substr(equals + 3)));
        line(fmt::format("@%p bra {}", again));
      }
    } else {
      line(instruction(text));
    }
  }

  std::string instruction(const std::string& text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    return mnemonic(split(text.substr(0, end), '.')) + operands(text.substr(end));
  }

  /// Adds missing scope, space and type.
  std::string mnemonic(const std::vector<std::string>& words) const {
    const std::string& opcode = words[0];
    std::string orders, scope, space, type, rest;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      const bool is_space = is_one_of(word, {"global", "shared"});
      const bool is_scope = is_one_of(word, {"cta", "cluster", "gpu", "sys"});
      const bool is_order = is_one_of(
          word, {"weak", "volatile", "mmio", "relaxed", "acquire", "release", "acq_rel", "sc"});
      const bool is_type = word.size() > 1 && is_one_of(word.substr(0, 1), {"b", "u", "s", "f"}) &&
                           std::isdigit(static_cast<unsigned char>(word[1]));
      (is_space   ? space
       : is_scope ? scope
       : is_order ? orders
       : is_type  ? type
                  : rest) += "." + word;
    }
    if (opcode == "fence" || opcode == "membar") {
      return opcode + orders + (scope.empty() && rest.empty() ? "." + variant_.scope : scope) +
             rest;
    }
    const bool mbarrier = opcode == "mbarrier";
    if (!mbarrier && !is_one_of(opcode, {"ld", "st", "atom", "red"})) {
      std::string result = opcode;
      for (std::size_t i = 1; i < words.size(); ++i) result += "." + words[i];
      return result;
    }
    const bool strong = opcode == "atom" || opcode == "red" ||
                        orders.find("rel") != std::string::npos ||
                        orders.find("acq") != std::string::npos;
    if (orders == ".mmio") orders += ".relaxed", scope = ".sys";
    if (strong && scope.empty()) scope = "." + variant_.scope;
    if (space.empty()) space = this->space();
    const bool bits =
        rest.find("exch") != std::string::npos || rest.find("cas") != std::string::npos;
    if (type.empty()) type = mbarrier ? ".b64" : bits ? ".b32" : ".u32";
    return mbarrier ? opcode + rest + orders + scope + space + type
                    : opcode + orders + scope + space + rest + type;
  }

  /// Variables become addresses, registers get their %, `1:2` becomes a register of 128 bits.
  std::string operands(const std::string& text) {
    std::string result;
    bool in_address = false;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && is_name(text[end])) ++end;
      if (end == i) {
        in_address = text[i] == '[' || (in_address && text[i] != ']');
        result += text[i++];
        continue;
      }
      const std::string word = text.substr(i, end - i);
      const std::size_t colon = end;
      i = end;
      if (colon < text.size() && text[colon] == ':') {
        const std::size_t last = text.find_first_not_of("0123456789", colon + 1);
        line("mov.u64 %w, " + word);
        line("mov.u64 %v, " + text.substr(colon + 1, last - colon - 1));
        const std::string wide = fresh("%wide");
        declarations_ += fmt::format("  .reg .b128 {};\n", wide);
        line(fmt::format("mov.b128 {}, {{%w, %v}}", wide));
        result += wide;
        i = std::min(last, text.size());
      } else if (in_address && !std::isdigit(static_cast<unsigned char>(word[0]))) {
        result += address(word);
      } else {
        result += is_register(word) ? "%" + word : word;
      }
    }
    return result;
  }

  /// Reads the final contents of memory, in the first thread of each instance.
  void finals() {
    line("setp.ne.u32 %p, %role, 0");
    line("@%p bra END");
    begin_rounds("READ");
    for (const std::string& name : results_) {
      if (is_register(name.substr(0, name.find('.')))) continue;
      const std::size_t plus = std::min(name.find('+'), name.size());
      line(fmt::format("ld{}.u32 %t, [{}]", space(),
                       address(name.substr(0, plus), name.substr(plus))));
      line("cvt.u64.u32 %w, %t");
      keep(name, "%w");
    }
    end_rounds("READ");
    label("END");
  }

  const Test& test_;
  const Threads& threads_;
  const Variant variant_;
  u32 per_round_ = 0, rounds_ = 0;
  u64 stride_ = 0;  ///< from one variable to the next, in bytes
  std::vector<std::string> variables_, results_;
  std::string declarations_, body_;
  u32 labels_ = 0;
};

/// The places that the test names, or all places that make sense for it.
std::vector<std::string> places_of(const Test& test) {
  if (!test.places.empty()) return test.places;
  std::vector<std::string> places = {"warp", "cta", "cluster", "grid"};
  if (test.threads.size() > 2) places.push_back("split");
  return places;
}

std::vector<std::string> spaces_of(const Test& test, const std::string& place) {
  std::vector<std::string> spaces = {"global", "generic"};
  if (place == "warp" || place == "cta") {
    spaces.insert(spaces.end(), {"shared", "generic-shared"});
  } else if (place == "cluster") {
    spaces.push_back("shared::cluster");
  }
  if (!test.spaces.empty()) {
    std::erase_if(spaces, [&](const std::string& space) {
      return std::ranges::find(test.spaces, space) == test.spaces.end();
    });
  }
  return spaces;
}

/// The scopes that include all threads.
std::vector<std::string> scopes_of(const Test& test, const std::string& place) {
  if (!test.scopes.empty()) return test.scopes;
  if (place == "warp" || place == "cta") return {"cta", "cluster", "gpu", "sys"};
  if (place == "cluster") return {"cluster", "gpu", "sys"};
  return {"gpu", "sys"};
}

}  // namespace

std::vector<Kernel> kernels(const Test& test, u32 rounds) {
  std::vector<std::pair<std::string, Threads>> meant = {{"", test.threads}};
  for (const Choice& choice : test.choices) {
    std::vector<std::pair<std::string, Threads>> more;
    for (const auto& [text, threads] : meant) {
      for (const std::string& word : choice.words) {
        Threads one = threads;
        for (auto& thread : one) {
          for (std::string& line : thread) replace_all(line, choice.name, word);
        }
        more.emplace_back(
            fmt::format("{}{}{}={}", text, text.empty() ? "" : " ", choice.name, word), one);
      }
    }
    meant = std::move(more);
  }
  std::vector<Kernel> result;
  std::set<std::string> texts;
  for (const auto& [choice, threads] : meant) {
    for (const std::string& place : places_of(test)) {
      for (const std::string& space : spaces_of(test, place)) {
        for (const std::string& scope : scopes_of(test, place)) {
          Kernel kernel = Writer(test, threads, {place, space, scope, choice}, rounds).kernel();
          const bool mmio = kernel.text.find(".mmio") != std::string::npos;
          if (mmio && space != "global") continue;
          // A test without scopes has the same kernel for all scopes.
          if (texts.insert(fmt::format("{} {}", place, kernel.text)).second)
            result.push_back(std::move(kernel));
        }
      }
    }
  }
  return result;
}

}  // namespace heddle::litmus
