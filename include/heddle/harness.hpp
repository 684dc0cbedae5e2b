/* harness.hpp: the harness of harness.h for C++ (docs/harness.md):
 *
 *     int main()
 *     {
 *         heddle::harness<Queue> h([] { return new Queue(4); });
 *         h.op("push", [](Queue &q, int v) { return q.push(v); });
 *         h.op("pop", [](Queue &q) { return q.pop(); });
 *         return h.linearizable();
 *     }
 *
 * Parameters are numbers; results are numbers, strings, pointers (NULL or not), std::optional of
 * these, or void. An exception is a result of its own.
 */
#ifndef HEDDLE_HARNESS_HPP
#define HEDDLE_HARNESS_HPP

#include <functional>
#include <heddle/heddle.h>
#include <list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace heddle
{

inline const int is_shared = heddle_share(); // before main: then all runs under Heddle share it

template <class T> long long number(const T &x)
{
    if constexpr (std::is_pointer_v<T>)
        return x != nullptr;
    else
        return (long long)x;
}
inline long long number(const std::string &x)
{
    return (long long)(std::hash<std::string>()(x) >> 1);
}
template <class T> long long number(const std::optional<T> &x)
{
    return x ? number(*x) : -1000000007;
}

template <class Object> class harness
{
    struct operation {
        struct heddle_op op {
        };
        std::string name;
        std::function<long long(const int *)> call;
    };
    static inline std::function<Object *()> make_;
    static inline Object *object_ = nullptr;
    std::list<operation> all_;

    template <class F, std::size_t... I> static constexpr bool takes(std::index_sequence<I...>)
    {
        return std::is_invocable_v<F, Object &, decltype((void)I, 0)...>;
    }
    template <class F, std::size_t... I>
    static long long call(F &f, const int *arg, std::index_sequence<I...>)
    {
        try {
            if constexpr (std::is_void_v<decltype(f(*object_, arg[I]...))>) {
                f(*object_, arg[I]...);
                return 0;
            } else {
                return number(f(*object_, arg[I]...));
            }
        } catch (...) {
            return -1000000009;
        }
    }
    template <std::size_t N, class F> void add(operation &o, F f)
    {
        static_assert(N <= HEDDLE_ARGS, "an operation takes the object and at most four numbers");
        if constexpr (takes<F>(std::make_index_sequence<N>())) {
            o.op.n_args = (int)N;
            o.call = [f](const int *arg) mutable {
                return call(f, arg, std::make_index_sequence<N>());
            };
        } else {
            add<N + 1>(o, f);
        }
    }

  public:
    explicit harness(std::function<Object *()> make)
    {
        make_ = make;
        heddle_make = [] { object_ = make_(); };
        heddle_destroy = [] { delete object_; };
    }
    template <class F> void op(const char *name, F f)
    {
        operation &o = all_.emplace_back();
        o.name = name;
        add<0>(o, f);
        o.op.name = o.name.c_str();
        o.op.self = &o;
        o.op.run = [](void *self, const int *arg) {
            return static_cast<operation *>(self)->call(arg);
        };
        heddle_add_op(&o.op);
    }
    int linearizable() { return heddle_harness_main(nullptr); }
    int spec(heddle_model *model) { return heddle_harness_main(model); }
};

} // namespace heddle

#endif
