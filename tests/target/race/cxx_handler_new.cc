/* A handler that appends to a string comes while the program does
 * build:    g++ -g -O0 -fsanitize=thread
 * args:
 * races:    H1-H1
 * class:    fails
 * finding:  handler
 */
#include <csignal>
#include <pthread.h>
#include <string>
#include <thread>

static std::string *log_of_handler;

static void on_signal(int)
{
    delete log_of_handler;
    log_of_handler = new std::string("a signal came, and this is its long text"); /* H1 */
}

int main()
{
    pthread_t self = pthread_self();
    std::signal(SIGUSR1, on_signal);
    std::thread t([self] { pthread_kill(self, SIGUSR1); });
    std::string *mine = new std::string("the text of the program, which is long as well");
    t.join();
    delete mine;
    return 0;
}
