// SPDX-License-Identifier: MIT
//
// A generator that builds whatever pipeline the file recipe.txt in the working folder
// describes, so that pipelines change while the program and its command line do not.
//
// A recipe has lines of two words. `seed <number>` decides everything; `<name> <number>`
// overrides the one decision of that name; lines that start with # say nothing. Whatever
// is decided, the pipeline and its schedule are legal: fuzz.c has the names.

#include "Halide.h"

#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace Halide;

namespace {

class Recipe {
  public:
    explicit Recipe(const char *path)
    {
        std::ifstream file(path);
        std::string line;
        while (std::getline(file, line)) {
            std::istringstream words(line);
            std::string name;
            uint64_t value = 0;
            if (line.rfind('#', 0) != 0 && words >> name >> value) {
                values[name] = value;
            }
        }
    }

    // The decision of that name: a number below `below`.
    int pick(const std::string &name, int below) const
    {
        const auto found = values.find(name);
        const uint64_t value = found != values.end() ? found->second : hash(name);
        return int(value % uint64_t(below));
    }

    bool chance(const std::string &name, int one_in) const
    {
        return pick(name, one_in) == 0;
    }

  private:
    uint64_t hash(const std::string &name) const
    {
        const auto seed = values.find("seed");
        uint64_t state =
            14695981039346656037u ^ (seed == values.end() ? 0 : seed->second);
        for (const char c : name) {
            state = (state ^ uint64_t(uint8_t(c))) * 1099511628211u;
        }
        state = (state ^ (state >> 33)) * 0xff51afd7ed558ccdu;
        return state ^ (state >> 33);
    }

    std::map<std::string, uint64_t> values;
};

const Type types[] = {UInt(8), UInt(16), Int(32), Float(32)};
constexpr int vector_sizes[] = {4, 8, 16};
constexpr TailStrategy inner_tails[] = {TailStrategy::Auto, TailStrategy::RoundUp,
                                        TailStrategy::GuardWithIf};
constexpr TailStrategy output_tails[] = {TailStrategy::Auto, TailStrategy::ShiftInwards,
                                         TailStrategy::GuardWithIf,
                                         TailStrategy::RoundUp};

// How deep in the loops of the main output something is computed. Something may be
// computed no deeper than what uses it.
enum Depth { DEPTH_ROOT, DEPTH_OUTER, DEPTH_INNER, DEPTH_INLINE };

struct Stage {
    std::string key; // what the names of its decisions start with
    Func func;
    bool reduces = false;
    std::vector<size_t> sources; // stages
    Depth depth = DEPTH_ROOT;
    Depth deepest = DEPTH_INNER; // where its users are
};

class Fuzz : public Generator<Fuzz> {
    // Before the inputs: they are declared by it.
    const Recipe recipe{"recipe.txt"};

  public:
    Input<int32_t> offset{name_of("offset", "offset", "shift"),
                          recipe.pick("offset.default", 5), -recipe.pick("offset.min", 3),
                          100 + recipe.pick("offset.max", 3)};
    Input<float> gain{"gain", float(recipe.pick("gain.default", 4)) * 0.25f};

    Output<Buffer<void>> output{name_of("out.name", "result", "picture"), output_types(),
                                2};

    void configure()
    {
        const int count = 1 + recipe.pick("inputs", 3);
        const int swapped = recipe.pick("swap", 3);
        for (int i = 0; i < count; i++) {
            add_image(count > 1 && i < 2 && swapped == 0 ? 1 - i : i);
        }
        const int unused = recipe.pick("unused", 4);
        for (int i = 0; i < unused; i++) {
            add_unused(recipe.chance("unused.swap", 2) ? unused - 1 - i : i);
        }
        if (recipe.chance("extra", 3)) {
            extra = add_output<Func>("extra", types[recipe.pick("extra.type", 4)], 2);
        }
    }

    void generate()
    {
        say();
        constrain();
        const int count = 1 + recipe.pick("stages", 4);
        for (int i = 0; i < count; i++) {
            add_stage(i);
        }
        define_outputs();
    }

    void schedule()
    {
        split_output();
        for (size_t i = stages.size(); i-- > 0;) {
            place(stages[i]);
        }
        finish_output();
    }

  private:
    struct Image {
        std::string key;
        GeneratorInput<Buffer<void>> *input;
    };
    std::vector<Image> images;
    struct Number {
        std::string key;
        GeneratorInput<int32_t> *input;
    };
    std::vector<Number> numbers;
    GeneratorOutput<Func> *extra = nullptr;
    std::vector<Stage> stages;
    Func last;
    Var x{name_of("var.x", "x", "column")}, y{name_of("var.y", "y", "row")};
    Var xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"};
    LoopLevel outer, inner;

    std::string name_of(const std::string &key, const char *one, const char *other) const
    {
        return recipe.chance(key + ".rename", 4) ? other : one;
    }

    std::vector<Type> output_types() const
    {
        const Type type = types[recipe.pick("out.type", 4)];
        return std::vector<Type>(recipe.chance("out.tuple", 4) ? 2 : 1, type);
    }

    // ---- Inputs ---------------------------------------------------------------------

    void add_image(int number)
    {
        const std::string key = "input" + std::to_string(number);
        const std::string name =
            name_of(key, key.c_str(), ("image" + std::to_string(number)).c_str());
        images.push_back({key, add_input<Buffer<void>>(
                                   name, types[recipe.pick(key + ".type", 4)], 2)});
    }

    void add_unused(int number)
    {
        const std::string key = "unused" + std::to_string(number);
        if (recipe.chance(key + ".image", 3)) {
            images.push_back({key, add_input<Buffer<void>>(key, UInt(8), 2)});
        } else if (recipe.chance(key + ".float", 2)) {
            add_input<float>(key);
        } else {
            numbers.push_back({key, add_input<int32_t>(key)});
        }
    }

    void constrain()
    {
        for (const Image &image : images) {
            constrain_image(image);
        }
        for (const Number &number : numbers) {
            if (recipe.chance(number.key + ".estimate", 2)) {
                number.input->set_estimate(
                    recipe.pick(number.key + ".estimate.value", 9));
            }
        }
        if (recipe.chance("offset.estimate", 2)) {
            offset.set_estimate(recipe.pick("offset.estimate.value", 9));
        }
    }

    void constrain_image(const Image &image)
    {
        GeneratorInput<Buffer<void>> &input = *image.input;
        const std::string &key = image.key;
        switch (recipe.pick(key + ".stride", 5)) {
        case 0:
            input.dim(0).set_stride(Expr());
            break;
        case 1:
            input.dim(0).set_stride(2 + recipe.pick(key + ".stride.value", 2));
            break;
        default:
            break;
        }
        if (recipe.chance(key + ".min", 4)) {
            input.dim(recipe.pick(key + ".min.dim", 2))
                .set_min(recipe.pick(key + ".min.value", 3));
        }
        if (recipe.chance(key + ".extent", 5)) {
            input.dim(1).set_extent(64 << recipe.pick(key + ".extent.value", 2));
        }
        if (recipe.chance(key + ".row", 5)) {
            input.dim(1).set_stride((input.dim(1).stride() / 8) * 8);
        }
        if (recipe.chance(key + ".align", 4)) {
            input.set_host_alignment(32 << recipe.pick(key + ".align.value", 2));
        }
        if (recipe.chance(key + ".estimate", 3)) {
            const int size = 640 + recipe.pick(key + ".estimate.value", 3);
            input.set_estimates({{0, size}, {0, 480}});
        }
    }

    // ---- Algorithm ------------------------------------------------------------------

    void say()
    {
        const std::string text =
            "recipe " + std::to_string(recipe.pick("print.value", 5)) + "\n";
        switch (recipe.pick("print", 6)) {
        case 0:
            std::cout << text << std::flush;
            break;
        case 1:
            std::cerr << text << std::flush;
            break;
        default:
            break;
        }
    }

    // A value at a position: of an input, or of an earlier stage.
    Expr read(Stage &stage, const std::string &key, const Expr &at_x, const Expr &at_y)
    {
        const int count = int(images_used() + stages.size());
        // The stage before this one more often than not, so that little is dead.
        int source = recipe.pick(key + ".source", 2 * count);
        if (source >= count || (!stages.empty() && key.back() == 'a')) {
            source = count - 1;
        }
        if (source >= int(images_used())) {
            const size_t number = size_t(source) - images_used();
            stage.sources.push_back(number);
            Func &func = stages[number].func;
            Expr value = func.outputs() == 1
                             ? Expr(func(at_x, at_y))
                             : Expr(func(at_x, at_y)[recipe.pick(key + ".element", 2)]);
            return value;
        }
        const Image &image = images[size_t(source)];
        Func edge;
        switch (recipe.pick(image.key + ".edge", 4)) {
        case 0:
            edge = BoundaryConditions::repeat_edge(*image.input);
            break;
        case 1:
            edge = BoundaryConditions::constant_exterior(
                *image.input, recipe.pick(image.key + ".edge.value", 3));
            break;
        case 2:
            edge = BoundaryConditions::mirror_image(*image.input);
            break;
        default:
            return (*image.input)(at_x, at_y);
        }
        return edge(at_x, at_y);
    }

    size_t images_used() const
    {
        return size_t(1 + recipe.pick("inputs", 3));
    }

    Expr combine(const std::string &key, const Expr &a, const Expr &b)
    {
        const int c = 1 + recipe.pick(key + ".constant", 7);
        switch (recipe.pick(key + ".op", 12)) {
        case 0:
            return a + b;
        case 1:
            return a - b;
        case 2:
            return a * c + b;
        case 3:
            return min(a, b) + offset;
        case 4:
            return max(a, b);
        case 5:
            return select(a > b + c, a, b);
        case 6:
            return clamp(a, c, 200) + b;
        case 7:
            return (a + b) / (c + 1);
        case 8:
            return cast<int32_t>(absd(a, b)) % (c + 1);
        case 9:
            return cast<int32_t>(cast<float>(a) * gain) + b;
        case 10:
            return cast<int32_t>(sqrt(cast<float>(abs(a) + c)) * 3.0f) - b;
        default:
            return table(key)(clamp(a + b, 0, 31));
        }
    }

    Buffer<int32_t> table(const std::string &key) const
    {
        Buffer<int32_t> values(32, name_of(key + ".table", "table", "curve"));
        const int step = 1 + recipe.pick(key + ".table.step", 5);
        for (int i = 0; i < 32; i++) {
            values(i) = i * step;
        }
        values(recipe.pick(key + ".table.at", 32)) =
            recipe.pick(key + ".table.value", 50);
        return values;
    }

    void add_stage(int number)
    {
        Stage stage;
        stage.key = "stage" + std::to_string(number);
        const std::string &key = stage.key;
        stage.func =
            Func(name_of(key, key.c_str(), ("f" + std::to_string(number)).c_str()));
        const int dx = recipe.pick(key + ".dx", 3) - 1;
        const int dy = recipe.pick(key + ".dy", 3) - 1;
        const Expr a = cast<int32_t>(read(stage, key + ".a", x + dx, y));
        const Expr b = cast<int32_t>(read(stage, key + ".b", x, y + dy));
        const Expr value = combine(key, a, b);
        const Type type = types[recipe.pick(key + ".type", 4)];
        switch (recipe.pick(key + ".kind", 6)) {
        case 0:
            stage.func(x, y) = Tuple(cast(type, value), cast(type, a));
            break;
        case 1:
            sum_up(stage, type, value, a);
            break;
        case 2:
            stage.reduces = true;
            stage.func(x, y) = cast(type, value);
            stage.func(x, y) = cast(type, stage.func(x, y) + cast(type, b));
            break;
        default:
            stage.func(x, y) = cast(type, value);
            break;
        }
        stages.push_back(stage);
    }

    void sum_up(Stage &stage, const Type &type, const Expr &value, const Expr &a)
    {
        const std::string &key = stage.key;
        const int extent = 2 + recipe.pick(key + ".taps", 4);
        RDom r(0, extent, name_of(key + ".rdom", "r", "taps"));
        if (recipe.chance(key + ".where", 3)) {
            r.where(r.x != recipe.pick(key + ".where.value", 2));
        }
        stage.reduces = true;
        stage.func(x, y) = cast(type, value);
        const Expr tap = cast<int32_t>(read(stage, key + ".tap.a", x + r.x, y));
        if (recipe.chance(key + ".product", 3)) {
            stage.func(x, y) = max(stage.func(x, y), cast(type, tap + a));
        } else {
            stage.func(x, y) += cast(type, tap * (r.x + 1));
        }
    }

    void define_outputs()
    {
        Stage &end = stages.back();
        const Type type = output.types()[0];
        Expr value =
            end.func.outputs() == 1 ? Expr(end.func(x, y)) : Expr(end.func(x, y)[0]);
        if (output.types().size() == 2) {
            output(x, y) = Tuple(cast(type, value), cast(type, value + offset));
        } else {
            output(x, y) = cast(type, value);
        }
        if (extra != nullptr) {
            Stage &used = stages[size_t(recipe.pick("extra.source", int(stages.size())))];
            Expr other = used.func.outputs() == 1 ? Expr(used.func(x, y))
                                                  : Expr(used.func(x, y)[1]);
            (*extra)(x, y) =
                cast(extra->type(), other + recipe.pick("extra.constant", 3));
            used.deepest = DEPTH_ROOT;
        }
    }

    // ---- Schedule -------------------------------------------------------------------

    void split_output()
    {
        Func main = output;
        const TailStrategy tail = output_tails[recipe.pick("out.tail", 4)];
        const int size = 8 << recipe.pick("out.size", 2);
        switch (recipe.pick("out.split", 3)) {
        case 0:
            outer = LoopLevel(main, y);
            inner = LoopLevel(main, y);
            yo = y;
            xi = x;
            break;
        case 1:
            main.split(y, yo, yi, size, tail);
            outer = LoopLevel(main, yo);
            inner = LoopLevel(main, yi);
            xi = x;
            break;
        default:
            main.tile(x, y, xo, yo, xi, yi, 16, size, tail);
            if (recipe.chance("out.reorder", 3)) {
                main.reorder(yi, xi, xo, yo);
            }
            outer = LoopLevel(main, yo);
            inner = LoopLevel(main, xo);
            break;
        }
    }

    void place(Stage &stage)
    {
        const std::string &key = stage.key;
        const int wanted = recipe.pick(key + ".at", 5);
        Depth depth = wanted == 4 ? DEPTH_INLINE : Depth(wanted % 3);
        if (depth == DEPTH_INLINE && (stage.reduces || stage.func.outputs() > 1)) {
            depth = DEPTH_ROOT;
        }
        if (depth != DEPTH_INLINE && depth > stage.deepest) {
            depth = stage.deepest;
        }
        stage.depth = depth;
        for (const size_t source : stage.sources) {
            const Depth used_at = depth == DEPTH_INLINE ? stage.deepest : depth;
            stages[source].deepest = std::min(stages[source].deepest, used_at);
        }
        if (depth == DEPTH_INLINE) {
            return;
        }
        place_loops(stage);
        shape(stage);
    }

    void place_loops(Stage &stage)
    {
        Func &func = stage.func;
        if (stage.depth == DEPTH_ROOT) {
            func.compute_root();
            return;
        }
        func.compute_at(stage.depth == DEPTH_OUTER ? outer : inner);
        // Not around a parallel loop.
        if (!recipe.chance("out.parallel", 3) &&
            recipe.chance(stage.key + ".store_root", 4)) {
            func.store_root();
        }
    }

    void shape(Stage &stage)
    {
        Func &func = stage.func;
        const std::string &key = stage.key;
        const int lanes = vector_sizes[recipe.pick(key + ".lanes", 3)];
        switch (recipe.pick(key + ".shape", 6)) {
        case 0:
            func.vectorize(x, lanes, inner_tails[recipe.pick(key + ".tail", 3)]);
            break;
        case 1: {
            Var xs("xs"), ys("ys");
            func.tile(x, y, xs, ys, 8, 2, inner_tails[recipe.pick(key + ".tail", 3)]);
            func.unroll(ys);
            break;
        }
        case 2:
            func.reorder(y, x);
            break;
        case 3:
            func.unroll(x, 1 + recipe.pick(key + ".unroll", 3));
            break;
        default:
            break;
        }
        if (stage.depth == DEPTH_ROOT && recipe.chance(key + ".parallel", 4)) {
            func.parallel(y);
        }
        if (recipe.chance(key + ".align_bounds", 5)) {
            func.align_bounds(x, 4, recipe.pick(key + ".align_bounds.value", 2));
        }
        if (recipe.chance(key + ".align_storage", 5)) {
            func.align_storage(x, 16 << recipe.pick(key + ".align_storage.value", 2));
        }
        if (recipe.chance(key + ".heap", 4)) {
            func.store_in(MemoryType::Heap);
        }
        if (recipe.chance(key + ".order", 5)) {
            func.reorder_storage(y, x);
        }
        if (stage.reduces && recipe.chance(key + ".update", 2)) {
            func.update().vectorize(x, lanes);
        }
    }

    void finish_output()
    {
        Func main = output;
        if (recipe.chance("out.vectorize", 2)) {
            main.vectorize(xi, vector_sizes[recipe.pick("out.lanes", 2)]);
        }
        if (recipe.chance("out.parallel", 3)) {
            main.parallel(yo, 1 + recipe.pick("out.parallel.size", 2));
        }
        if (recipe.chance("out.bound", 6)) {
            main.bound(x, 0, 64 << recipe.pick("out.bound.value", 2));
        }
        if (recipe.chance("out.estimate", 4)) {
            output.set_estimates(
                {{0, 640 + recipe.pick("out.estimate.value", 3)}, {0, 480}});
        }
        const bool is_tuple = output.types().size() > 1; // has no one buffer
        if (!is_tuple && recipe.chance("out.align", 5)) {
            output.set_host_alignment(32);
        }
        if (!is_tuple && recipe.chance("out.min", 5)) {
            output.dim(0).set_min(recipe.pick("out.min.value", 2));
        }
        if (recipe.chance("out.specialize", 5)) {
            main.specialize(offset > recipe.pick("out.specialize.value", 4));
        }
    }
};

} // namespace

HALIDE_REGISTER_GENERATOR(Fuzz, fuzz)
