// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program `heddle`: its subcommands and their options. Each function here adds a subcommand to
// the parser; the subcommand that was given runs and sets the exit status in `status`. This is the
// only file that includes CLI11, which takes long to compile. Numbers are passed to the commands as
// text: args.h parses them.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <sstream>

#include "base/spelling.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/tools/tool.h"

namespace heddle::cli {
namespace {

constexpr const char* kArguments = R"(One ARG for each kernel parameter:
  1000  -3  0x10  2.5  inf  0f3f800000   a number, typed by the parameter; 0x gives the bits
  TYPE[N]                                a zeroed buffer of N elements
  TYPE[N]=VALUE  =iota  =rand:SEED       a buffer of one value, of 0 1 2..., of pseudo-random
                                         numbers (integers: any bits; floats: -1 to 1)
  @FILE.npy                              a buffer from a NumPy file
  bytes:HEX                              for a parameter that is an array: a struct by value
TYPE is one of u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64.

`heddle env` lists the environment variables that count: HEDDLE_DEVICE chooses a device (`heddle devices`),
HEDDLE_THREADS the number of host threads.
Exit status: 0 the kernel ran, 1 the PTX has errors, 2 wrong usage or a launch that the device
refuses, 3 the kernel trapped.)";

void add_check(CLI::App& app, int& status) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Say what is wrong with PTX files");
  command->add_option("FILE", options->files, "PTX files; - is the standard input")->required();
  command
      ->add_option("--format", options->format,
                   "text; json: one array for all files; sarif: one SARIF 2.1.0 log")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  command->add_option("--dump", options->dump, "ir: print the checked module")
      ->check(CLI::IsMember({"ir"}));
  command->add_flag("--link", options->link,
                    "The files are all of a program: check that they fit together");
  command->add_flag("-W", options->remarks,
                    "Warn of what the vendor's assembler takes and the manual does not have, too");
  command->add_flag("--strict", options->strict,
                    "Refuse versions of PTX that are newer than those known here, as a device that "
                    "HEDDLE_DEVICE names does");
  command->footer(
      "Exit status: 0 no errors, 1 errors in the PTX, 2 wrong usage or a file that cannot be "
      "read. Text is coloured on a terminal, unless NO_COLOR is set.");
  command->callback([options, &status] { status = check_files(*options); });
}

void add_devices(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("devices", "List the device profiles");
  command->callback([&status] { status = list_devices(); });
}

void add_env(CLI::App& app, int& status) {
  const auto options = std::make_shared<EnvOptions>();
  CLI::App* command = app.add_subcommand(
      "env",
      "List the environment variables of Heddle, with their values and where these are from");
  command->add_option("--format", options->format, "text; json: an array of objects")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer("Exit status: 0, or 2 when a variable has a wrong value.");
  command->callback([options, &status] { status = list_environment(*options); });
}

void add_exec(CLI::App& app, int& status) {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand(
      "exec", "Run a CUDA program on Heddle: heddle exec -- PROGRAM [ARGUMENT...]");
  command->add_option("PROGRAM", *words, "The program and its arguments, after --")->required();
  command->footer(
      "Heddle's libraries take the place of the vendor's, wherever the program looks for them "
      "(LD_LIBRARY_PATH, LD_AUDIT). The exit status is the program's; 126 and 127 mean, as in a "
      "shell, that it could not be started.");
  command->callback([words, &status] { status = execute_program(*words); });
}

void add_jit(CLI::App& app, int& status) {
  const auto options = std::make_shared<JitOptions>();
  CLI::App* command = app.add_subcommand("jit", "Show what the compiler makes of a kernel");
  command->add_option("FILE", options->file,
                      "PTX file, or LLVM IR (FILE.ll, or with --passes); - is the standard input");
  command->add_option("--entry", options->entry, "The kernel, when there are several");
  command->add_option("--block", options->block, "X[,Y[,Z]]: the shape of its blocks")
      ->capture_default_str();
  command->add_flag("--print-passes", options->print_passes,
                    "List the compiler's passes in order, with what they need and establish");
  command->add_option("--print-after", options->print_after,
                      "PASS[,PASS...]: the code behind those passes as LLVM IR, which --passes "
                      "reads; all: behind each");
  CLI::Option* passes = command->add_option(
      "--passes", options->passes,
      "PASS[,PASS...]: run these on FILE, LLVM IR as --print-after shows it, and print what comes "
      "of it; FILE.ll without --passes is read and printed");
  command
      ->add_option("--dump", options->dump,
                   "scalar: the code of one thread; uniform: the same, with what threads share; "
                   "vector: the code of a warp; asm: the host's")
      ->check(CLI::IsMember({"scalar", "uniform", "vector", "asm"}))
      ->capture_default_str();
  command->add_option("--time", options->time,
                      "Compile that many times and print what each stage costs");
  command->add_option("--cpu", options->cpu, "Compile for this processor, an LLVM name");
  command->callback([options, passes, &status] {
    options->runs_passes = passes->count() != 0 || options->file.ends_with(".ll");
    status = show_compiled(*options);
  });
}

void add_explain(CLI::App& app, int& status) {
  const auto codes = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("explain", "Say more about a diagnostic");
  command->add_option("CODE", *codes, "Codes such as P2010; without one, all are listed");
  command->footer("Exit status: 0, or 2 for a code that does not exist.");
  command->callback([codes, &status] { status = explain(*codes); });
}

void add_fmt(CLI::App& app, int& status) {
  const auto options = std::make_shared<FormatOptions>();
  CLI::App* command = app.add_subcommand("fmt", "Write PTX files anew in canonical layout");
  command
      ->add_option("FILE", options->files,
                   "PTX files, changed in place; - reads the standard input and prints")
      ->required();
  command->add_flag("--check", options->check,
                    "change nothing, name the files that are not formatted");
  command->footer(
      "Exit status: 0 done, 1 errors in the PTX or, with --check, a file that is not formatted, 2 "
      "wrong usage or a file that cannot be read or written.");
  command->callback([options, &status] { status = format_files(*options); });
}

void add_info(CLI::App& app, int& status) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand(
      "info", "Say what a file holds for GPUs: PTX, a container, a fat binary, a program");
  command
      ->add_option("FILE", options->files,
                   "PTX, containers, fat binaries, cubins; objects, programs and libraries of the "
                   "host; - is the standard input")
      ->required();
  command->add_option("--format", options->format, "text; json: one array for all files")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_flag("--ptx", options->ptx, "Print the PTX, and nothing else");
  command->footer(
      "Exit status: 0, or 2 for a file that cannot be read, is damaged or has no code for GPUs.");
  command->callback([options, &status] { status = show_images(*options); });
}

void add_isa(CLI::App& app, int& status) {
  const auto options = std::make_shared<IsaOptions>();
  CLI::App* command = app.add_subcommand("isa", "List the instruction forms that Heddle knows");
  command->add_option("OPCODE", options->opcode, "Only this instruction");
  command->add_flag("--markdown", options->markdown, "As a table for a document");
  command->callback([options, &status] { status = list_instructions(*options); });
}

void add_run(CLI::App& app, int& status) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a kernel of a PTX file");
  command->add_option("FILE", options->file, "PTX file; - is the standard input")->required();
  command->add_option("ARG", options->arguments, "Arguments of the kernel, see below");
  command->add_option("--entry", options->entry,
                      "Name of the kernel; may be left out when there is one");
  command->add_option("--link", options->links, "Another PTX file, linked with FILE")
      ->allow_extra_args(false);
  command->add_option("--grid", options->grid, "Number of CTAs: X, X,Y or X,Y,Z")->required();
  command->add_option("--block", options->block, "Threads in a CTA: X, X,Y or X,Y,Z")->required();
  command->add_option("--cluster", options->cluster,
                      "CTAs in a cluster: X, X,Y or X,Y,Z; without it, what the kernel says");
  command->add_flag("--cooperative", options->cooperative,
                    "All CTAs are there from the start and may wait for each other");
  command->add_option("--shared", options->shared, "Bytes of dynamic shared memory");
  command->add_option("--time-limit", options->time_limit,
                      "Seconds after which the kernel is stopped; without it, HEDDLE_TIME_LIMIT");
  command
      ->add_option("--dump", options->dumps,
                   "I or I:COUNT: print buffer argument I, counted from 0, after the run")
      ->allow_extra_args(false);
  command->add_option("--save", options->saves, "I=FILE.npy: write buffer argument I after the run")
      ->allow_extra_args(false);
  command->add_flag("!--no-contract", options->compile.contract,
                    "Do not make one fma of a mul and an add that name no rounding");
  command->add_option(
      "--schedule", options->schedule,
      "seed:N: threads take turns in a pseudo-random order, the same for the same N; "
      "fast: in the fastest order. Without it, HEDDLE_SCHEDULE or fast");
  command
      ->add_option("--membermask", options->membermask,
                   "What a .sync instruction does whose membermask does not name its thread: "
                   "strict: trap; gpu: as a GPU does. Without it, HEDDLE_MEMBERMASK or strict")
      ->check(CLI::IsMember({"strict", "gpu"}));
  command->add_flag("--time", options->time, "Print how long the launch took, to stderr");
  command->footer(kArguments);
  command->callback([options, &status] { status = run(*options); });
}

void add_smi(CLI::App& app, int& status) {
  const auto options = std::make_shared<SmiOptions>();
  CLI::App* command = app.add_subcommand(
      "smi", "Show the devices and the processes that use them, as nvidia-smi does");
  command->add_flag("-L,--list-gpus", options->lists_gpus, "One line for each device");
  command->add_flag("-q,--query", options->lists_everything, "Everything that is known");
  command->add_option("--query-gpu", options->fields,
                      "FIELD[,FIELD...]: these, with --format=csv, one line for each device");
  command->add_option("--format", options->format,
                      "csv[,noheader][,nounits]: the format of --query-gpu");
  command->add_flag("--help-query-gpu", options->lists_fields, "List the fields of --query-gpu");
  command->footer(
      "The table has the processes of this user. docs/nvml.md says what is exact. Exit status: 0, "
      "or 2 for wrong usage or when there is no device.");
  command->callback([options, &status] { status = show_devices(*options); });
}

/// The words of the command line in CLI11's order, the last one first. `heddle help run` is `heddle
/// run --help`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    if (!words.empty() && words[0] == "help") words.clear();
    words.resize(std::min<std::size_t>(words.size(), 1));
    words.emplace_back("--help");
  }
  std::reverse(words.begin(), words.end());
  return words;
}

/// The message when the first word is not a command, otherwise empty.
std::string about_command(CLI::App& app, const std::string& word) {
  if (word.empty() || word[0] == '-') return {};
  Spelling spelling(word);
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return {};
    spelling.consider(command->get_name());
  }
  spelling.consider("help");
  const std::string otherwise = word.ends_with(".ptx")
                                    ? fmt::format("`heddle check {}` checks a file", word)
                                    : "`heddle help` lists all";
  return fmt::format("there is no command '{}'; {}", word, spelling.question_or(otherwise));
}

/// The message about options or arguments that `command` does not know; empty when there are none.
std::string about_extras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto option = std::find_if(extras.begin(), extras.end(), is_option);
  if (extras.empty()) return {};
  if (option == extras.end()) return fmt::format("the argument '{}' is one too many", extras[0]);
  const std::string name = option->substr(0, option->find('='));
  Spelling spelling(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  for (const CLI::Option* known : command.get_options())
    for (const std::string& word : known->get_lnames()) spelling.consider(word);
  if (command.get_name() == "exec")
    return fmt::format("{} stands before --; the program's own options stand behind it", name);
  const std::string question = spelling.question("--");
  return fmt::format("there is no option {}{}{}", name, question.empty() ? "" : "; ", question);
}

/// Reports the mistake in the command line.
int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  const CLI::App& command = given.empty() ? app : *given[0];
  const std::string extras = about_extras(command);
  return fail(fmt::format("{}\n`heddle help{}` says what can be written",
                          !extras.empty() ? extras
                          : given.empty() ? "a command is missing"
                                          : error.what(),
                          given.empty() ? "" : " " + command.get_name()));
}

/// The call of a tool for build systems (cli/tools/tool.h), which has options of its own: `ptxas
/// --help`, `heddle ptxas --help` or `heddle help ptxas`.
struct ToolCall {
  const RunnableTool* tool;
  std::vector<std::string> words;
};
std::optional<ToolCall> tool_call(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const auto from = [&](std::size_t first) {
    return std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(first),
                                    words.end());
  };
  if (words.empty()) return std::nullopt;
  if (const auto* tool = find_tool(std::filesystem::path(words[0]).filename().string()))
    return ToolCall{tool, from(1)};
  if (words.size() < 2) return std::nullopt;
  if (const auto* tool = find_tool(words[1])) return ToolCall{tool, from(2)};
  if (words[1] != "help" || words.size() < 3) return std::nullopt;
  if (const auto* tool = find_tool(words[2])) return ToolCall{tool, {"--help"}};
  return std::nullopt;
}

/// The handler of `new` when memory is exhausted: ends the program with a message, instead of an
/// uncaught exception.
void out_of_memory() {
  constexpr std::string_view kMessage = "heddle: out of memory\n";
  (void)!write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(kUsage);
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  using namespace heddle::cli;
  reserve_closed_streams();
  std::set_new_handler(out_of_memory);
  if (const auto call = tool_call(argc, argv))
    return finish_output(run_tool(*call->tool, call->words));
  CLI::App app("Heddle: an open implementation of PTX for CPUs", "heddle");
  app.set_version_flag("-v,--version", "heddle " HEDDLE_VERSION " (PTX ISA 9.1)");
  app.require_subcommand(1);
  app.footer("`heddle help COMMAND` says more about a command.");

  int status = kOk;
  add_check(app, status);
  add_explain(app, status);
  add_jit(app, status);
  add_run(app, status);
  add_exec(app, status);
  add_fmt(app, status);
  add_info(app, status);
  add_isa(app, status);
  add_devices(app, status);
  add_env(app, status);
  add_smi(app, status);
  for (const RunnableTool& tool : tools())
    app.add_subcommand(std::string(tool.tool->name),
                       fmt::format("As NVIDIA's {}: {}", tool.tool->name, tool.tool->title));

  std::vector<std::string> words = words_of(argc, argv);
  const std::string unknown = words.empty() ? "" : about_command(app, words.back());
  if (!unknown.empty()) return finish_output(fail(unknown));
  // CLI11 reports wrong usage, and --help, by an exception.
  try {
    app.parse(words);
  } catch (const CLI::Success& wanted) {
    std::ostringstream text;
    app.exit(wanted, text, text);
    write_output(text.str());
  } catch (const CLI::ParseError& error) {
    status = report_usage(app, error);
  }
  return finish_output(status);
}
