/* Wait until a CI run is over, tell the agent how it ended, and exit.
 *
 * config: {"repository": text, "run_id": number, "dedup_key": text}
 * ci.run.read(config) -> {"status": "queued" | "running" | "completed", "conclusion": text}
 * agent.notify({"content", "repository", "run_id", "dedup_key"}) */
#include "spinfoam.h"

#define SECOND 1000
#define POLL (15 * SECOND)
#define SLOWEST (120 * SECOND)

/* Until it is accepted: the key makes a second delivery harmless. Only what cannot get better is given up. */
static sf_i64 notify(sf_handle message)
{
    sf_u64 pause = SECOND;
    for (;;) {
        sf_handle accepted = sf_host_call("agent.notify", message, 10 * SECOND);
        if (accepted >= 0) {
            sf_drop(accepted);
            return 0;
        }
        if (accepted == SF_DENIED || accepted == SF_INVALID) return accepted;
        sf_sleep_ms(pause);
        if (pause < 60 * SECOND) pause *= 2;
    }
}

static sf_i64 report(sf_handle config, sf_handle run)
{
    sf_i64 mark = sf_mark(), status;
    sf_handle message = sf_json_object();
    char conclusion[32];

    sf_json_read_text(run, "conclusion", conclusion, sizeof conclusion);
    sf_json_set_string(message, "content", conclusion[0] ? conclusion : "completed, without a conclusion");
    sf_json_set(message, "repository", sf_json_get(config, "repository"));
    sf_json_set(message, "run_id", sf_json_get(config, "run_id"));
    sf_json_set(message, "dedup_key", sf_json_get(config, "dedup_key"));
    status = notify(message);
    sf_release(mark); /* the message, and the members that were read for it */
    return status;
}

SF_MAIN sf_i64 watch_run(void)
{
    sf_handle config = sf_config();
    sf_u64 pause = POLL;

    for (;;) {
        sf_handle run = sf_host_call("ci.run.read", config, 10 * SECOND);
        if (run >= 0) {
            if (sf_json_string_equals(run, "status", "completed") == 1) return report(config, run);
            sf_drop(run);
            pause = POLL;
        } else if (run == SF_DENIED || run == SF_INVALID) {
            return run;
        } else if (pause < SLOWEST) {
            pause *= 2; /* the service has trouble: ask less often */
        }
        sf_sleep_ms(pause);
    }
}
