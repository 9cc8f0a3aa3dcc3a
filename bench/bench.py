#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures HalideCache with the examples and writes results.json; started by run.sh.

What is timed is timed by bench_measure and bench_store (measure.c, store_bench.c); this
file prepares the folders and says which commands to compare."""

import argparse
import datetime
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

PARTS = "abcdefg"
EDITED = "local_laplacian"  # its generator gets the comment of part e, and parts a and b use it
PARALLEL = (1, 2, 4, 8)


def say(text):
    print(f"== {text}", file=sys.stderr, flush=True)


def run(*command, **options):
    """Runs a command that is not measured; what it prints, or the end of the benchmark."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}\n{done.stdout}\nexit status {done.returncode}")
    return done.stdout


def run_for_json(*command):
    """Runs a program that measures. A warning of the cache means that it was not at work."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0 or "halide-cache: " in done.stderr:
        sys.exit(f"{shlex.join(command)}\n{done.stderr}\nexit status {done.returncode}")
    return json.loads(done.stdout)


# ---- Commands to measure ---------------------------------------------------------------


class Step:
    """One process."""

    def __init__(self, arguments, directory, variables=()):
        self.arguments = [str(argument) for argument in arguments]
        self.directory = directory
        self.variables = list(variables)


class Command:
    """What is timed as one; `fresh` are folders that are emptied before each run."""

    def __init__(self, name, steps, fresh=(), runs=None, parallel=False):
        self.name = name
        self.steps = steps
        self.fresh = list(fresh)
        self.runs = runs
        self.parallel = parallel

    def lines(self):
        yield f"command {self.name}"
        if self.runs is not None:
            yield f"runs {self.runs}"
        if self.parallel:
            yield "parallel"
        for folder in self.fresh:
            yield f"fresh {folder}"
        for step in self.steps:
            yield "step"
            yield f"directory {step.directory}"
            for variable in step.variables:
                yield f"variable {variable}"
            for argument in step.arguments:
                yield f"argument {argument}"


class Generator:
    """One generator command of the examples."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.is_runtime = "-r" in arguments
        name = arguments[arguments.index("-r" if self.is_runtime else "-n") + 1]
        self.name = name if self.is_runtime and "runtime" in name else name + " runtime" * self.is_runtime


class Bench:
    def __init__(self, options):
        self.options = options
        self.work = Path(options.work)
        self.source = self.work / "source"
        self.plain = self.work / "uncached"
        self.cached = self.work / "cached"
        self.scratch = Path(options.scratch or self.work).resolve() / "scratch"
        self.helper = self.work / "prefix" / "bin" / "halide-cache"
        self.measure_program = self.work / "helper" / "bench" / "bench_measure"
        self.store_program = self.work / "helper" / "bench" / "bench_store"
        self.cmake = shutil.which("cmake")
        self.ninja = shutil.which("ninja")
        self.parts = {}

    # ---- Preparation -------------------------------------------------------------------

    def configure_arguments(self, tree, cache):
        halide = Path(self.options.halide)
        # A wheel's package is below lib, lib64 or share.
        package = next(halide.glob("*/cmake/Halide/HalideConfig.cmake")).parent
        return [
            self.cmake, "-S", self.source, "-B", tree, "-G", "Ninja",
            f"-DCMAKE_MAKE_PROGRAM={self.ninja}",
            f"-DHalide_DIR={package}",
            f"-DHalideHelpers_DIR={package.parent / 'HalideHelpers'}",
            f"-DCMAKE_PREFIX_PATH={self.work / 'prefix'}",
            f"-DHalide_CACHE_DIR={cache}",
        ]  # fmt: skip

    def prepare(self):
        for folder in (self.source, self.cached, self.scratch, self.work / "cached.cache"):
            shutil.rmtree(folder, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        # A copy, because part e edits it.
        shutil.copytree(Path(self.options.root) / "examples", self.source)
        say("building the examples without a cache")
        run(*self.configure_arguments(self.plain, ""))
        run(self.ninja, "-C", self.plain)
        say("building the probe" + (", and the examples with a cache" if "e" in self.options.only else ""))
        run(*self.configure_arguments(self.cached, self.work / "cached.cache"))
        run(self.ninja, "-C", self.cached, *([] if "e" in self.options.only else ["halidecache_probe"]))
        self.generators = list(self.find_generators())
        self.cache_options = self.find_cache_options()

    def shell_commands(self, tree):
        for line in run(self.ninja, "-C", tree, "-t", "commands").splitlines():
            words = shlex.split(line)
            if words[:1] == ["cd"] and words[2:3] == ["&&"]:
                yield words[3:]

    def find_generators(self):
        for words in self.shell_commands(self.plain):
            if "-o" in words and "-e" in words and ("-g" in words or "-r" in words):
                if "&&" in words:
                    sys.exit(f"not a single command: {shlex.join(words)}")
                generator = Generator(words)
                if words[words.index("-o") + 1] != ".":
                    sys.exit(f"does not write into its folder: {shlex.join(words)}")
                yield generator

    def find_cache_options(self):
        """The options that the CMake package gives to the helper, but for the cache folder."""
        for words in self.shell_commands(self.cached):
            if Path(words[0]).name == "halide-cache" and words[1] == "run":
                return [word for word in words[2 : words.index("--")] if not word.startswith("--dir=")]
        sys.exit("no generator command of the examples is cached")

    # ---- Building blocks ---------------------------------------------------------------

    def measure(self, commands, rounds, warmup=1):
        lines = [f"rounds {rounds}", f"warmup {warmup}"]
        for command in commands:
            lines += command.lines()
        return run_for_json(self.measure_program, self.write_spec("spec", lines))

    def write_spec(self, name, lines):
        spec = self.scratch / f"{name}.txt"
        spec.write_text("\n".join(lines) + "\n")
        return spec

    def through_cache(self, generator, cache, direct=True):
        options = [o for o in self.cache_options if direct or not o.startswith("--tracer")]
        return [self.helper, "run", f"--dir={cache}", *options, "--", *generator.arguments]

    def check_log(self, command, expected):
        """Runs it once more and makes sure that it is what it is taken for."""
        log = self.scratch / "log.txt"
        log.unlink(missing_ok=True)
        for step in command.steps:
            step.variables.append(f"HALIDE_CACHE_LOG={log}")
        self.measure([command], 1, 0)
        for step in command.steps:
            step.variables.pop()
        text = log.read_text() if log.exists() else ""
        ends = [line for line in text.splitlines() if ", key " in line]
        if len(ends) != len(command.steps) or not all(line.startswith(expected) for line in ends):
            sys.exit(f"'{command.name}' is no {expected}:\n{text}")

    def check_misses(self, cache, count):
        """Makes sure that a new cache has seen this many misses, and nothing else."""
        counts = json.loads(run(self.helper, "stats", "--json", "--dir", cache))
        others = {name: counts[name] for name in ("direct_hits", "pipeline_hits", "bypasses", "errors") if counts[name]}
        if counts["misses"] != count or others:
            sys.exit(f"{count} misses were expected:\n{counts}")

    def named(self, name):
        return next(g for g in self.generators if g.name == name)

    # ---- The parts ---------------------------------------------------------------------

    def part_a(self):
        say("a: a direct hit against cp of the same files")
        generator = self.named(EDITED)
        kept, target, cache = (self.scratch / name for name in ("kept", "target", "cache-a"))
        self.measure([Command("keep", [Step(generator.arguments, kept)], [kept])], 1, 0)
        files = sorted(kept.iterdir())
        hit = Command("direct hit", [Step(self.through_cache(generator, cache), target)], [target])
        copy = Command("cp", [Step([shutil.which("cp"), *files, target], kept)], [target])
        self.measure([Command("fill", hit.steps, [cache, target])], 1, 0)
        self.check_log(hit, "direct hit")
        results = self.measure([hit, copy], 6 * self.options.runs, 3)
        self.check_log(hit, "direct hit")
        return {"library": generator.name, "bytes": sum(f.stat().st_size for f in files), "results": results}

    def build_stop_plugin(self, name, *flags):
        plugin = self.scratch / f"{name}.so"
        include = Path(self.options.halide) / "include"
        run("c++", "-std=c++17", "-O2", "-shared", "-fPIC", f"-I{include}", *flags,
            Path(self.options.root) / "bench" / "stop_plugin.cpp", "-o", plugin)  # fmt: skip
        return plugin

    def part_b(self):
        say("b: a pipeline hit against a generator that is started and stopped")
        leave = self.build_stop_plugin("stop_leave")
        build = self.build_stop_plugin("stop_build", "-DBUILD_PIPELINE")
        libraries = {}
        for name in (EDITED, "blur_box3"):
            generator = self.named(name)
            target, cache = self.scratch / "target", self.scratch / "cache-b"

            def stopped(title, plugin, generator=generator, target=target):
                return Command(title, [Step([*generator.arguments, "-p", plugin], target)], [target])

            hit = Command("pipeline hit", [Step(self.through_cache(generator, cache, False), target)], [target])
            self.measure([Command("fill", hit.steps, [cache, target])], 1, 0)
            self.check_log(hit, "pipeline hit")
            commands = [hit, stopped("start and leave", leave), stopped("start, build, leave", build)]
            libraries[name] = self.measure(commands, 2 * self.options.runs, 2)
            self.check_log(hit, "pipeline hit")
        return libraries

    def part_c(self):
        # One library of each generator, and one runtime.
        generators = {}
        for generator in self.generators:
            generators.setdefault(generator.arguments[0], generator)
        results = []
        for generator in generators.values():
            say(f"c: a miss against no cache: {generator.name}")
            # Nothing is removed meanwhile: ext4 is slow to make files where others were removed just now.
            folder, cache = (self.scratch / f"{kind}-{len(results)}" for kind in ("misses", "cache-c"))
            folder.mkdir()
            target, variables = folder / "{run}", ["HL_BENCH_RUN={run}"]
            plain = Command("uncached", [Step(generator.arguments, target, variables)], [target])
            miss = Command("miss", [Step(self.through_cache(generator, cache), target, variables)], [target])
            measured = self.measure([plain, miss], self.options.compile_runs)
            self.check_misses(cache, self.options.compile_runs + 1)
            results.append({"name": generator.name, "runtime": generator.is_runtime, **measured})
        return results

    def steps_in(self, folder, cache=None, variables=()):
        """All generator commands in order, each in a folder of its own; and these folders."""
        folders = [folder] + [folder / str(i) for i in range(len(self.generators))]
        steps = [
            Step(generator.arguments if cache is None else self.through_cache(generator, cache), where, variables)
            for generator, where in zip(self.generators, folders[1:])
        ]
        return steps, folders

    def part_d(self):
        say("d: the generator steps of the examples: uncached, cold, warm")
        folder, cache = self.scratch / "steps", self.scratch / "cache-d"
        plain, folders = self.steps_in(folder)
        cached, _ = self.steps_in(folder, cache)
        few = self.options.suite_runs
        steps = self.measure(
            [
                Command("uncached", plain, folders, few),
                Command("cold", cached, [cache, *folders], few),
                Command("warm", cached, folders),
            ],
            self.options.runs,
            0,
        )
        say("d: the whole examples from empty build folders: uncached, cold, warm")
        tree = self.scratch / "suite"

        def whole(name, cache, fresh):
            configure = Step(self.configure_arguments(tree, cache or ""), self.source)
            return Command(name, [configure, Step([self.ninja, "-C", tree], self.source)], fresh)

        whole_commands = [
            whole("uncached", None, [tree]),
            whole("cold", cache, [cache, tree]),
            whole("warm", cache, [tree]),
        ]
        builds = self.measure(whole_commands, few, 0)
        return {"steps": steps, "builds": builds, "commands": len(self.generators), **self.count_runtimes()}

    def count_runtimes(self):
        """How many runtimes four cold builds at once compile, and how many different ones there are."""
        log, cache = self.scratch / "log.txt", self.scratch / "cache-r"
        log.unlink(missing_ok=True)
        self.measure([self.at_once(4, cache, True, [f"HALIDE_CACHE_LOG={log}"])], 1, 0)
        lines = [line for line in log.read_text().splitlines() if " runtime -> " in line]
        keys = {re.search(r"key ([0-9a-f]{64})", line).group(1) for line in lines}
        return {
            "runtime_commands": sum(g.is_runtime for g in self.generators),
            "distinct_runtimes": len(keys),
            "compiled_runtimes": sum(bool(re.search(r"\bmiss runtime", line)) for line in lines),
        }

    def part_e(self):
        say("e: a build after the comment in one generator was edited")
        source = self.source / EDITED / f"{EDITED}_generator.cpp"
        text = source.read_text()
        results = {}
        source.write_text("// An edited comment.\n" + text)
        for name, tree in (("uncached", self.plain), ("cached", self.cached)):
            printed = run(self.ninja, "-C", tree, env={**os.environ, "NINJA_STATUS": "[%f/%t] "})
            results[name] = max(int(done) for done in re.findall(r"^\[(\d+)/\d+\]", printed, re.MULTILINE))
            results[name + " again"] = len(re.findall(r"^\[", run(self.ninja, "-C", tree), re.MULTILINE))
        # The other parts go on with the generator as it was.
        source.write_text(text)
        run(self.ninja, "-C", self.plain)
        return results

    def part_f(self):
        counts = (100, 1000, 10000) if self.options.quick else (100, 10000, 100000)
        if shutil.disk_usage(self.work).free < 3 << 30:
            say("f: less than 3 GB are free: the largest store has 10,000 entries")
            counts = (100, 1000, 10000)
        say(f"f: stores of {', '.join(str(count) for count in counts)} entries")
        folder = self.scratch / "stores"
        shutil.rmtree(folder, ignore_errors=True)
        # The number of runs is that of many parts of a millisecond.
        runs, prunes = 4 * self.options.runs, max(3, self.options.runs // 5)
        results = run_for_json(self.store_program, folder, runs, prunes, *counts)
        shutil.rmtree(folder)
        return results

    def at_once(self, count, cache, cold, variables=(), runs=None):
        """So many builds of all generator steps at once."""
        fresh, steps = [cache] if cold else [], []
        for i in range(count):
            inner, folders = self.steps_in(self.scratch / f"build-{i}", cache, variables)
            spec = self.write_spec(f"build-{i}-{count}", ["rounds 1", *Command("build", inner).lines()])
            fresh += folders
            steps.append(Step([self.measure_program, spec], self.scratch))
        return Command(f"{count} {'cold' if cold else 'warm'}", steps, fresh, runs, True)

    def part_g(self):
        say("g: several builds at once on one cache")
        cache = self.scratch / "cache-g"
        results = {}
        for count in PARALLEL:
            cold = self.at_once(count, cache, True, runs=self.options.suite_runs)
            warm = self.at_once(count, cache, False)
            results.update(self.measure([cold, warm], self.options.runs, 0))
        return results

    # ---- All of it ---------------------------------------------------------------------

    def describe_machine(self):
        def first_line(*command):
            return run(*command).splitlines()[0].strip()

        cpu = platform.machine()
        try:
            cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()).group(1)
        except (OSError, AttributeError):
            pass
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return {
            "CPU": cpu,
            "cores": str(os.cpu_count()),
            "memory": f"{memory / 2**30:.1f} GiB",
            "file system": first_line("stat", "-f", "-c", "%T", self.work),
            "kernel": f"{platform.system()} {platform.release()}",
            "C library": " ".join(platform.libc_ver()),
            "Halide": self.options.halide_version,
            "compiler": first_line("c++", "--version"),
            "CMake": first_line(self.cmake, "--version").removeprefix("cmake version "),
            "Ninja": first_line(self.ninja, "--version"),
            "halide-cache": first_line(self.helper, "--version").removeprefix("halide-cache "),
            "load at the start": f"{os.getloadavg()[0]:.1f}",
            "date": datetime.date.today().isoformat(),
        }

    def run_all(self):
        machine = self.describe_machine()
        self.prepare()
        out = Path(self.options.out) / "results.json"
        failed = []
        # Parts that are not measured now keep the results of the last time.
        if out.exists() and self.options.only != PARTS:
            last = json.loads(out.read_text())
            if last["quick"] == self.options.quick:
                self.parts = {part: last[part] for part in PARTS if part in last}
        for part in self.options.only:
            # A part that fails, or a run that is interrupted, does not cost the others.
            try:
                self.parts[part] = getattr(self, f"part_{part}")()
            except SystemExit as error:
                say(f"{part} failed: {error}")
                failed.append(part)
            document = {"machine": machine, "quick": self.options.quick, **self.parts}
            out.write_text(json.dumps(document, indent=1) + "\n")
        if failed:
            sys.exit(f"these parts failed: {', '.join(failed)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("root", "work", "halide", "halide-version", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--quick", action="store_true", help="few runs: shows that it works")
    parser.add_argument("--only", default=PARTS, help="parts to measure, and in which order, such as abf")
    parser.add_argument("--runs", type=int, help="of what takes milliseconds (50)")
    parser.add_argument("--scratch", help="where commands write, and their caches are (the build folder)")
    parser.add_argument("--compile-runs", type=int, help="of each compile (50)")
    parser.add_argument("--suite-runs", type=int, help="of a whole uncached or cold build (5)")
    options = parser.parse_args()
    options.only = options.only.replace(",", "")
    if not set(options.only) <= set(PARTS):
        parser.error(f"--only takes letters of {PARTS}")
    options.runs = options.runs or (5 if options.quick else 50)
    options.compile_runs = options.compile_runs or (2 if options.quick else 50)
    options.suite_runs = options.suite_runs or (1 if options.quick else 5)
    Bench(options).run_all()


if __name__ == "__main__":
    main()
