// SPDX-License-Identifier: MIT

#include "name_counters.h"

#include "Halide.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

namespace halidecache {

namespace {

size_t number_of(const std::string &name)
{
    return std::hash<std::string>()(name) & (kNameCounters - 1);
}

// What the counter of the name was at; it goes up by one.
int take(const std::string &name)
{
    const std::string made = Halide::Internal::unique_name(name);
    // At zero the name is as good as it is, else there is "$<value>" behind it.
    return made.size() <= name.size() + 1 ? 0 : atoi(made.c_str() + name.size() + 1);
}

struct Mark {
    std::string name;
    size_t number;
    int value;
};

// Some counters are advanced by steps that nothing else in memory looks like.
std::vector<Mark> make_marks()
{
    std::vector<Mark> marks;
    for (int i = 0; i < 8; i++) {
        const std::string name = std::string("counter_") + static_cast<char>('a' + i);
        int value = 0;
        for (int times = 0; times < 5 + 7 * (i % 4) + i; times++) {
            value = take(name) + 1;
        }
        marks.push_back({name, number_of(name), value});
    }
    // Two names may share a counter.
    for (Mark &mark : marks) {
        for (const Mark &other : marks) {
            if (other.number == mark.number && other.value > mark.value) {
                mark.value = other.value;
            }
        }
    }
    return marks;
}

bool has_marks(const NameCounters &table, const std::vector<Mark> &marks)
{
    for (const Mark &mark : marks) {
        if (table[mark.number].load(std::memory_order_relaxed) != mark.value) {
            return false;
        }
    }
    return true;
}

// System V ABI for x86-64, "Aggregates and Unions": arrays of 16 bytes and more.
#if defined(__x86_64__)
constexpr uintptr_t kAlignment = 16;
#else
constexpr uintptr_t kAlignment = alignof(std::atomic<int>);
#endif

std::vector<int> read_all(const NameCounters &table)
{
    std::vector<int> values(kNameCounters);
    for (size_t i = 0; i < kNameCounters; i++) {
        values[i] = table[i].load(std::memory_order_relaxed);
    }
    return values;
}

// Without the table: a name for every counter. That takes some 150,000 names.
std::vector<int> take_all()
{
    std::vector<int> values(kNameCounters, -1);
    size_t left = kNameCounters;
    std::string name = "aaaa";
    while (left > 0) {
        int &value = values[number_of(name)];
        if (value < 0) {
            value = take(name);
            left--;
        }
        // The next one, in some order.
        size_t place = 0;
        while (place < name.size() && ++name[place] > 'z') {
            name[place++] = 'a';
        }
        if (place == name.size()) {
            break;
        }
    }
    return values;
}

} // namespace

NameCounters *find_name_counters(const MemoryRange &zeroed)
{
    const std::vector<Mark> marks = make_marks();
    const auto start = reinterpret_cast<uintptr_t>(zeroed.start);
    const auto end = reinterpret_cast<uintptr_t>(zeroed.end);
    NameCounters *found = nullptr;
    const Mark &first = marks.front(); // nearly all there is fails at it
    for (uintptr_t at = (start + kAlignment - 1) / kAlignment * kAlignment;
         at + sizeof(NameCounters) <= end; at += kAlignment) {
        auto *table = reinterpret_cast<NameCounters *>(at);
        if ((*table)[first.number].load(std::memory_order_relaxed) == first.value &&
            has_marks(*table, marks)) {
            if (found != nullptr) {
                return nullptr;
            }
            found = table;
        }
    }
    const Mark &last = marks.back();
    const bool moves = found != nullptr && take(last.name) == last.value &&
                       (*found)[last.number].load() == last.value + 1;
    return moves ? found : nullptr;
}

std::string describe_name_counters(const NameCounters *table)
{
    const std::vector<int> values = table != nullptr ? read_all(*table) : take_all();
    std::string text;
    for (size_t i = 0; i < kNameCounters; i++) {
        if (values[i] != 0) {
            text += std::to_string(i) + ':' + std::to_string(values[i]) + ' ';
        }
    }
    return text;
}

NameCountersKeeper::NameCountersKeeper(NameCounters *table)
    : table_(table), values_(read_all(*table))
{
}

NameCountersKeeper::~NameCountersKeeper()
{
    for (size_t i = 0; i < kNameCounters; i++) {
        // Writing what is there already would take pages that nobody needs.
        if ((*table_)[i].load(std::memory_order_relaxed) != values_[i]) {
            (*table_)[i].store(values_[i], std::memory_order_relaxed);
        }
    }
}

} // namespace halidecache
