// SPDX-License-Identifier: MIT
//
// serialize_pipeline writes the algorithm and the schedule. A module is built from more:
// the generator's inputs with their constraints and defaults, used or not, and in their
// order; the outputs' names; the target and the autoscheduler that the generator ended
// up with; the C++ names of pointer types. All of it is public in Halide.h, and sent here
// with it. docs/soundness.md lists, for each, what would go stale without it.

#include "fingerprint.h"

#include "process_state.h"
#include "shape.h"

#include "Halide.h"

#include <cstring>
#include <map>
#include <set>
#include <sstream>

namespace halidecache {

namespace {

using Halide::Expr;
using Halide::Parameter;
using Halide::Type;
using Halide::Internal::AbstractGenerator;
using Halide::Internal::Function;
using Halide::Internal::GeneratorRegistry;

std::string describe(const Type &type)
{
    std::string text;
    append_u32(&text, static_cast<uint32_t>(type.code()));
    append_u32(&text, static_cast<uint32_t>(type.bits()));
    append_u32(&text, static_cast<uint32_t>(type.lanes()));
    const halide_handle_cplusplus_type *handle = type.handle_type;
    append_u32(&text, handle != nullptr);
    if (handle != nullptr) {
        append_u32(&text, static_cast<uint32_t>(handle->inner_name.cpp_type_type));
        append_string(&text, handle->inner_name.name);
        append_u64(&text, handle->namespaces.size());
        for (const std::string &name : handle->namespaces) {
            append_string(&text, name);
        }
        append_u64(&text, handle->enclosing_types.size());
        for (const halide_cplusplus_type_name &outer : handle->enclosing_types) {
            append_u32(&text, static_cast<uint32_t>(outer.cpp_type_type));
            append_string(&text, outer.name);
        }
        append_string(&text, std::string(handle->cpp_type_modifiers.begin(),
                                         handle->cpp_type_modifiers.end()));
        append_u32(&text, static_cast<uint32_t>(handle->reference_type));
    }
    return text;
}

// Walks expressions for what neither their printed form nor the serialized pipeline
// tells: exact floating-point constants, types of variables, C++ names of pointer types,
// and parameters that were made without declaring an input.
class Details : public Halide::Internal::IRGraphVisitor {
public:
    std::string text;
    std::map<std::string, Parameter> parameters;
    std::set<const halide_buffer_t *> images;

private:
    using IRGraphVisitor::visit;

    void note(const Type &type)
    {
        if (type.is_handle()) {
            append_string(&text, describe(type));
        }
    }
    // Serialization keeps what lies inside the extents; code generation embeds the memory
    // as it is, with what lies between the rows, or around a crop.
    void note(const Halide::Buffer<> &image)
    {
        const halide_buffer_t *raw = image.defined() ? image.raw_buffer() : nullptr;
        if (raw == nullptr || !images.insert(raw).second) {
            return;
        }
        for (int i = 0; i < raw->dimensions; i++) {
            append_u32(&text, static_cast<uint32_t>(raw->dim[i].min));
            append_u32(&text, static_cast<uint32_t>(raw->dim[i].extent));
            append_u32(&text, static_cast<uint32_t>(raw->dim[i].stride));
        }
        if (raw->host != nullptr) {
            append_string(&text, std::string(reinterpret_cast<const char *>(raw->begin()),
                                             raw->size_in_bytes()));
        }
    }
    void note(const Parameter &parameter)
    {
        if (parameter.defined()) {
            parameters.emplace(parameter.name(), parameter);
        }
    }

    void visit(const Halide::Internal::FloatImm *op) override
    {
        uint64_t bits = 0;
        std::memcpy(&bits, &op->value, sizeof bits);
        append_u64(&text, bits);
    }
    void visit(const Halide::Internal::Variable *op) override
    {
        append_string(&text, describe(op->type));
        note(op->param);
        note(op->image);
        IRGraphVisitor::visit(op);
    }
    void visit(const Halide::Internal::Call *op) override
    {
        note(op->type);
        note(op->param);
        note(op->image);
        IRGraphVisitor::visit(op);
    }
    void visit(const Halide::Internal::Load *op) override
    {
        note(op->type);
        note(op->param);
        note(op->image);
        IRGraphVisitor::visit(op);
    }
    void visit(const Halide::Internal::Cast *op) override
    {
        note(op->type);
        IRGraphVisitor::visit(op);
    }
    void visit(const Halide::Internal::Reinterpret *op) override
    {
        note(op->type);
        IRGraphVisitor::visit(op);
    }
};

std::string describe(const Expr &expr)
{
    std::string text;
    append_u32(&text, expr.defined());
    if (expr.defined()) {
        std::ostringstream printed;
        printed << expr;
        append_string(&text, printed.str());
        append_string(&text, describe(expr.type()));
        Details details;
        expr.accept(&details);
        append_string(&text, details.text);
    }
    return text;
}

#if HALIDE_VERSION_MAJOR >= 20
std::string describe_tracing(const Parameter &parameter)
{
    std::string text;
    append_u32(&text, parameter.is_tracing_loads());
    for (const std::string &tag : parameter.get_trace_tags()) {
        append_string(&text, tag);
    }
    return text;
}
#else
std::string describe_tracing(const Parameter &)
{
    return {};
}
#endif

std::string describe(const Parameter &parameter)
{
    std::string text;
    append_string(&text, parameter.name());
    append_string(&text, describe(parameter.type()));
    append_u32(&text, parameter.is_buffer());
    if (parameter.is_buffer()) {
        append_u32(&text, static_cast<uint32_t>(parameter.dimensions()));
        append_u32(&text, static_cast<uint32_t>(parameter.host_alignment()));
        append_u32(&text, static_cast<uint32_t>(parameter.memory_type()));
        for (int i = 0; i < parameter.dimensions(); i++) {
            append_string(&text, describe(parameter.min_constraint(i)));
            append_string(&text, describe(parameter.extent_constraint(i)));
            append_string(&text, describe(parameter.stride_constraint(i)));
            append_string(&text, describe(parameter.min_constraint_estimate(i)));
            append_string(&text, describe(parameter.extent_constraint_estimate(i)));
        }
        append_string(&text, describe_tracing(parameter));
    } else {
        append_string(&text, describe(parameter.default_value()));
        append_string(&text, describe(parameter.min_value()));
        append_string(&text, describe(parameter.max_value()));
        append_string(&text, describe(parameter.estimate()));
    }
    return text;
}

std::string describe_arguments(AbstractGenerator *generator)
{
    std::string text;
    for (const auto &info : generator->arginfos()) {
        append_string(&text, info.name);
        append_u32(&text, static_cast<uint32_t>(info.dir));
        append_u32(&text, static_cast<uint32_t>(info.kind));
        append_u32(&text, static_cast<uint32_t>(info.dimensions));
        append_u64(&text, info.types.size());
        for (const Type &type : info.types) {
            append_string(&text, describe(type));
        }
    }
    append_u32(&text, generator->allow_out_of_order_inputs_and_outputs());
    return text;
}

std::string describe_inputs(AbstractGenerator *generator)
{
    std::string text;
    for (const auto &info : generator->arginfos()) {
        if (info.dir == Halide::Internal::ArgInfoDirection::Input) {
            const std::vector<Parameter> parameters =
                generator->input_parameter(info.name);
            append_string(&text, info.name);
            append_u64(&text, parameters.size());
            for (const Parameter &parameter : parameters) {
                append_string(&text, describe(parameter));
            }
        }
    }
    return text;
}

std::string describe_outputs(AbstractGenerator *generator)
{
    std::string text;
    for (const auto &info : generator->arginfos()) {
        if (info.dir == Halide::Internal::ArgInfoDirection::Output) {
            const std::vector<Halide::Func> funcs = generator->output_func(info.name);
            append_string(&text, info.name);
            append_u64(&text, funcs.size());
            for (const Halide::Func &func : funcs) {
                append_string(&text, func.name());
                append_u64(&text, static_cast<uint64_t>(func.outputs()));
                for (const Parameter &buffer : func.function().output_buffers()) {
                    append_string(&text, describe(buffer));
                }
            }
        }
    }
    return text;
}

std::string describe_context(const Halide::GeneratorContext &context)
{
    std::string text;
    append_string(&text, context.target().to_string());
    append_string(&text, context.autoscheduler_params().name);
    for (const auto &extra : context.autoscheduler_params().extra) {
        append_string(&text, extra.first);
        append_string(&text, extra.second);
    }
    return text;
}

// What lies in the expressions of the whole pipeline and is lost by serialization.
std::string describe_details(const Halide::Pipeline &pipeline)
{
    std::vector<Function> outputs;
    for (const Halide::Func &func : pipeline.outputs()) {
        outputs.push_back(func.function());
    }
    Details details;
    std::string text;
    for (const auto &named : Halide::Internal::build_environment(outputs)) {
        const Function &function = named.second;
        append_string(&text, named.first);
        function.accept(&details);
        append_u32(&text, function.is_tracing_loads());
        append_u32(&text, function.is_tracing_stores());
        append_u32(&text, function.is_tracing_realizations());
        append_u32(&text, function.should_not_profile());
        for (const std::string &tag : function.get_trace_tags()) {
            append_string(&text, tag);
        }
        append_string(&text, function.debug_file());
        for (const Type &type : function.output_types()) {
            append_string(&text, describe(type));
        }
        if (function.has_extern_definition()) {
            append_string(&text, function.extern_function_name());
            append_u32(&text,
                       static_cast<uint32_t>(function.extern_definition_name_mangling()));
            append_u32(&text,
                       static_cast<uint32_t>(function.extern_function_device_api()));
            append_string(&text, describe(function.extern_definition_proxy_expr()));
        }
    }
    for (const Halide::Internal::Stmt &requirement : pipeline.requirements()) {
        requirement.accept(&details);
    }
    append_string(&text, details.text);
    for (const auto &named : details.parameters) {
        append_string(&text, describe(named.second));
    }
    return text;
}

} // namespace

void send_fields(const Request &request, size_t index, AbstractGenerator *generator,
                 const Halide::Pipeline &pipeline, const Messages &to)
{
    const std::string suffix = "/" + std::to_string(index);
    // Names that Halide makes up depend on what it compiled before, which the copy does
    // not do: behind the first target only what has no such names in it can be confirmed.
    // The shape stands for the rest.
    const uint32_t with_names = index == 0 ? PROBE_PIPELINE : PROBE_FIELD;
    to.send_field(PROBE_PIPELINE, "arguments" + suffix, describe_arguments(generator));
    to.send_field(PROBE_PIPELINE, "inputs" + suffix, describe_inputs(generator));
    to.send_field(with_names, "outputs" + suffix, describe_outputs(generator));
    to.send_field(PROBE_PIPELINE, "context" + suffix,
                  describe_context(generator->context()));
    to.send_field(with_names, "details" + suffix, describe_details(pipeline));
    to.send_field(PROBE_PIPELINE, "process" + suffix,
                  describe_process(request.variables_at_start));
    std::vector<uint8_t> bytes;
    Halide::serialize_pipeline(pipeline, bytes);
    to.send_field(with_names, "pipeline" + suffix,
                  std::string(bytes.begin(), bytes.end()));
    if (index > 0) {
        to.send_field(PROBE_PIPELINE, "shape" + suffix, describe_shape(pipeline));
    }
}

namespace {

// What is looked at is a graph, and looking at it recursive. What there is room for here
// has to find room again in the process itself, where Halide calls from another depth.
__attribute__((noinline)) void
send_fields_with_little_stack(const Request &request, size_t index,
                              AbstractGenerator *generator,
                              const Halide::Pipeline &pipeline, const Messages &to)
{
    constexpr size_t kReserve = 256 * 1024;
    [[maybe_unused]] volatile char reserve[kReserve];
    reserve[0] = 0;
    send_fields(request, index, generator, pipeline, to);
    reserve[1] = 0; // it is in use up to here
}

bool report_target(const Request &request, size_t index, const Messages &report,
                   bool *chooses_autoscheduler)
{
    Halide::Target target(request.targets[index]);
    if (request.targets.size() > 1) {
        target = target.with_feature(Halide::Target::NoRuntime);
    }
    // What compile_multitarget does before it builds each target.
    Halide::Internal::reset_random_counters();
    auto generator =
        GeneratorRegistry::create(request.generator, Halide::GeneratorContext(target));
    if (generator == nullptr) {
        report.send_bypass(BYPASS_UNKNOWN_GENERATOR, request.generator);
        return false;
    }
    for (const auto &param : request.params) {
        generator->set_generatorparam_value(param.first, param.second);
    }
    Halide::Pipeline pipeline = generator->build_pipeline();
    if (!pipeline.custom_lowering_passes().empty()) {
        report.send_bypass(BYPASS_CUSTOM_LOWERING, request.generator);
        return false;
    }
    send_fields_with_little_stack(request, index, generator.get(), pipeline, report);

    // One that no param names can only be the generator's own choice.
    const std::string scheduler = generator->context().autoscheduler_params().name;
    bool named_by_param = scheduler.empty();
    for (const auto &param : request.params) {
        named_by_param |= param.first == "autoscheduler" && param.second == scheduler;
    }
    *chooses_autoscheduler |= !named_by_param;
    return true;
}

} // namespace

void load_plugins(const Request &request)
{
    for (const std::string &plugin : request.plugins) {
        Halide::load_plugin(plugin);
    }
}

bool has_own_autoscheduler(const std::string &name)
{
    try {
        Halide::Pipeline::add_autoscheduler(name, [](const Halide::Pipeline &,
                                                     const Halide::Target &,
                                                     const Halide::AutoschedulerParams &,
                                                     Halide::AutoSchedulerResults *) {});
        return false;
    } catch (...) {
        return true;
    }
}

std::string describe_current_exception()
{
    try {
        throw;
    } catch (const Halide::Error &error) { // no std::exception since Halide 21
        return error.what();
    } catch (const std::exception &error) {
        return error.what();
    } catch (...) {
        return "an unknown exception";
    }
}

bool report_pipelines(const Request &request, const Messages &report,
                      bool *chooses_autoscheduler)
{
    for (size_t i = 0; i < request.targets.size(); i++) {
        if (!report_target(request, i, report, chooses_autoscheduler)) {
            return false;
        }
    }
    return true;
}

void report_runtime(const Request &request, const Messages &report)
{
    for (size_t i = 0; i < request.targets.size(); i++) {
        report.send_field(PROBE_FIELD, "target/" + std::to_string(i),
                          Halide::Target(request.targets[i]).to_string());
    }
}

const void *address_in_halide()
{
    return reinterpret_cast<const void *>(&Halide::load_plugin);
}

} // namespace halidecache
