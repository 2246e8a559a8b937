// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX that the tests of this folder load. It is small, because the tests are for the driver.
#pragma once

// A variable of each kind and kernels with parameters of several sizes.
inline constexpr const char* kKernels = R"ptx(
.version 7.8
.target sm_75
.address_size 64

.visible .global .align 4 .u32 counter = 5;
.visible .const .align 8 .u64 table[3] = {10, 20, 30};

// out[i] = in[i] + addend, for i below n
.visible .entry add_to(.param .u64 out, .param .u64 in, .param .u32 n, .param .u8 addend)
{
  .reg .pred %p;
  .reg .b32 %r<7>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [n];
  ld.param.u8 %r2, [addend];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r3, %r3, %r4, %r5;
  setp.ge.u32 %p, %r3, %r1;
  @%p ret;
  mul.wide.u32 %rd3, %r3, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  add.s32 %r6, %r6, %r2;
  add.s64 %rd5, %rd1, %rd3;
  st.global.u32 [%rd5], %r6;
  ret;
}

.visible .entry count()
{
  .reg .b32 %r;
  atom.global.add.u32 %r, [counter], 1;
  ret;
}

.visible .entry store_far(.param .u64 address)
{
  .reg .b64 %rd;
  .reg .b32 %r;
  ld.param.u64 %rd, [address];
  mov.u32 %r, 1;
  st.global.u32 [%rd], %r;
  ret;
}

.visible .entry stop()
{
  trap;
}

.visible .entry endless()
{
LOOP:
  bra LOOP;
}

// Waits until the host, or another stream, writes the flag.
.visible .entry wait_for(.param .u64 flag)
{
  .reg .pred %p;
  .reg .b64 %rd;
  .reg .b32 %r;
  ld.param.u64 %rd, [flag];
AGAIN:
  ld.volatile.global.u32 %r, [%rd];
  setp.eq.u32 %p, %r, 0;
  @%p bra AGAIN;
  ret;
}

.visible .entry small_blocks() .maxntid 64, 1, 1
{
  ret;
}

.visible .entry one_shape() .reqntid 32, 2, 1
{
  ret;
}

// out[t] = in reverse order, through dynamic shared memory
.extern .shared .align 4 .b8 scratch[];
.visible .entry reverse(.param .u64 data)
{
  .shared .align 4 .b8 fixed[16];
  .reg .b64 %rd<3>;
  .reg .b32 %r<8>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r3, [%rd1];
  mov.u32 %r4, scratch;
  shl.b32 %r5, %r1, 2;
  add.s32 %r5, %r4, %r5;
  st.shared.u32 [%r5], %r3;
  st.shared.u32 [fixed], %r3;
  bar.sync 0;
  sub.s32 %r6, %r2, %r1;
  sub.s32 %r6, %r6, 1;
  shl.b32 %r6, %r6, 2;
  add.s32 %r6, %r4, %r6;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd1], %r7;
  ret;
}
)ptx";

// Two modules that need each other.
inline constexpr const char* kCaller = R"ptx(
.version 7.0
.target sm_60
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 x);
.visible .entry main_kernel(.param .u64 out, .param .u32 x)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd;
  ld.param.u32 %r1, [x];
  {
    .param .b32 a;
    .param .b32 r;
    st.param.b32 [a], %r1;
    call (r), twice, (a);
    ld.param.b32 %r2, [r];
  }
  ld.param.u64 %rd, [out];
  st.global.u32 [%rd], %r2;
  ret;
}
)ptx";

inline constexpr const char* kCallee = R"ptx(
.version 7.0
.target sm_60
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 x)
{
  .reg .b32 %r;
  ld.param.b32 %r, [x];
  add.s32 %r, %r, %r;
  st.param.b32 [result], %r;
  ret;
}
)ptx";

// A module that the linked program does not need.
inline constexpr const char* kCounter = R"ptx(
.version 7.0
.target sm_60
.address_size 64
.visible .global .u32 counter;
)ptx";

// Each thread takes the value of the thread `ntid` ahead and adds one, ten times, with barriers of
// the grid between reading and writing.
inline constexpr const char* kGridBarrier = R"ptx(
.version 7.0
.target sm_60
.address_size 64
.extern .func (.param .b64 func_retval0) cudaCGGetIntrinsicHandle(.param .b32 p0);
.extern .func (.param .b32 func_retval0) cudaCGSynchronize(.param .b64 p0, .param .b32 p1);
.visible .entry neighbours(.param .u64 values, .param .u64 error)
{
  .reg .pred %p;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [values];
  ld.param.u64 %rd2, [error];
  {
    .param .b32 scope;
    .param .b64 handle;
    st.param.b32 [scope], 1;
    call.uni (handle), cudaCGGetIntrinsicHandle, (scope);
    ld.param.b64 %rd3, [handle];
  }
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %r5, %r3, %r2, %r1;
  mul.lo.u32 %r6, %r4, %r2;
  add.u32 %r7, %r5, %r2;
  rem.u32 %r7, %r7, %r6;
  mad.wide.u32 %rd4, %r5, 4, %rd1;
  mad.wide.u32 %rd5, %r7, 4, %rd1;
  mov.u32 %r8, 20;
AGAIN:
  ld.global.u32 %r9, [%rd5];
  {
    .param .b64 handle;
    .param .b32 flags;
    .param .b32 result;
    st.param.b64 [handle], %rd3;
    st.param.b32 [flags], 0;
    call.uni (result), cudaCGSynchronize, (handle, flags);
    ld.param.b32 %r10, [result];
  }
  setp.ne.u32 %p, %r10, 0;
  @%p bra FAILED;
  sub.u32 %r8, %r8, 1;
  and.b32 %r11, %r8, 1;
  setp.eq.u32 %p, %r11, 0;
  @%p bra NEXT;
  add.u32 %r9, %r9, 1;
  st.global.u32 [%rd4], %r9;
NEXT:
  setp.ne.u32 %p, %r8, 0;
  @%p bra AGAIN;
  ret;
FAILED:
  st.global.u32 [%rd2], %r10;
  ret;
}
)ptx";
