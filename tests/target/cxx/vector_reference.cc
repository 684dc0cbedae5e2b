/* A reference into a vector that grew
 * cause:    the element is used after another thread made the vector move
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <mutex>
#include <thread>
#include <vector>

struct job {
    int state = 0;
};
static std::mutex m;
static std::vector<job> jobs(1);

static job &first_job()
{
    std::lock_guard<std::mutex> lk(m);
    return jobs.front();
}

static void add_jobs()
{
    std::lock_guard<std::mutex> lk(m);
    jobs.push_back(job());
}

int main()
{
    std::thread t(add_jobs);
    job &j = first_job();
    j.state = 1;
    t.join();
}
