"""Modules that SPIRV-Tools 2023.1 lets pass, in one instruction of which a type or a number is wrong.

The first line of each says a part of the error that must come.
"""

import os

from spirv_text import HERE, Module

TYPES = "operands of types that the instruction does not take"
HEAD = "%f = OpConvertUToF %float %n\n%v4 = OpCompositeConstruct %v4uint %n %n %n %n\n"

# name: (what must be said, body, declarations, functions, options)
CASES = {}


def case(name, error, body, declarations="", functions=(), **options):
    CASES[name] = (error, body, declarations, functions, options)


GROUPS = {"capabilities": ["Groups"]}
DOT = {"capabilities": ["DotProduct", "DotProductInputAll", "DotProductInput4x8Bit"],
       "extensions": ["SPV_KHR_integer_dot_product"]}

case("index_float", "an index that is no integer",
     "%p = OpInBoundsPtrAccessChain %G_uint %out %f\nOpStore %p %n")
case("index_float_constant", "an index that is no integer",
     "%p = OpPtrAccessChain %G_uint %out %float_1\nOpStore %p %n")
case("index_bool", "an index that is no integer",
     "%p = OpPtrAccessChain %G_uint %out %bool_true\nOpStore %p %n")
case("async_float_count", TYPES,
     "%a0 = OpInBoundsAccessChain %L_uint %a %uint_0\n"
     "%e = OpGroupAsyncCopy %event %uint_2 %a0 %out %f %ulong_1 %null_event",
     "%a = OpVariable %L_a4_uint Workgroup")
case("async_no_pointer", "a copy between no pointers",
     "%e = OpGroupAsyncCopy %event %uint_2 %n %out %ulong_1 %ulong_1 %null_event")
case("async_event_number", TYPES,
     "%a0 = OpInBoundsAccessChain %L_uint %a %uint_0\n"
     "%e = OpGroupAsyncCopy %uint %uint_2 %a0 %out %ulong_1 %ulong_1 %uint_0",
     "%a = OpVariable %L_a4_uint Workgroup")
case("wait_float", TYPES,
     "OpGroupWaitEvents %uint_2 %f %out")
case("wait_no_pointer", TYPES,
     "OpGroupWaitEvents %uint_2 %uint_1 %n")
case("group_add_float", TYPES,
     "%r = OpGroupIAdd %uint %uint_2 Reduce %f\nOpStore %out %r", **GROUPS)
case("group_add_of_float", TYPES,
     "%r = OpGroupIAdd %float %uint_2 Reduce %f\n%s = OpBitcast %uint %r\n"
     "OpStore %out %s", **GROUPS)
case("group_fadd_of_int", TYPES,
     "%r = OpGroupFAdd %uint %uint_2 Reduce %n\nOpStore %out %r", **GROUPS)
case("group_fmin_of_bool", TYPES,
     "%r = OpGroupFMin %bool %uint_2 InclusiveScan %bool_true\n"
     "%s = OpSelect %uint %r %n %n\nOpStore %out %s", **GROUPS)
case("group_all_of_int", TYPES,
     "%r = OpGroupAll %bool %uint_2 %n\n%s = OpSelect %uint %r %n %n\n"
     "OpStore %out %s", **GROUPS)
case("group_any_int_result", TYPES,
     "%r = OpGroupAny %uint %uint_2 %bool_true\nOpStore %out %r", **GROUPS)
case("group_add_struct", "a work-group function of what is no scalar and no vector",
     "%s = OpCompositeConstruct %pair %n %f\n"
     "%r = OpGroupIAdd %pair %uint_2 Reduce %s\n%t = OpCompositeExtract %uint %r 0\nOpStore %out %t",
     "%pair = OpTypeStruct %uint %float", **GROUPS)
case("group_add_shorter", TYPES,
     "%r = OpGroupIAdd %uint %uint_2 Reduce %v4\nOpStore %out %r", **GROUPS)
case("group_add_wider", TYPES,
     "%r = OpGroupIAdd %v4uint %uint_2 Reduce %n\n"
     "%t = OpCompositeExtract %uint %r 3\nOpStore %out %t", **GROUPS)
case("broadcast_float_id", TYPES,
     "%r = OpGroupBroadcast %uint %uint_2 %n %f\nOpStore %out %r", **GROUPS)
case("broadcast_wrong_type", TYPES,
     "%r = OpGroupBroadcast %float %uint_2 %v4 %ulong_0\n"
     "%s = OpBitcast %uint %r\nOpStore %out %s", **GROUPS)
case("dot_of_floats", TYPES,
     "%a = OpCompositeConstruct %v2float %f %f\n"
     "%r = OpSDot %uint %a %a\nOpStore %out %r", **DOT)
case("dot_of_lengths", TYPES,
     "%a = OpCompositeConstruct %v2uint %n %n\n"
     "%r = OpUDot %uint %a %v4\nOpStore %out %r", **DOT)
case("dot_accumulates_float", TYPES,
     "%r = OpSDotAccSat %uint %v4 %v4 %f\nOpStore %out %r", **DOT)
case("dot_narrow_accumulator", TYPES,
     "%c = OpUConvert %uchar %n\n"
     "%r = OpSDotAccSat %uint %v4 %v4 %c\nOpStore %out %r", **DOT)
case("lifetime_of_number", TYPES,
     "OpLifetimeStart %n 0")
case("semantics_of_number", TYPES,
     "%r = OpGenericPtrMemSemantics %uint %n\nOpStore %out %r")
case("size_of_number", "the size of nothing",
     "%r = OpSizeOf %uint %n\nOpStore %out %r", version="1.2")
case("built_in_float", "is neither an integer nor three",
     "%g = OpLoad %float %id\n%s = OpBitcast %uint %g\nOpStore %out %s",
     "%id = OpVariable %I_float Input", version="1.3",
     annotations=["OpDecorate %id BuiltIn GlobalInvocationId"])
case("built_in_long_vector", "is neither an integer nor three",
     "%g = OpLoad %v16uint %id\n%s = OpCompositeExtract %uint %g 15\n"
     "OpStore %out %s", "%id = OpVariable %I_v16uint Input", version="1.3",
     annotations=["OpDecorate %id BuiltIn GlobalInvocationId"])
case("built_in_pointer", "is neither an integer nor three",
     "%g = OpLoad %G_uint %id\nOpStore %g %n",
     "%id = OpVariable %I_G_uint Input", version="1.3",
     annotations=["OpDecorate %id BuiltIn GlobalInvocationId"])
case("opaque_load", "a value of an opaque type",
     "%p = OpBitcast %G_hidden %out\n%l = OpLoad %hidden %p\nOpStore %p %l",
     "%hidden = OpTypeOpaque \"hidden\"")
case("huge_array", "an array of 9223372036854775807 elements",
     "%p = OpInBoundsAccessChain %L_uint %a %uint_7\nOpStore %p %n",
     "%many = OpConstant %ulong 9223372036854775807\n%huge = OpTypeArray %v4uint %many\n"
     "%L_huge = OpTypePointer Workgroup %huge\n%a = OpVariable %L_huge Workgroup".replace(
         "%v4uint %many", "%uint %many"))
case("huge_value", "a value of more than",
     "%p = OpBitcast %G_huge %out\n%v = OpLoad %huge %p\nOpStore %p %v",
     "%many = OpConstant %uint 2000000000\n%huge = OpTypeArray %uint %many\n"
     "%G_huge = OpTypePointer CrossWorkgroup %huge")
case("huge_stride", "an array of 9223372036854775807 elements",
     "%p = OpBitcast %G_huge %out\n%q = OpPtrAccessChain %G_huge %p %ulong_m1\n"
     "OpCopyMemory %p %q", "%many = OpConstant %ulong 9223372036854775807\n"
     "%huge = OpTypeArray %v4uint %many\n%G_huge = OpTypePointer CrossWorkgroup %huge")
case("recursion", "OpenCL has no recursion",
     "%r = OpFunctionCall %uint %again %n\nOpStore %out %r",
     "%type_1 = OpTypeFunction %uint %uint", ["""%again = OpFunction %uint None %type_1
%x = OpFunctionParameter %uint
%entry = OpLabel
%y = OpFunctionCall %uint %again %x
OpReturnValue %y
OpFunctionEnd"""])
case("local_size_zero",
     "requires work-groups of", "OpStore %out %n", modes=["OpExecutionMode %test LocalSize 0 1 1"])
case("local_size_float",
     "requires work-groups of", "OpStore %out %float_bits",
     "%float_bits = OpSpecConstant %uint 3", version="1.3",
     modes=["OpExecutionModeId %test LocalSizeId %float_1 %float_1 %float_1"])
case("by_val_number", "a ByVal parameter that is no pointer",
     "%r = OpFunctionCall %uint %same %n\nOpStore %out %r",
     "%type_1 = OpTypeFunction %uint %uint", ["""%same = OpFunction %uint None %type_1
%x = OpFunctionParameter %uint
%entry = OpLabel
OpReturnValue %x
OpFunctionEnd"""], annotations=["OpDecorate %x FuncParamAttr ByVal"])
case("half_store_of_void", "a half store of what is no number",
     "%h = OpBitcast %G_half %out\n%v = OpExtInst %void %std vstore_half %f %ulong_0 %h\n"
     "%w = OpExtInst %void %std vstorea_halfn_r %v %ulong_0 %h RTZ", capabilities=["Float16Buffer"])
case("half_store_of_pointer", "a half store of what is no number",
     "%h = OpBitcast %G_half %out\n%w = OpExtInst %void %std vstorea_halfn %out %ulong_0 %h",
     capabilities=["Float16Buffer"])
for number, (text, error) in enumerate([
        ("%uint CompositeExtract %one 0", "there is no part 0"),
        ("%uint CompositeExtract %pair 7", "there is no part 7"),
        ("%v2uint CompositeInsert %one %pair 9", "there is no part 9"),
        ("%uint IAdd %pair %pair", "its operands are of another length"),
        ("%v4uint IAdd %pair %pair", "its operands are of another length"),
        ("%uint UConvert %pair", "its operands are of another length"),
        ("%uint Not %fone", "OpNot of constants is not supported"),
        ("%uint UDiv %fone %fone", "OpUDiv of constants is not supported"),
        ("%uint ConvertPtrToU %one", "OpConvertPtrToU of constants is not supported"),
        ("%G_uint PtrAccessChain %one %one", "that is not evaluated here")]):
    case(f"specialized_{number}", error,
         f"OpStore %out %n\n%k2 = OpCopyObject {text.split()[0]} %k",
         "%one = OpSpecConstant %uint 1\n%fone = OpSpecConstant %float 1\n"
         "%pair = OpSpecConstantComposite %v2uint %one %one\n"
         f"%k = OpSpecConstantOp {text}")

# Nobody validates modules with types that SPIRV-Tools does not know.
UNTYPED = {"capabilities": ["UntypedPointersKHR"], "extensions": ["SPV_KHR_untyped_pointers"]}
BFLOAT = {"capabilities": ["BFloat16TypeKHR"], "extensions": ["SPV_KHR_bfloat16"]}
POINTERS = "%G = OpTypeUntypedPointerKHR CrossWorkgroup"
case("untyped_chain_of_void", "an access chain into a scalar",
     "%p = OpUntypedAccessChainKHR %G %void %out %uint_1\nOpStore %p %n", POINTERS, **UNTYPED)
case("untyped_chain_of_number", "an access chain into no pointer",
     "%p = OpUntypedAccessChainKHR %G %n %out %uint_1\nOpStore %p %n", POINTERS, **UNTYPED)
case("untyped_chain_outside", "a member that is not there",
     "%p = OpUntypedAccessChainKHR %G %pair %out %uint_9\nOpStore %p %n",
     POINTERS + "\n%pair = OpTypeStruct %uint %uint", **UNTYPED)
case("untyped_chain_of_value", "an access chain into no pointer",
     "%p = OpUntypedPtrAccessChainKHR %G %uint %n %uint_1\nOpStore %p %n", POINTERS, **UNTYPED)
case("untyped_variable", "a variable of no type",
     "%p = OpUntypedVariableKHR %F Function\nOpStore %p %n",
     "%F = OpTypeUntypedPointerKHR Function", **UNTYPED)
case("untyped_global", "its type is no pointer to a type of objects",
     "OpStore %g %n", POINTERS + "\n%g = OpUntypedVariableKHR %G CrossWorkgroup %uint_1", **UNTYPED)
case("vload_of_structures", "a vector load or store through no pointer to a scalar",
     "%p = OpBitcast %to_pair %out\n"
     "%v = OpExtInst %v2uint %std vloadn %ulong_0 %p 2\nOpStore %out %n",
     "%pair = OpTypeStruct %uint %uint\n%to_pair = OpTypePointer CrossWorkgroup %pair", **UNTYPED)
case("untyped_atomic_result", "a result of another type",
     "%p = OpUntypedAccessChainKHR %G %uint %out\n"
     "%r = OpAtomicIAdd %v2uint %p %uint_1 %uint_0 %n", POINTERS, **UNTYPED)
BF = "%bf = OpTypeFloat 16 BFloat16KHR\n%bone = OpConstant %bf 0x3f80"
NO_BFLOAT = "an instruction without bfloat16"
case("bfloat_add", NO_BFLOAT, "%r = OpFAdd %bf %bone %bone", BF, **BFLOAT)
case("bfloat_compare", NO_BFLOAT,
     "%r = OpFOrdEqual %bool %bone %bone\n%s = OpSelect %uint %r %n %n\nOpStore %out %s", BF, **BFLOAT)
case("bfloat_sqrt", NO_BFLOAT, "%r = OpExtInst %bf %std sqrt %bone", BF, **BFLOAT)
case("bfloat_as_float", "a result of another type",
     "%r = OpCompositeConstruct %v2float %bone", BF, **BFLOAT)
case("bfloat_of_32_bits", "a float of 32 bits with encoding BFloat16KHR", "",
     "%bf = OpTypeFloat 32 BFloat16KHR", **BFLOAT)
case("bfloat_bitcast", "a cast between types of different sizes",
     "%r = OpBitcast %uint %bone\nOpStore %out %r", BF, **BFLOAT)
GATHER = {"capabilities": ["MaskedGatherScatterINTEL"],
          "extensions": ["SPV_INTEL_masked_gather_scatter"]}
case("gather_mask", "vectors of different sizes",
     "%p = OpCompositeConstruct %v2G %out %out\n"
     "%r = OpMaskedGatherINTEL %v2uint %p 4 %mask %n",
     "%v2G = OpTypeVector %G_uint 2\n%v4bool = OpTypeVector %bool 4\n"
     "%mask = OpConstantNull %v4bool", **GATHER)
case("gather_mask_of_numbers", TYPES,
     "%p = OpCompositeConstruct %v2G %out %out\n"
     "%r = OpMaskedGatherINTEL %v2uint %p 4 %null_v2uint %n",
     "%v2G = OpTypeVector %G_uint 2", **GATHER)
case("replicate_part", "a part that is not of the type of all parts",
     "%r = OpCompositeConstructReplicateEXT %v2uint %f",
     capabilities=["ReplicatedCompositesEXT"], extensions=["SPV_EXT_replicated_composites"])
case("data_words", "its data are not those of an array of integers", "",
     "%data = OpConstantDataKHR %a3_uint 1 2",
     capabilities=["ConstantDataKHR"], extensions=["SPV_KHR_constant_data"])
case("fma_integers", "OpFmaKHR of what is no float", "%r = OpFmaKHR %uint %n %n %n",
     capabilities=["FMAKHR"], extensions=["SPV_KHR_fma"])
case("fma_other_type", "operands of other types", "%r = OpFmaKHR %float %f %f %n",
     capabilities=["FMAKHR"], extensions=["SPV_KHR_fma"])
case("freeze_type", "a result of another type", "%r = OpFreezeKHR %v2uint %n",
     capabilities=["PoisonFreezeKHR"], extensions=["SPV_KHR_poison_freeze"])
case("bitwise_table", "a lookup table of more than 8 bits",
     "%r = OpBitwiseFunctionINTEL %uint %n %n %n %uint_256",
     capabilities=["TernaryBitwiseFunctionINTEL"],
     extensions=["SPV_INTEL_ternary_bitwise_function"])
case("predicate_number", TYPES, "%r = OpPredicatedLoadINTEL %uint %out %n %n",
     capabilities=["PredicatedIOINTEL"], extensions=["SPV_INTEL_predicated_io"])


def write_all():
    folder = os.path.join(HERE, "hostile")
    os.makedirs(folder, exist_ok=True)
    for name, (error, body, declarations, functions, options) in CASES.items():
        module = Module(**options)
        module.declare(declarations)
        for text in functions:
            module.function(text)
        module.kernel("test", [("out", "G_uint")], "%n = OpLoad %uint %out\n" + HEAD + body)
        with open(os.path.join(folder, name + ".spvasm"), "w", encoding="utf-8") as file:
            file.write(f"; error: {error}\n" + module.text())
