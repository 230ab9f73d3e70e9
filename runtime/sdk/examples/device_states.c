/* Tell the agent when a device enters or leaves a state, and nothing while it stays as it is.
 *
 * config: {"state": text}, for instance {"state": "open"}
 * events: payload {"device": text, "state": text}
 * agent.notify({"content": "entered" | "left", "device", "state", "dedup_key"}) */
#include "spinfoam.h"

#define DEVICES 16
#define NAME 40

static struct {
    char name[NAME]; /* "" is free */
    int inside;
} devices[DEVICES];

static int same(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

/* The place of the device in the table, or -1 if the table is full. */
static int place_of(const char *name)
{
    int at, free = -1;
    for (at = 0; at < DEVICES; at++) {
        if (same(devices[at].name, name)) return at;
        if (!devices[at].name[0] && free < 0) free = at;
    }
    if (free >= 0) memcpy(devices[free].name, name, NAME);
    return free;
}

/* 1 if the agent has it, 0 if it could not be told now. A few attempts; then the next change is more important. */
static int told(sf_handle event, const char *name, const char *state, int inside)
{
    sf_handle message = sf_json_object();
    int attempt, done = 0;

    sf_json_set_string(message, "content", inside ? "entered" : "left");
    sf_json_set_string(message, "device", name);
    sf_json_set_string(message, "state", state);
    sf_json_set(message, "dedup_key", sf_json_get(event, "event_id"));
    for (attempt = 0; attempt < 5 && !done; attempt++) {
        sf_handle accepted = sf_host_call("agent.notify", message, 10000);
        if (accepted == SF_DENIED || accepted == SF_INVALID) break;
        if (accepted >= 0) done = 1;
        else sf_sleep_ms(2000);
    }
    return done;
}

static void handle(sf_handle event, const char *wanted)
{
    sf_handle payload = sf_json_get(event, "payload");
    char name[NAME] = { 0 }, state[64];
    int place, inside;

    if (sf_json_read_text(payload, "device", name, sizeof name) > 0
        && sf_json_read_text(payload, "state", state, sizeof state) > 0) {
        inside = same(state, wanted);
        place = place_of(name);
        if (place < 0)
            sf_log("more devices than there is room for");
        else if (inside != devices[place].inside && told(event, name, state, inside))
            devices[place].inside = inside; /* untold: the next event of this device tries again */
    }
}

SF_MAIN sf_i64 watch_devices(void)
{
    char wanted[64];
    sf_i64 mark = sf_mark();

    if (sf_json_read_text(sf_config(), "state", wanted, sizeof wanted) <= 0) return SF_INVALID;
    for (;;) {
        sf_release(mark); /* whatever the last round made */
        sf_handle event = sf_event_next(SF_FOREVER);
        if (event == SF_TIMEOUT) continue;
        if (event < 0) return event;
        handle(event, wanted);
    }
}
