// SPDX-License-Identifier: MIT

#include "shape.h"

#include "channel.h"

#include "Halide.h"

#include <cstring>
#include <map>
#include <vector>

namespace halidecache {

namespace {

using Halide::Expr;
using Halide::Internal::Definition;
using Halide::Internal::Function;

class Shape : public Halide::Internal::IRGraphVisitor {
public:
    std::string text;

    // Functions are described in the order in which they are come across: that of their
    // names would differ.
    void add_all(const std::vector<Function> &outputs)
    {
        for (const Function &output : outputs) {
            come_across(output);
        }
        for (size_t i = 0; i < functions_.size(); i++) {
            const Function function = functions_[i];
            add(function);
        }
    }

    void include(const Expr &expr) override
    {
        add_number(expr.defined() ? static_cast<uint64_t>(expr.node_type()) : 1000);
        if (expr.defined()) {
            add_type(expr.type());
            IRGraphVisitor::include(expr);
        }
    }
    void include(const Halide::Internal::Stmt &stmt) override
    {
        add_number(stmt.defined() ? static_cast<uint64_t>(stmt.node_type()) : 1000);
        if (stmt.defined()) {
            IRGraphVisitor::include(stmt);
        }
    }

private:
    using IRGraphVisitor::visit;

    std::map<std::string, uint64_t> names_;
    std::map<std::string, size_t> known_functions_;
    std::map<const halide_buffer_t *, size_t> images_;
    std::vector<Function> functions_;

    void add_number(uint64_t number)
    {
        append_u64(&text, number);
    }
    void add_type(const Halide::Type &type)
    {
        add_number(static_cast<uint64_t>(type.code()));
        add_number(static_cast<uint64_t>(type.bits()));
        add_number(static_cast<uint64_t>(type.lanes()));
    }
    void add_name(const std::string &name)
    {
        add_number(names_.emplace(name, names_.size()).first->second);
        // What is no digit is not made up.
        std::string rest;
        for (const char c : name) {
            if (c < '0' || c > '9') {
                rest.push_back(c);
            }
        }
        append_string(&text, rest);
    }
    void come_across(const Function &function)
    {
        if (known_functions_.emplace(function.name(), functions_.size()).second) {
            functions_.push_back(function);
        }
    }

    void visit(const Halide::Internal::IntImm *op) override
    {
        add_number(static_cast<uint64_t>(op->value));
    }
    void visit(const Halide::Internal::UIntImm *op) override
    {
        add_number(op->value);
    }
    void visit(const Halide::Internal::FloatImm *op) override
    {
        uint64_t bits = 0;
        std::memcpy(&bits, &op->value, sizeof bits);
        add_number(bits);
    }
    void visit(const Halide::Internal::StringImm *op) override
    {
        add_name(op->value);
    }
    void visit(const Halide::Internal::Variable *op) override
    {
        add_name(op->name);
        IRGraphVisitor::visit(op);
    }
    void visit(const Halide::Internal::Let *op) override
    {
        add_name(op->name);
        IRGraphVisitor::visit(op);
    }
    void visit(const Halide::Internal::Call *op) override
    {
        add_name(op->name);
        add_number(static_cast<uint64_t>(op->call_type));
        add_number(static_cast<uint64_t>(op->value_index));
        add_number(op->args.size());
        if (op->func.defined()) {
            come_across(Function(op->func));
        }
        add(op->image);
        IRGraphVisitor::visit(op);
    }

    void add(const Halide::Buffer<> &buffer)
    {
        add_number(buffer.defined());
        if (buffer.defined()) {
            const halide_buffer_t *raw = buffer.raw_buffer();
            for (int i = 0; i < raw->dimensions; i++) {
                add_number(static_cast<uint64_t>(raw->dim[i].min));
                add_number(static_cast<uint64_t>(raw->dim[i].extent));
                add_number(static_cast<uint64_t>(raw->dim[i].stride));
            }
            // A table may be used in many places.
            const auto known = images_.emplace(raw, images_.size());
            add_number(known.first->second);
            if (known.second && raw->host != nullptr) {
                append_string(&text,
                              std::string(reinterpret_cast<const char *>(raw->begin()),
                                          reinterpret_cast<const char *>(raw->end())));
            }
        }
    }
    // Only a level that is locked can be asked what it is, and then it is too late to set
    // it.
    void add(Halide::LoopLevel level)
    {
        level.lock();
        add_number(level.defined());
        if (level.defined()) {
            add_name(level.to_string());
        }
    }
    void add(const Definition &definition)
    {
        add_number(definition.defined());
        if (!definition.defined()) {
            return;
        }
        include(definition.predicate());
        for (const std::vector<Expr> *exprs :
             {&definition.args(), &definition.values()}) {
            add_number(exprs->size());
            for (const Expr &expr : *exprs) {
                include(expr);
            }
        }
        for (const auto &split : definition.schedule().splits()) {
            add_name(split.old_var);
            add_name(split.outer);
            add_name(split.inner);
            include(split.factor);
            add_number(split.exact);
            add_number(static_cast<uint64_t>(split.tail));
            add_number(static_cast<uint64_t>(split.split_type));
        }
        for (const auto &dim : definition.schedule().dims()) {
            add_name(dim.var);
            add_number(static_cast<uint64_t>(dim.for_type));
            add_number(static_cast<uint64_t>(dim.device_api));
        }
        definition.schedule().accept(this);
        for (const auto &specialization : definition.specializations()) {
            include(specialization.condition);
            add(specialization.definition);
        }
    }
    void add(const Function &function)
    {
        add_name(function.name());
        for (const Halide::Type &type : function.output_types()) {
            add_type(type);
        }
        add(function.schedule().compute_level());
        add(function.schedule().store_level());
        add_number(static_cast<uint64_t>(function.schedule().memory_type()));
        add_number(function.schedule().async());
        function.schedule().accept(this);
        if (function.has_pure_definition()) {
            add(function.definition());
        }
        for (const Definition &update : function.updates()) {
            add(update);
        }
        if (function.has_extern_definition()) {
            add_name(function.extern_function_name());
            for (const auto &argument : function.extern_arguments()) {
                add_number(static_cast<uint64_t>(argument.arg_type));
                if (argument.is_func()) {
                    come_across(Function(argument.func));
                } else if (argument.is_expr()) {
                    include(argument.expr);
                }
            }
        }
    }
};

} // namespace

std::string describe_shape(const Halide::Pipeline &pipeline)
{
    std::vector<Function> outputs;
    for (const Halide::Func &func : pipeline.outputs()) {
        outputs.push_back(func.function());
    }
    Shape shape;
    shape.add_all(outputs);
    for (const Halide::Internal::Stmt &requirement : pipeline.requirements()) {
        shape.include(requirement);
    }
    return shape.text;
}

} // namespace halidecache
