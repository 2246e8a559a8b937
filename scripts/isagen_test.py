#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of isagen.py: small tables, the generated text, and the message for each mistake."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import isagen  # noqa: E402
from isagen_lib.emit import outputs  # noqa: E402
from isagen_lib.instances import covering  # noqa: E402
from isagen_lib.matching import admits, match, written_words  # noqa: E402
from isagen_lib.model import Isa, Problems, Target, Version  # noqa: E402
from isagen_lib.neighbours import neighbours  # noqa: E402
from isagen_lib.writer import Writer  # noqa: E402

BASE = """\
type pred  bits 1   class pred      cpp bool
type b16   bits 16  class bits      cpp u16
type b32   bits 32  class bits      cpp u32
type b64   bits 64  class bits      cpp u64
type u16   bits 16  class unsigned  cpp u16
type u32   bits 32  class unsigned  cpp u32
type u64   bits 64  class unsigned  cpp u64
type s32   bits 32  class signed    cpp s32
type f32   bits 32  class float     cpp f32
type f16x2 bits 32  class packed    cpp f16x2
group rnd   .rn .rz
group vec   .v2 .v4
group ss    .global .shared .shared::cta
group op    .and .or
target sm_20  ptx 2.0
target sm_80  ptx 7.0
target sm_90  ptx 7.8
target sm_90a ptx 8.0
target sm_100f ptx 8.8
"""

ADD = """\
insn add "Add two values"
  manual 9.7.1.1
  form add.T  d:T, a:T, b:T
    T     u16 u32
    sem   lane add_wrap<T>
    case  u32: 0xffffffff, 1 -> 0
"""


def load(table: str, base: str = BASE):
    problems = Problems()
    isa = isagen.load([("base.isa", base), ("fixture.isa", table)], Path("/nonexistent"), problems)
    return isa, [f"{loc}: {message}" for loc, message in sorted(problems.errors)]


def insn(details: str, form: str = "add.T  d:T, a:T, b:T", sem: str = "sem lane add<T>", common: str = "") -> str:
    """A table of one form; `details` are indented as details of it."""
    lines = ['insn add "Add"', "  manual 9.7.1.1"]
    lines += ["  " + line for line in common.splitlines()]
    lines += ["  form " + form]
    lines += ["    " + line for line in (details + "\n" + sem).splitlines()]
    return "\n".join(lines) + "\n"


class Good(unittest.TestCase):
    def isa(self, table: str) -> Isa:
        isa, errors = load(table)
        self.assertEqual(errors, [])
        return isa

    def test_plain_form(self):
        form = self.isa(ADD).forms[0]
        self.assertEqual((form.opcode, form.manual, form.sem_kind, form.sem), ("add", "9.7.1.1", "lane", "add_wrap"))
        self.assertEqual([slot.kind for slot in form.slots], ["type"])
        self.assertEqual([(o.name, o.written) for o in form.operands], [("d", True), ("a", False), ("b", False)])
        self.assertEqual(form.cases[0].inputs, ("0xffffffff", "1"))

    def test_functions_and_effects(self):
        isa = self.isa("effect add_all  uniform aligned members=m\neffect put  atomic signals\n" +
                       insn("T u16 u32", "add.T  d:T, a:T, m:u32", "sem warp add_all<T>") +
                       "  form add.sat.T  d:T, [a], b:T\n    T u16 u32\n    sem memory put applies add_one<T, sat>\n"
                       "  form add.cc.u32  d:u32, [a], b:u32\n    sem memory put applies add_one<u32, false>\n")
        self.assertEqual([(form.sem, form.applies, form.members) for form in isa.forms],
                         [("add_all", "", 2), ("put", "add_one", -1), ("put", "add_one", -1)])
        files = outputs(isa)
        self.assertEqual([form.dispatch_base for form in isa.forms], [0, 0, 2])
        self.assertIn("HEDDLE_WARP(1, heddle::sem::add_all<heddle::u32>)", files["warp_functions.inc"])
        self.assertIn("HEDDLE_ATOMIC(2, heddle::sem::add_one<heddle::u32, false>)", files["atomic_functions.inc"])
        self.assertIn("{.uniform = true, .aligned = true},  // add_all", files["sem_ids.h"])
        self.assertIn("{.access = Access::atomic, .signals = true},  // put", files["sem_ids.h"])
        self.assertEqual([line for line in files["handlers.inc"].splitlines() if line.startswith("HEDDLE")],
                         ["HEDDLE_HANDLER(put)"])

    def test_values_of_many_digits_take_no_time(self):
        number = "0x" + "0" * 60 + "1"
        form = self.isa(ADD.replace("0xffffffff, 1 -> 0", f"{number}, {number} -> {number}")).forms[0]
        self.assertEqual(form.cases[0].inputs, (number, number))

    def test_derived_variable_takes_its_value_from_the_row(self):
        isa = self.isa(insn("rows T W  u16 u32 | u32 u64", "add.wide.T  d:W, a:T, b:T", "sem lane add_wide<T, W>"))
        self.assertEqual([slot.kind for slot in isa.forms[0].slots], ["word", "type", "derived"])
        candidates = match(isa, isa.forms, ["wide", "u32"])
        self.assertEqual(candidates[0].values[2], isa.types["u64"].index)

    def test_number_in_rows_gives_a_length(self):
        isa = self.isa(insn("rows T N  u16 1 | u32 2", "add.T  d:T*N, a:T, b:T"))
        self.assertIn(".vector_slot = 1", outputs(isa)["tables.cpp"])

    def test_compound_optional_modifiers_come_together(self):
        isa = self.isa(insn("", "add{.xorsign.abs}.u32  d:u32, a:u32", "sem lane add<xorsign>"))
        self.assertTrue(match(isa, isa.forms, ["xorsign", "abs", "u32"]))
        self.assertFalse(match(isa, isa.forms, ["xorsign", "u32"]))

    def test_operands(self):
        isa = self.isa(insn("T u32", "add{.vec}.T{.hint}  d:wide(T)*vec|p:pred, [a:shared], !c:pred, i:imm(0..7), "
                            "h:b64 when .hint{, e:u32(0..31), f:reg(T)}", "sem memory add"))
        d, p, a, c, i, h, e, f = isa.forms[0].operands
        self.assertTrue(d.wide and d.written and d.vector_slot == 0 and p.pair_second and p.written and p.sink)
        self.assertEqual((a.kind, a.space, a.space_slot), ("address", "shared", -1))
        self.assertTrue(c.negatable)
        self.assertEqual((i.kind, i.imm_min, i.imm_max), ("imm", 0, 7))
        self.assertEqual(h.present[0].slot, 2)
        self.assertEqual((e.optional, e.kind, e.imm_max, f.optional), (True, "value", 31, False))
        self.assertTrue(f.register_only)

    def test_operands_that_take_more_or_less(self):
        isa = self.isa(insn("", "add{.vec}.u32  d:loose(u32)*vec, a:bits(u32), b:sreg(u32), [full c], e:spread(index(u32*2)), f:u16(!0..8)",
                            "sem engine handler"))
        d, a, b, c, e, f = isa.forms[0].operands
        self.assertTrue(d.loose and a.as_bits and b.special_allowed and c.full_width and e.spread and e.indexed)
        self.assertEqual((c.name, f.imm_above, f.imm_min, f.imm_max), ("c", True, 0, 8))

    def test_words_of_the_opcode_come_first(self):
        isa = self.isa(insn("", "add{^.sat}^.wide{.xorsign}.u32  d:u32, a:u32", "sem engine handler"))
        for words, fits in (("sat wide xorsign u32", True), ("wide u32 xorsign", True), ("wide sat u32", False),
                            ("xorsign wide u32", False), ("sat u32 wide", False)):
            self.assertEqual(bool(match(isa, isa.forms, words.split())), fits, words)

    def test_destination_by_name(self):
        for operands, written in (("[d], b:T", []), ("d:T, b:T", ["d"]), ("b:T, d:T", []),
                                  ("p:pred, a:T", ["p"]), ("x:T|y:pred, a:T", ["x", "y"])):
            isa = self.isa(insn("T u32", "add.T  " + operands, "sem engine handler"))
            self.assertEqual([o.name for o in isa.forms[0].operands if o.written], written, operands)

    def test_range_of_the_elements_of_a_vector(self):
        isa = self.isa(insn("T u32", "add.T  d:T, a:u16(0..3)*2", "sem engine handler"))
        a = isa.forms[0].operands[1]
        self.assertEqual((a.vector_length, a.imm_min, a.imm_max, a.kind), (2, 0, 3, "value"))

    def test_bracketed_coordinates_and_suffix(self):
        isa = self.isa(insn("T u32", "add.T  d:T, [a:u64, c:u32*2]{.unified}", "sem engine handler"))
        _, a, c = isa.forms[0].operands
        self.assertEqual((a.kind, a.suffix, c.bracketed, c.vector_length), ("address", "unified", True, 2))

    def test_vectors_of_one_element_have_braces(self):
        for form, text in (("add.T  _, [a:shared], c:T*1", "add.u32 _, [%r_u64_0], {%r_u32_0};"),
                           ("add{.vec}.T  d:T*vec, a:T", "add.u32 %r_u32_0, %r_u32_1;")):
            isa = self.isa(insn("T u32", form, "sem engine handler"))
            self.assertIn(text, outputs(isa)["form_instances.txt"])
        rejected = "reject\t2.3\tsm_20\tadd.u32 _, [%r_u64_0], %r_u32_0;"
        self.assertIn(rejected, outputs(self.isa(insn("T u32", "add.T  _, [a:shared], c:T*1", "sem engine handler")))["form_instances.txt"])
        self.assertNotIn(rejected, outputs(self.isa(insn("T u32", "add.T  _, [a:shared], c:bare(T*1)", "sem engine handler")))["form_instances.txt"])

    def test_words_and_signs_at_operands(self):
        isa = self.isa("group asel .b0 .h1\n" + insn("T u32", "add.T  d:T, {-}a:T{.asel}, b:T",
                                                     "sem lane add(asel, minus_a)"))
        form = isa.forms[0]
        self.assertEqual((form.operands[1].minus_slot, form.operands[1].suffix_slot, form.runtime_slots), (1, 2, [2, 1]))
        self.assertTrue(match(isa, isa.forms, ["u32"]))
        self.assertFalse(match(isa, isa.forms, ["u32", "b0"]))
        text = outputs(isa)["form_instances.txt"]
        self.assertIn("add.u32 %r_u32_0, %r_u32_1.h1, %r_u32_2;", text)
        self.assertIn("add.u32 %r_u32_0, -%r_u32_1, %r_u32_2;", text)

    def test_words_and_signs_that_must_stand_at_operands(self):
        isa = self.isa("group dsel .b0 .h1\n" + insn("T u32", "add.T  d:T.dsel, -a:T", "sem engine handler"))
        form = isa.forms[0]
        self.assertEqual([slot.required for slot in form.slots], [True, True, True])
        text = outputs(isa)["form_instances.txt"]
        self.assertIn("add.u32 %r_u32_0.b0, -%r_u32_1;", text)
        self.assertNotIn("add.u32 %r_u32_0,", text)

    def test_forms_apart_by_a_word_at_an_operand(self):
        table = insn("T u32", "add.T  d:T{, c:T}", "sem engine handler") + "  form add.u32  d:u32.asel, c:u32\n    sem engine handler\n"
        self.assertEqual(len(self.isa("group asel .b0\n" + table).forms), 2)

    def test_selectors_of_lanes(self):
        isa = self.isa(insn("T u32", "add.T  d:T, a:T{.b3210(0..7)}, b:T", "sem engine handler"))
        _, a, lanes, b = isa.forms[0].operands
        self.assertEqual((a.name, lanes.kind, lanes.suffix, lanes.imm_max, b.name), ("a", "lanes", "b3210", 7, "b"))
        text = outputs(isa)["form_instances.txt"]
        self.assertIn("accept\t2.3\tsm_20\tadd.u32 %r_u32_0, %r_u32_1, %r_u32_2;", text)
        self.assertIn("add.u32 %r_u32_0, %r_u32_1.b0123, %r_u32_2;", text)
        self.assertIn("reject\t2.3\tsm_20\tadd.u32 %r_u32_0, %r_u32_1.b0128, %r_u32_2;", text)

    def test_inherited_details_hold_where_they_can(self):
        isa = self.isa(insn("T u16 u32", "add{.sat}.T  d:T, a:T, b:T",
                            common="since ptx 7.8, sm_90 when .relu\nsince ptx 7.0 when !.relu, .sat") +
                       "  form add.relu.s32  d:s32, a:s32, b:s32\n    sem engine handler\n")
        self.assertEqual([len(form.gates) for form in isa.forms], [1, 1])
        self.assertEqual(len(isa.forms[0].gates[0].when), 1)

    def test_constants(self):
        isa = self.isa(insn("T u32", "add.T  d:T, a:imm(-1|1), b:u32(24..40/8), c:imm(0..7)", "sem engine handler"))
        self.assertEqual([(o.kind, o.imm_min, o.imm_max, o.imm_step, o.imm_values) for o in isa.forms[0].operands[1:]],
                         [("imm", -1, 1, 1, (-1, 1)), ("value", 24, 40, 8, ()), ("imm", 0, 7, 1, ())])
        self.assertIn(".imm_values = {kConstants + 0, 2}", outputs(isa)["tables.cpp"])

    def test_each(self):
        isa = self.isa("group shape  each n 8..24/8 64: .m{n}k4 .m{n}k8; .x\n" +
                       insn("rows shape N  each n 8..24/8: .m{n}k4 {n/2} | .m{n}k8 {n*2}; | .x 1\n",
                            "add.shape.u32  d:u32*N, a:u32", "sem engine handler"))
        self.assertEqual(isa.groups["shape"].words, ("m8k4", "m8k8", "m16k4", "m16k8", "m24k4", "m24k8", "m64k4", "m64k8", "x"))
        self.assertEqual(isa.forms[0].rows, [(1, 4), (2, 16), (3, 8), (4, 32), (5, 12), (6, 48), (9, 1)])

    def test_address_in_a_register(self):
        isa = self.isa(insn("T u32", "add.T  d:T, d_second:T, [t:u16]", "sem engine handler"))
        self.assertEqual([o.written for o in isa.forms[0].operands], [True, True, False])
        self.assertIn("add.u32 %r_u32_0, %r_u32_1, [%r_u16_0];", outputs(isa)["form_instances.txt"])

    def test_what_else_operands_say(self):
        isa = self.isa(insn("T f32", "add{.ss}.T  d:free(T)|p:reg(pred), [a:shared?]", "sem engine handler"))
        d, p, a = isa.forms[0].operands
        self.assertEqual((d.free, d.sink, p.sink, p.register_only), (True, True, False, True))
        self.assertEqual((a.space, a.symbol_space, a.space_slot), ("", "shared", 0))

    def test_which_registers_and_constants_fit(self):
        isa = self.isa(insn("T u32", "add{.ss}.T  d:raw(free(f32))*2, [a:32..], [b:exact(b32)], [c:free(generic)], "
                            "e:cut(imm(0|4)), f:u16(0|2, 0..3)*2", "sem engine handler"))
        d, a, b, c, e, f = isa.forms[0].operands
        self.assertEqual((d.raw, d.free, a.least_bits, b.exact, b.least_bits, c.free, e.cut), (True, True, 32, True, 0, True, True))
        self.assertEqual((e.imm_values, f.imm_values, f.imm_last, f.vector_length), ((0, 4), (0, 2), 3, 2))

    def test_what_is_only_expected_refuses_nothing(self):
        isa = self.isa(insn("T u32", "add{.sat}.T  d:T, a:T",
                            'expect .sat : "why"\nexpect ptx 7.8 when .sat\nsem engine handler'))
        form = isa.forms[0]
        self.assertEqual((len(form.rules), len(form.gates), len(form.advice), len(form.advised_gates)), (0, 0, 1, 1))
        lines = outputs(isa)["form_instances.txt"].splitlines()
        self.assertIn("accept\t2.3\tsm_20\tadd.sat.u32 %r_u32_0, %r_u32_1;", "\n".join(lines))
        self.assertFalse([line for line in lines if line.startswith("reject") and line.split("\t")[5] in ("version", "require")])

    def test_a_word_that_is_ignored_refuses_nothing_and_is_in_no_pair(self):
        isa = self.isa(insn("T u32", "add{.sat}.T  d:T, a:T", 'ignores op : "why"\nsem engine handler'))
        form = isa.forms[0]
        self.assertEqual([slot.ignored for slot in form.slots], [False, False, True])
        self.assertEqual([(rule.when, rule.message) for rule in form.advice], [((), "why")])
        self.assertTrue(match(isa, [form], ["u32", "and"]))
        found, _ = neighbours(isa, 20, Version(9, 0), lambda form: True)
        self.assertEqual([n.text for n in found if n.kind == "pair" and ".and" in n.text], [])
        self.assertIn("add.and.u32 %r_u32_0, %r_u32_1;", [n.text for n in found if n.kind == "added"])

    def test_optional_operand_with_a_condition(self):
        isa = self.isa(insn("T u16 u32", "add.T  d:T{, c:T when T=u32}", "sem engine handler"))
        form = isa.forms[0]
        self.assertEqual([Writer(isa, form, values, optional=True).text() for values in covering(form)],
                         ["add.u16 %r_u16_0;", "add.u32 %r_u32_0, %r_u32_1;"])

    def test_require_without_condition(self):
        isa = self.isa(insn('T u16 u32\nrequire T=u32 : "message"'))
        self.assertEqual(len(covering(isa.forms[0])), 1)

    def test_insn_goes_on_in_another_file(self):
        isa = self.isa(ADD + "insn add\n  manual 9.7.2.1\n  form add.cc.u32 d:u32, a:u32, b:u32\n    cc out\n"
                       "    sem lane add_cc\n    case 1, 2 -> 3, 0\n")
        self.assertEqual({form.summary for form in isa.forms}, {"Add two values"})

    def test_continuation_lines(self):
        isa = self.isa(insn("rows T W  u16 u32 |\n     u32 u64", "add.wide.T  d:W, a:T,\n      b:T"))
        self.assertEqual(len(isa.forms[0].rows), 2)

    def test_types_keep_their_order(self):
        isa = self.isa(insn("A u16 u32\nB f32", "add{.sat}.A.B  d:A, a:B", "sem lane f<A, B>"))
        self.assertTrue(match(isa, isa.forms, ["u16", "f32", "sat"]))
        self.assertFalse(match(isa, isa.forms, ["f32", "u16"]))

    def test_words_in_two_places_keep_their_order(self):
        isa = self.isa("group alayout .row .col\ngroup blayout .row .col\n" +
                       insn("T u32", "add.alayout.blayout.T  d:T, a:T", "require alayout=.row", "sem engine handler"))
        self.assertTrue(match(isa, isa.forms, ["u32", "row", "col"]))
        self.assertFalse(match(isa, isa.forms, ["col", "row", "u32"]))
        self.assertFalse(match(isa, isa.forms, ["row", "u32"]))
        text = outputs(isa)["form_instances.txt"]
        self.assertIn("accept\t2.3\tsm_20\tadd.row.col.u32", text)
        self.assertIn("reject\t2.3\tsm_20\tadd.col.row.u32", text)

    def test_entries(self):
        isa = self.isa(ADD + 'sreg %envreg<3> b32 "Set by the driver"\n  manual 10.27\n  since ptx 2.0\n'
                       'sreg %tid u32*4 "Thread"\n  manual 10.1\n  legacy u16 "old"\n'
                       'directive .maxntid "Threads"\n  manual 11.4.2\npragma "nounroll" "No unrolling"\n')
        self.assertEqual([e.name for e in isa.special_registers], ["%envreg0", "%envreg1", "%envreg2", "%tid"])
        self.assertEqual((isa.special_registers[3].vector_length, isa.special_registers[3].legacy),
                         (4, [isa.types["u16"].index]))
        self.assertEqual([isa.directives[0].name, isa.pragmas[0].name], [".maxntid", "nounroll"])


class Emitted(unittest.TestCase):
    def files(self, table: str):
        isa, errors = load(table)
        self.assertEqual(errors, [])
        return outputs(isa)

    def test_lane_entries(self):
        text = self.files(insn("T u32 f32\nrequire .sat => T=f32", "add{.rnd}{.sat}.T  d:T, a:T, b:T",
                               "sem lane add<T, sat, rnd, 3>"))["lane/fixture.inc"]
        entries = [line for line in text.splitlines() if line.startswith("HEDDLE")]
        self.assertEqual(len(entries), 2 * 2 * 3)
        self.assertEqual(entries[0], "HEDDLE_LANE(0, heddle::sem::add<heddle::u32, false, heddle::sem::Rnd::none, 3>)")
        self.assertEqual(entries[3], "HEDDLE_NO_LANE(3)")
        self.assertEqual(entries[11], "HEDDLE_LANE(11, heddle::sem::add<heddle::sem::f32, true, heddle::sem::Rnd::rz, 3>)")

    def test_headers(self):
        files = self.files(insn("T u32", sem="sem memory add_mem"))
        self.assertIn("enum class Op : u8 { none, and_, or_ };", files["groups.h"])
        self.assertIn("enum class Ss : u8 { none, global, shared, shared_cta };", files["groups.h"])
        self.assertIn("  add_mem,\n", files["sem_ids.h"])
        self.assertIn('    "add_mem",\n', files["sem_ids.h"])
        self.assertIn('{"u16", 16, TypeClass::unsigned_}', files["types.h"])

    def instances(self, table: str):
        lines = self.files(table)["form_instances.txt"].splitlines()
        return [line.split("\t") for line in lines if not line.startswith("#")]

    def test_instances(self):
        rows = self.instances(insn("T u16 u32\nsince ptx 7.1, sm_80", "add.T  d:T, a:T{, b:u32}"))
        texts = [(row[0], row[1], row[2], row[3], row[5]) for row in rows]
        for expected in (
                ("accept", "7.1", "sm_80", "add.u16 %r_u16_0, %r_u16_1;", "-"),
                ("accept", "7.1", "sm_80", "add.u32 %r_u32_0, %r_u32_1;", "-"),
                ("reject", "7.0", "sm_80", "add.u16 %r_u16_0, %r_u16_1;", "version"),
                ("reject", "7.1", "sm_20", "add.u16 %r_u16_0, %r_u16_1;", "target"),
                ("reject", "7.1", "sm_80", "add.u16 %r_u16_0;", "missing"),
                ("reject", "7.1", "sm_80", "add.u16 %r_u16_0, %r_u16_1, %r_u32_0, %r_u32_1;", "extra"),
                ("reject", "7.1", "sm_80", "add.u16 %r_b32_0, %r_u16_1;", "operand-type")):
            self.assertIn(expected, texts)
        self.assertEqual([t for t in texts if t[4] == "type"], [("reject", "7.1", "sm_80",
                                                                "add.pred %r_u16_0, %r_u16_1;", "type")])
        self.assertTrue(all(row[6] == "fixture.isa:3" for row in rows))

    def test_instances_declare_their_registers(self):
        rows = self.instances(insn("T f16x2", "add.T  d:T, a:T"))
        self.assertEqual(rows[0][4], ".reg .b32 %r_f16x2_<2>;")

    def test_gate_of_an_optional_operand(self):
        rows = self.instances(insn("T u32\nsince ptx 7.8, sm_90 with c", "add.T  d:T, a:T{, c:T}"))
        accepted = [row[1:4] for row in rows if row[0] == "accept"]
        self.assertEqual(accepted, [["2.3", "sm_20", "add.u32 %r_u32_0, %r_u32_1;"],
                                    ["7.8", "sm_90", "add.u32 %r_u32_0, %r_u32_1, %r_u32_2;"]])
        self.assertIn(["reject", "7.8", "sm_80", "add.u32 %r_u32_0, %r_u32_1, %r_u32_2;"], [row[:4] for row in rows])

    def test_architecture_specific_target(self):
        rows = self.instances(insn("T u32\nsince ptx 8.0, sm_90a or ptx 8.8, sm_100f"))
        self.assertEqual(rows[0][:3], ["accept", "8.0", "sm_90a"])
        self.assertIn(["reject", "8.0", "sm_90"], [row[:3] for row in rows])

    def test_broken_rules_and_rows(self):
        rows = self.instances(insn('T u16 u32\nrequire .sat => T=u32 : "why"', "add{.sat}.T  d:T, a:T, b:T"))
        self.assertIn(("add.sat.u16", "require: why"), [(row[3].split()[0], row[5]) for row in rows])
        rows = self.instances(insn("rows A B  u16 u32 | u32 u16", "add.A.B  d:A, a:B", "sem lane f<A, B>"))
        self.assertIn(("add.u16.u16", "rows"), [(row[3].split()[0], row[5]) for row in rows])

    def test_a_reject_that_another_form_accepts_is_left_out(self):
        rows = self.instances(insn("T u16 u32\nsince ptx 7.8") +
                              "  form add.T  d:T, a:T\n    T u16 u32\n    sem engine handler\n")
        self.assertFalse([row for row in rows if row[0] == "reject" and row[5] == "missing" and row[3].count(",") == 1])

    def test_cases(self):
        lines = self.files(ADD)["cases.txt"].splitlines()
        self.assertEqual(lines[-1].split("\t"), ["0", "add.u32", "d:u32", "a:u32 b:u32", "0xffffffff 1", "0",
                                                "fixture.isa:6"])

    def test_cases_name_signs_and_words_of_operands(self):
        files = self.files("group asel .b0 .h1\n" + insn("T u32", "add.T  d:T, {-}a:T{.asel}{, b:T}",
                                                         "sem lane f<minus_a, asel>\ncase u32 -a.h1: 1, 2 -> 3\ncase u32: 1 -> 3"))
        rows = [line.split("\t") for line in files["cases.txt"].splitlines() if line[0] != "#"]
        self.assertEqual([row[3:6] for row in rows],
                         [["-a:u32.h1 b:u32", "1 2", "3"], ["a:u32", "1", "3"]])

    def test_neighbours(self):
        isa, errors = load(insn('T u16 u32\nsince ptx 7.1, sm_80\nrequire .sat => T=u32', "add{.sat}.T  d:T, a:T, b:u32(0..7)",
                                "sem engine handler"))
        self.assertEqual(errors, [])
        found = {(n.kind, str(n.place.target), str(n.place.version), n.text)
                 for n in neighbours(isa, 80, Version(9, 0), lambda form: True)[0]}
        for kind, target, version, text in (
                ("pair", "sm_80", "9.0", "add.sat.u16 %r_u16_0, %r_u16_1, %r_u32_0;"),
                ("gate", "sm_80", "7.0", "add.u16 %r_u16_0, %r_u16_1, %r_u32_0;"),
                ("gate", "sm_80", "7.1", "add.u16 %r_u16_0, %r_u16_1, %r_u32_0;"),
                ("missing", "sm_80", "9.0", "add.u16 %r_u16_0, %r_u16_1;"),
                ("constant", "sm_80", "9.0", "add.u16 %r_u16_0, %r_u16_1, 8;"),
                ("register", "sm_80", "9.0", "add.u16 %r_u16_0, %r_f32_0, %r_u32_0;"),
                ("dropped", "sm_80", "9.0", "add %r_u16_0, %r_u16_1, %r_u32_0;"),
                ("replaced", "sm_80", "9.0", "add.f16x2 %r_u16_0, %r_u16_1, %r_u32_0;")):
            self.assertIn((kind, target, version, text), found)

    def test_files_are_written_only_when_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder, "all.isa")
            table.write_text(BASE + ADD, encoding="utf-8")
            self.assertEqual(isagen.main(["--out", folder, str(table)]), 0)
            tables = Path(folder, "isa", "tables.cpp")
            before = tables.stat().st_mtime_ns
            self.assertEqual(isagen.main(["--out", folder, str(table)]), 0)
            self.assertEqual(tables.stat().st_mtime_ns, before)


# (table, the message it gets)
BAD = [
    ("form add.u32 d:u32\n", "1: unknown declaration `form`"),
    ("insn Add\n  form x\n", "1: expected: insn NAME"),
    ("  form add.u32 d:u32\n", "1: an indented line needs an insn, sreg or directive above it"),
    ("type u32 bits 32 class unsigned cpp u32\n", "1: type `u32` is already declared at base.isa:6"),
    ("type x bits 32 class round cpp u32\n", "1: unknown type class `round`"),
    ("group rnd .rn\n", "1: group `rnd` is already declared at base.isa:11"),
    ("effect put\n", "1: expected: effect HANDLER WORD ..."),
    ("effect put  shouts\n", "1: there is no effect `shouts`; one of"),
    ("effect put  load\neffect put  store\n", "2: `put` already has its effects at fixture.isa:1"),
    ("effect put  load\n" + insn("T u16"), "1: no form has the `sem` `put`"),
    ("effect put  members=m\n" + insn("T u16", "add.T  d:T, [a]", "sem memory put"), "1: no form of `put` has an operand `m`"),
    (insn("T u16", "add.T  d:T, a:T", "sem engine put applies f<T>"), "5: only a `sem memory` applies a function"),
    ("group x .a .a\n", "1: group `x` has `.a` twice"),
    ("group form .a\n", "1: a group cannot be called `form`"),
    ("insn add\n  manual 9.7\n  form add.u32 d:u32\n    sem engine handler\n", "1: insn `add` has no summary"),
    (ADD + 'insn add "Again"\n  manual 9.7\n  form add.s32 d:s32\n    sem engine handler\n', "7: insn `add` already has its "
     "summary at fixture.isa:1"),
    ('insn add "Add"\n', "1: insn `add` has no form"),
    ('insn add "Add"\n  manual 9.7\n  form sub.u32 d:u32\n    sem engine handler\n', "3: the opcode must be `add`"),
    ('insn add "Add"\n  form add.u32 d:u32\n    sem engine handler\n', "2: the form has no `manual` section"),
    (ADD + "  since ptx 1.0\n", "7: `since` holds for all forms only above the first form"),
    (insn("T u32", sem=""), "3: the form has no `sem`"),
    (insn("T u32 u33"), "4: unknown type `u33`"),
    (insn("T u32 u32"), "4: type `u32` is listed twice"),
    (insn(""), "3: type variable `T` has no list of types"),
    (insn("T u32\nU u16"), "5: `U` is not in the form"),
    (insn("T u32\nrnd .rn"), "5: `rnd` is not in the form"),
    (insn("T u32\nrounding .rn"), "5: unknown detail `rounding`"),
    (insn("T u32\nrnd .rx", "add.rnd.T  d:T, a:T, b:T"), "5: group `rnd` has no word `.rx`"),
    (insn("T u32", "add{.rnd|.sat}.T  d:T"), "3: expected `{.word}`, got `{.rnd|.sat}`"),
    (insn("T u32", "add.sat.sat.T  d:T"), "3: `.sat` is in the mnemonic twice"),
    (insn("T u32", "add.T  d:T, a:W"), "3: type variable `W` of operand `a` is neither in the mnemonic nor in rows"),
    (insn("T u32", "add.T  d:T, a:u33"), "3: unknown type `u33`"),
    (insn("T u32", "add.T  d:T, a"), "3: operand `a` needs a type"),
    (insn("T u32", "add.T  d:T, d:T"), "3: operand `d` is there twice"),
    (insn("T u32", "add.T  d:T, a:maybe(T)"), "3: unknown operand kind `maybe(...)`"),
    (insn("T u32", "add.T  d:T, a:imm(7..1)"), "3: empty range `7..1`"),
    (insn("T u32", "add.T  d:T, a:imm(1|x)"), "3: cannot read the constants `1|x`"),
    (insn("T u32", "add.T  d:T, a:imm(1|-1)"), "3: `1|-1`: constants go up and differ"),
    (insn("T u32", "add.T  d:T, a:imm(0..9/4)"), "3: `0..9/4`: the steps miss the end"),
    ("group x  each n 1..: .x{n}\n", "1: each: expected a number or `FROM..TO/STEP`, got `1..`"),
    (insn("T u32", "add.T  d:T*wide"), "3: `*wide`: neither a number, a group of the form nor a number in rows"),
    (insn("T u32", "add.T  d:T, [a:shraed]"), "3: `shraed` is neither a state space"),
    (insn("T u32", "add.T  d:T, a:T when .x"), "3: `.x` is not a modifier of this form"),
    (insn("rows T W  u16 u32 | u32", "add.T  d:W, a:T"), "4: row `u32` has 1 values for 2 variables (T W)"),
    (insn("rows T W  u16 u32 | u16 u32", "add.T  d:W, a:T"), "4: row `u16 u32` is there twice"),
    (insn("rows T W  u16 u32 | u32 *", "add.T  d:W, a:T"), "4: `W` is not in the mnemonic, so every row must say"),
    (insn("T u16\nrows T W  u16 u32 | u32 u64", "add.T  d:W, a:T"), "5: `u32` is not a value of `T` (u16)"),
    (insn("T u16 u32 s32\nrows T W  u16 u32 | u32 u64", "add.T  d:W, a:T"), "3: no row has `T` = `s32`"),
    (insn("T u32\nrows T W  u32 u64\nrows T W  u32 u32", "add.T  d:W, a:T"), "6: a form has one `rows`"),
    (insn("rows rnd T  rn u32", "add.rnd.T  d:T, a:T"), "4: `rn`: a value of `rnd` starts with a dot"),
    (insn("T u32\nsince ptx 8"), "5: gate: expected `ptx N.M` and/or `sm_NN`, got `ptx 8`"),
    (insn("T u32\nsince sm90"), "5: gate: expected"),
    (insn("T u32\nsince ptx 7.9"), "5: there is no PTX ISA version 7.9"),
    (insn("T u32\nsince sm_85"), "5: unknown target `sm_85`"),
    ("group asel .b0\n" + insn("T u32\nsince ptx 8.0 when .asel", "add.T  d:T{.asel}, a:T"),
     "6: `asel` stands at an operand"),
    (insn("T u32", "add.T  d:T{.asel}, a:T"), "3: `.asel` behind an operand must be a group"),
    (insn("T u32", "add.T  d:T, a:T{.b8(0..7)}"), "3: `.b8`: a digit is outside of 0..7"),
    (insn("T u32\nsince ptx 8.0 with b"), "5: the form has no optional operand `b`"),
    (insn("T u32\nsince ptx 8.0 when .sat"), "5: `.sat` is not a modifier of this form"),
    (insn("T u32 u16\nsince ptx 8.0 when T=u64"), "5: `u64` is not a value of `T` (u32 u16)"),
    (insn("T u32 u16\nsince ptx 8.0 when T is u32"), "5: cannot read the condition `T is u32`"),
    (insn("T u32", common="since ptx 8.0 when .sat"), "3: no form of `add` can use this `since`"),
    (insn("T u32 u16\nrequire .sat => T=s32", "add{.sat}.T  d:T"), "5: `s32` is not a value of `T` (u32 u16)"),
    (insn("T u32\nignores op"), '5: expected: ignores GROUP : "message"'),
    (insn('T u32\nignores op : "m"', "add{.op}.T  d:T, a:T, b:T"), "5: `.and` means something in this form"),
    (insn("T u32\nrequire =>"), "5: expected: require [CONDITIONS =>] CONDITIONS"),
    (insn("T u32 u16\nrequire T=u32, T=u16 => .sat", "add{.sat}.T  d:T"), "5: the condition of this `require` never holds"),
    (insn("T u32\nrequire .sat\nrequire !.sat", "add{.sat}.T  d:T"), "3: no combination of modifiers is legal"),
    (insn("T u32 u16\nrequire T=u32\nsince ptx 8.0 when T=u16"), "6: the condition of this gate never holds"),
    (insn("T u32\ncc both"), "5: expected: cc in, cc out or cc inout"),
    (insn("T u32\nmanual 9.x"), "5: `9.x` is not a section number"),
    (insn("T u32", sem="sem lanes add"), "5: expected: sem lane|memory|warp|engine NAME"),
    (insn("T u32", sem="sem lane"), "5: expected: sem lane|memory|warp|engine NAME"),
    (insn("T u32", sem="sem pending"), "5: expected: sem lane|memory|warp|engine NAME"),
    (insn("T u32", sem="sem lane add<rnd>"), "5: group `rnd` is not in the form"),
    (insn("T u32", sem="sem lane add<W>"), "5: type variable `W` is not in the form"),
    (insn("T u32", sem="sem lane add<T>(rnd)"), "5: run-time argument `rnd` is not a modifier of the form"),
    (insn("T u32", sem="sem lane add<sat>") + "  form add{.sat}.f32  d:f32\n    sem engine handler\n",
     "5: flag `sat` is not in the form"),
    (insn("", "add.sat^.wide.u32  d:u32, a:u32", "sem engine handler"), "3: what belongs to the opcode (`^`) comes first"),
    (insn("T u32\ncase 1 -> 2"), "5: the form reads 2 values, the case gives 1"),
    (insn("T u32\ncase 1, 2 -> 3, 4"), "5: the form writes 1 value, the case gives 2"),
    (insn("T u32\ncc out\ncase 1, 2 -> 3"), "6: the form writes 2 values, the case gives 1"),
    (insn("T u32 u16\ncase 1, 2 -> 3"), "5: the case does not say `T`"),
    (insn("T u32 u16\ncase s32: 1, 2 -> 3"), "5: `s32` fills no variable of the form"),
    (insn("T u32\ncase 1, x -> 3"), "5: `x` is not a value"),
    (insn("T u32\ncase 1, 2"), "5: expected: case [WORDS:] INPUTS -> OUTPUTS"),
    (insn("T u32 u16\nrequire .sat => T=u32\ncase .sat u16: 1 -> 2", "add{.sat}.T  d:T, a:T"),
     "6: the words of the case are no legal combination"),
    (ADD + "  form add.u32  d:u32, a:u32, b:u32\n    sem engine handler\n",
     "7: `add.u32` with the same operands is also the form at fixture.isa:3"),
    ("group asel .b0\n" + ADD + "  form add.u32  d:u32{.asel}, a:u32, b:u32\n    sem engine handler\n",
     "8: `add.u32` with the same operands is also the form at fixture.isa:4"),
    ('sreg %tid u33 "x"\n', "1: unknown type `u33`"),
    ('sreg %tid u32 "x"\nsreg %tid u32 "x"\n', "2: sreg `%tid` is already declared at fixture.isa:1"),
    ('directive .x "x"\n  form y\n', "2: only an insn has forms"),
    ('directive .x "x"\n  cc out\n', "2: unknown detail `cc` of a directive"),
    ("pragma nounroll\n", '1: expected: pragma "NAME" "summary"'),
]


class Bad(unittest.TestCase):
    def test_messages(self):
        for table, expected in BAD:
            with self.subTest(expected=expected):
                _, errors = load(table)
                self.assertTrue(any(error.startswith("fixture.isa:" + expected) for error in errors), errors)

    def test_several_errors_in_one_run(self):
        _, errors = load(insn("T u33") + insn("T u32\ncc both").replace("insn add \"Add\"", "insn add"))
        self.assertEqual(len(errors), 2)

    def test_exit_status_and_nothing_written(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder, "bad.isa")
            table.write_text("insn\n", encoding="utf-8")
            stderr, sys.stderr = sys.stderr, open(Path(folder, "log"), "w", encoding="utf-8")
            try:
                self.assertEqual(isagen.main(["--out", folder, str(table)]), 1)
            finally:
                sys.stderr.close()
                sys.stderr = stderr
            self.assertRegex(Path(folder, "log").read_text(encoding="utf-8"), r"bad\.isa:1: expected")
            self.assertFalse(Path(folder, "isa").exists())

    def test_missing_function_is_a_warning(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "x.h").write_text("constexpr int other(int a);", encoding="utf-8")
            problems = Problems()
            isagen.load([("base.isa", BASE), ("fixture.isa", ADD)], Path(folder), problems)
            self.assertEqual([message for _, message in problems.warnings], ["sem/*.h has no function `add_wrap`"])


class Tables(unittest.TestCase):
    """The tables of the repository."""

    def test_all_tables_are_good(self):
        folder = Path(__file__).resolve().parent.parent / "src" / "isa"
        problems = Problems()
        sources = [(path.name, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.isa"))]
        isa = isagen.load(sources, folder / "sem", problems)
        self.assertEqual([f"{loc}: {message}" for loc, message in problems.errors], [])
        for form in isa.forms:  # every form has an instance that resolves to it
            for values in covering(form):
                forms = [f for f in isa.forms if f.opcode == form.opcode]
                self.assertTrue(any(c.form is form for c in match(isa, forms, written_words(form, values))), form.loc)


class Gates(unittest.TestCase):
    def test_admits(self):
        def target(text: str) -> Target:
            parts = re.fullmatch(r"(\d+)([af]?)", text)
            return Target(int(parts[1]), parts[2])
        for needed, have, expected in (("80", "90a", True), ("90a", "90", False), ("90a", "100a", False),
                                       ("100f", "103a", True), ("103f", "100f", False), ("101a", "110a", True),
                                       ("100f", "110f", False), ("120f", "121f", True)):
            self.assertEqual(admits(target(needed), target(have)), expected, (needed, have))


if __name__ == "__main__":
    unittest.main()
