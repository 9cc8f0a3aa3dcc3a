// SPDX-License-Identifier: MIT

#include "confirmation.h"

#include "fingerprint.h"
#include "sandbox.h"

#include "Halide.h"

#include <cerrno>
#include <csignal>
#include <map>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace halidecache {

namespace {

using Halide::Expr;
using Halide::Parameter;
using Halide::Internal::AbstractGenerator;
using Halide::Internal::GeneratorRegistry;

// Describing a pipeline takes milliseconds; this is for what nobody has thought of.
constexpr unsigned kCopySeconds = 10;

// Stands for a generator in Halide's hands, and tells what it built.
class Recorder : public AbstractGenerator {
public:
    Recorder(Halide::Internal::AbstractGeneratorPtr generator, size_t index,
             const Confirmation &confirmation)
        : generator_(std::move(generator)), index_(index), confirmation_(confirmation)
    {
    }
    std::string name() override
    {
        return generator_->name();
    }
    Halide::GeneratorContext context() const override
    {
        return generator_->context();
    }
    std::vector<ArgInfo> arginfos() override
    {
        return generator_->arginfos();
    }
    void set_generatorparam_value(const std::string &name,
                                  const std::string &value) override
    {
        generator_->set_generatorparam_value(name, value);
    }
    void set_generatorparam_value(const std::string &name,
                                  const Halide::LoopLevel &level) override
    {
        generator_->set_generatorparam_value(name, level);
    }
    Halide::Pipeline build_pipeline() override
    {
        Halide::Pipeline pipeline = generator_->build_pipeline();
        // Errors end a Halide without exceptions, and names that another thread takes
        // meanwhile must not be given back.
        const bool can_stay_here = index_ == 0 &&
                                   confirmation_.name_counters != nullptr &&
                                   Halide::exceptions_enabled() && count_threads() == 1;
        if (!(can_stay_here ? send_fields_from_here(pipeline)
                            : send_fields_from_copy(pipeline))) {
            confirmation_.talk.close(); // it may have ended in the middle of a message
        }
        confirmation_.after_build();
        return pipeline;
    }
    std::vector<Parameter> input_parameter(const std::string &name) override
    {
        return generator_->input_parameter(name);
    }
    std::vector<Halide::Func> output_func(const std::string &name) override
    {
        return generator_->output_func(name);
    }
    void bind_input(const std::string &name,
                    const std::vector<Parameter> &values) override
    {
        generator_->bind_input(name, values);
    }
    void bind_input(const std::string &name,
                    const std::vector<Halide::Func> &values) override
    {
        generator_->bind_input(name, values);
    }
    void bind_input(const std::string &name, const std::vector<Expr> &values) override
    {
        generator_->bind_input(name, values);
    }
    bool emit_cpp_stub(const std::string &path) override
    {
        return generator_->emit_cpp_stub(path);
    }
    bool emit_hlpipe(const std::string &path) override
    {
        return generator_->emit_hlpipe(path);
    }
    bool allow_out_of_order_inputs_and_outputs() const override
    {
        return generator_->allow_out_of_order_inputs_and_outputs();
    }

private:
    // Serializing an embedded buffer takes a name for a copy of it, and with that moves a
    // counter that names in the outputs come from.
    bool send_fields_from_here(const Halide::Pipeline &pipeline)
    {
        const NameCountersKeeper keeper(confirmation_.name_counters);
        return send_all_fields(pipeline);
    }
    // For when that cannot be done here, and for when something has to be locked for good
    // to be looked at (shape.h). All memory that the process writes to after that has to
    // be faulted in again, which takes longer than the rest of it.
    bool send_fields_from_copy(const Halide::Pipeline &pipeline)
    {
        const pid_t copy = fork();
        if (copy == 0) {
            // Of a lock that another thread holds, nobody would let go in the copy.
            signal(SIGALRM, SIG_DFL);
            alarm(kCopySeconds);
            try {
                enter_sandbox(confirmation_.talk.descriptor(), open_printed());
                _exit(send_all_fields(pipeline) ? 0 : 1);
            } catch (...) { // a copy must not go on as the generator
            }
            _exit(1);
        }
        int status = -1;
        while (copy > 0 && waitpid(copy, &status, 0) < 0 && errno == EINTR) {
        }
        return status == 0;
    }
    bool send_all_fields(const Halide::Pipeline &pipeline)
    {
        try {
            send_fields(confirmation_.request, index_, generator_.get(), pipeline,
                        confirmation_.talk);
            return true;
        } catch (...) {
            return false;
        }
    }

    Halide::Internal::AbstractGeneratorPtr generator_;
    size_t index_;
    Confirmation confirmation_;
};

// Halide's registry has no call that gives a factory away. Naming private members in an
// explicit instantiation is the one way to them that the language allows.
template <typename Tag, typename Tag::Type member>
struct Reveal {
    friend typename Tag::Type reveal(Tag)
    {
        return member;
    }
};
struct Registry {
    using Type = GeneratorRegistry &(*)();
    friend Type reveal(Registry);
};
struct Factories {
    using Type = std::map<const std::string, Halide::Internal::GeneratorFactory>
        GeneratorRegistry::*;
    friend Type reveal(Factories);
};
template struct Reveal<Registry, &GeneratorRegistry::get_registry>;
template struct Reveal<Factories, &GeneratorRegistry::factories>;

} // namespace

void confirm_pipelines(const Confirmation &confirmation)
{
    GeneratorRegistry &registry = reveal(Registry())();
    auto &factories = registry.*reveal(Factories());
    const auto found = factories.find(confirmation.request.generator);
    if (found != factories.end()) {
        const Halide::Internal::GeneratorFactory original = found->second;
        auto built = std::make_shared<size_t>(0);
        found->second = [original, confirmation,
                         built](const Halide::GeneratorContext &context) {
            return Halide::Internal::AbstractGeneratorPtr(
                new Recorder(original(context), (*built)++, confirmation));
        };
    }
}

} // namespace halidecache
