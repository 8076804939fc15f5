/* SPDX-License-Identifier: Apache-2.0 */
/* Trainings that are stopped; see train_stop.h. The text is made before: whoever is called by a signal can only write it. */
#include "cli/train_stop.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/ask.h"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static char said[640];
static volatile sig_atomic_t length; /* of it; 0: nothing is said */

static void say(int number)
{
    const ssize_t written = length > 0 ? write(STDERR_FILENO, said, (size_t)length) : 0;
    (void)written;
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* Signals that are ignored (nohup) stay so. */
static void watch(void)
{
    struct sigaction old, ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = say;
    (void)sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            (void)sigaction(ends[i], &ours, NULL);
}

void train_stop_watch(const train_plan *plan, const train_settings *s, bool source)
{
    char cost[ASK_BUDGET_SIZE];
    dusk_text text;
    ask_budget_up(cost, (dusk_budget){ plan->cost.epsilon, plan->cost.delta });
    dusk_text_init(&text, said, sizeof said);
    dusk_text_add(&text, "%sstopped: no model was written", isatty(STDERR_FILENO) ? "\n" : "");
    if (source && s->each)
        dusk_text_add(&text, "; versions that were made stay charged");
    else if (source)
        dusk_text_add(&text, "; %s stays charged", cost);
    dusk_text_add(&text, "\n");
    if (s->checkpoint)
        dusk_text_add(&text,
                      "hint: it goes on by the same command with --resume, and nothing is charged again\n");
    length = (sig_atomic_t)text.length;
    watch();
}

void train_stop_end(void) { length = 0; }
