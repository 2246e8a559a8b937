// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEDDLE_TIME_LIMIT ends every kernel, whatever it executes, in both engines. Each case is a
// separate process.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "client.h"

namespace {

struct Case {
  const char* name;
  unsigned grid, block;
  const char* body;       ///< with %o: the address of a word that is 0
  const char* functions;  ///< before the kernel
  const char* directives = "";
};

const Case kCases[] = {
    {"Loop", 1, 32, "again: bra again;", ""},
    {"LoopOfManyBlocks", 1000, 64, "again: bra again;", ""},
    {"Sleep", 1, 32, R"(
again: nanosleep.u32 1000000;
  ld.volatile.global.u32 %r0, [%o];
  setp.eq.u32 %p, %r0, 0;
  @%p bra again;)",
     ""},
    {"SleepOfManyWarps", 3, 1024, R"(
again: nanosleep.u32 1000000;
  ld.volatile.global.u32 %r0, [%o];
  setp.eq.u32 %p, %r0, 0;
  @%p bra again;)",
     ""},
    {"SleepOfThreadsApart", 1, 32, R"(
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %q, %r1, 7;
  @%q bra again;
other: nanosleep.u32 900000;
  ld.volatile.global.u32 %r0, [%o];
  setp.eq.u32 %p, %r0, 0;
  @%p bra other;
again: nanosleep.u32 1000000;
  ld.volatile.global.u32 %r0, [%o];
  setp.eq.u32 %p, %r0, 0;
  @%p bra again;)",
     ""},
    {"SleepAndBarrier", 1, 64, R"(
again: nanosleep.u32 1000000;
  bar.sync 0;
  bra again;)",
     ""},
    {"Barrier", 1, 256, "again: bar.sync 0; bra again;", ""},
    {"WarpBarrier", 1, 32, "again: bar.warp.sync -1; bra again;", ""},
    {"BarrierObjectWithAHint", 1, 32, R"(
  .shared .b64 object;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p, %r1, 0;
  @!%p mbarrier.init.shared.b64 [object], 64;
  bar.sync 0;
  mbarrier.arrive.shared.b64 %s, [object];
again:
  mbarrier.try_wait.shared.b64 %p, [object], %s, 0x7fffffff;
  ld.volatile.global.u32 %r0, [%o];
  @!%p bra again;)",
     ""},
    {"Lock", 2, 32, R"(
again: atom.global.cas.b32 %r0, [%o], 1, 2;
  setp.ne.u32 %p, %r0, 1;
  @%p bra again;)",
     ""},
    {"Recursion", 1, 32, R"(
  mov.u32 %r0, 60;
  call.uni down, (%r0);)",
     R"(
.func down(.param .u32 n)
{
  .reg .u32 %n; .reg .pred %p;
  ld.param.u32 %n, [n];
  setp.eq.u32 %p, %n, 0;
  @%p ret;
  sub.u32 %n, %n, 1;
  { .param .u32 m; st.param.u32 [m], %n; call.uni down, (m); }
  { .param .u32 m; st.param.u32 [m], %n; call.uni down, (m); }
  ret;
}
)"},
    {"IndirectBranch", 1, 32, R"(
  mov.u32 %r0, 0;
again: ts: .branchtargets again, there;
  brx.idx.uni %r0, ts;
there:)",
     ""},
    {"Allocation", 1, 32, R"(
again:
  { .param .b64 a; .param .b64 n; st.param.b64 [n], 64; call.uni (a), malloc, (n); ld.param.b64 %s, [a]; }
  { .param .b64 a; st.param.b64 [a], %s; call.uni free, (a); }
  bra again;)",
     ".extern .func (.param .b64 a) malloc (.param .b64 n);\n.extern .func free (.param .b64 "
     "a);\n"},
    {"Print", 64, 256, R"(
again:
  { .param .b64 f; .param .b64 a; .param .b32 r;
    mov.u64 %s, text; cvta.global.u64 %s, %s; st.param.b64 [f], %s; st.param.b64 [a], 0;
    call.uni (r), vprintf, (f, a); }
  bra again;)",
     ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
     ".global .b8 text[8] = {0};\n"},
    {"BulkCopy", 1, 32, R"(
  .shared .align 128 .b8 tile[32768];
  .shared .align 8 .b64 done;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %q, %r1, 0;
  @%q bra stay;
  mbarrier.init.shared.b64 [done], 1;
  mov.u64 %s, source;
again:
  mbarrier.arrive.expect_tx.shared::cta.b64 %o, [done], 32768;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%s], 32768, [done];
  bra again;
stay: bra stay;)",
     ".global .align 128 .b8 source[32768];\n"},
    {"BulkCopyOut", 4, 32, R"(
  .shared .align 128 .b8 tile[32768];
  mov.u64 %s, target;
again:
  cp.async.bulk.global.shared::cta.bulk_group [%s], [tile], 32768;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  bra again;)",
     ".global .align 128 .b8 target[32768];\n"},
    {"BulkStore", 2, 32, R"(
  .shared .align 128 .b8 tile[32768];
again:
  st.bulk.weak.shared::cta [tile], 32768, 0;
  bra again;)",
     ""},
    {"Cluster", 4, 64, R"(
  mov.u32 %r1, 0;
again:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  add.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra again;)",
     "", ".reqntid 64 .reqnctapercluster 2"},
    {"ClusterSharedMemory", 2, 32, R"(
  .shared .b32 word;
  mov.u32 %r1, word;
  mapa.shared::cluster.u32 %r1, %r1, 1;
again:
  ld.volatile.shared::cluster.u32 %r0, [%r1];
  setp.ne.u32 %p, %r0, 77;
  @%p bra again;)",
     "", ".reqntid 32 .reqnctapercluster 2"},
    {"WaitForOtherCtas", 300, 64, R"(
  atom.global.add.u32 %r0, [%o], 1;
again:
  ld.acquire.gpu.global.u32 %r0, [%o];
  setp.ne.u32 %p, %r0, 1;
  @%p bra again;)",
     ""},
    {"Kernels", 1, 1, R"(
again:
  { .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 n; .param .b64 a;
    mov.u64 %s, child; st.param.b64 [k], %s;
    st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    st.param.b32 [b], 32; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
    st.param.b32 [n], 0;
    call.uni (a), cudaGetParameterBufferV2, (k, g, b, n);
    ld.param.b64 %s, [a]; }
  { .param .b64 a; .param .b64 st; .param .b32 r;
    st.param.b64 [a], %s; st.param.b64 [st], 0;
    call.uni (r), cudaLaunchDeviceV2, (a, st); }
  bra again;)",
     ".extern .func (.param .b64 a) cudaGetParameterBufferV2 (.param .b64 k, .param .align 4 .b8 "
     "g[12], .param .align 4 .b8 b[12], .param .b32 n);\n"
     ".extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 a, .param .b64 s);\n"
     ".visible .entry child() { again: bra again; }\n"},
};

std::string text_of(const Case& one) {
  return std::string(".version 8.6\n.target sm_100\n.address_size 64\n") + one.functions +
         ".visible .entry k(.param .u64 out) " + one.directives +
         "\n{\n.reg .u64 %o, %s; .reg .u32 %r<4>; .reg .pred %p, "
         "%q;\n"
         "ld.param.u64 %o, [out];\n" +
         one.body + "\nret;\n}\n";
}

int run(const Case& one) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr memory = 0;
  if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0)) return 100;
  if (cuModuleLoadData(&module, text_of(one).c_str())) return 101;
  if (cuModuleGetFunction(&function, module, "k") || cuMemAlloc_v2(&memory, 64) ||
      cuMemsetD8_v2(memory, 0, 64))
    return 102;
  void* params[] = {&memory};
  if (cuLaunchKernel(function, one.grid, 1, 1, one.block, 1, 1, 0, nullptr, params, nullptr))
    return 103;
  return static_cast<int>(cuCtxSynchronize() == CUDA_ERROR_LAUNCH_TIMEOUT ? 0 : 104);
}

class TimeLimit : public testing::TestWithParam<std::tuple<Case, const char*>> {};

TEST_P(TimeLimit, EndsIt) {
  const auto& [one, engine] = GetParam();
  const auto body = [&one = one, name = engine] {
    setenv("HEDDLE_ENGINE", name, 1);
    setenv("HEDDLE_CACHE", "0", 1);
    setenv("HEDDLE_TIME_LIMIT", "0.1", 1);
    alarm(60);  // ends the process if the limit fails
    std::_Exit(run(one));
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(0), "the launch ran longer than 0.1 s");
}

INSTANTIATE_TEST_SUITE_P(Engines, TimeLimit,
                         testing::Combine(testing::ValuesIn(kCases),
                                          testing::Values("interp", "jit")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::get<1>(info.param);
                         });

}  // namespace
