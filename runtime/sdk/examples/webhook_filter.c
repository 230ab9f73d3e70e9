/* Pass on the webhook events that matter, and acknowledge each event once it is dealt with.
 *
 * config: {"kinds": [text, ...]}
 * events: payload {"kind": text, ...}
 * agent.notify({"content": the payload, "dedup_key": the event's id})
 * loop.ack({"event_id"}): before it, the event counts as pending and comes again when this Loop is restarted */
#include "spinfoam.h"

#define ATTEMPTS 6

static int wanted(sf_handle config, sf_handle payload)
{
    sf_i64 index, count;
    sf_handle kinds = sf_json_get(config, "kinds");
    char kind[64], one[64];
    int found = 0;

    if (sf_json_read_text(payload, "kind", kind, sizeof kind) > 0) {
        count = sf_bytes_len(kinds);
        for (index = 0; index < count && !found; index++) {
            sf_handle item = sf_json_at(kinds, (sf_u64)index);
            sf_i64 length = sf_json_read_string(item, one, sizeof one);
            found = length > 0 && length < (sf_i64)sizeof one && memcmp(kind, one, (sf_u64)length + 1) == 0;
            sf_drop(item); /* there may be more than 128 */
        }
    }
    return found;
}

/* Admission is not completion: the mailbox takes an event id once, so nobody will send this event again because we
 * failed. The retries are ours, with the event in hand. 0, or the code of the last attempt. */
static sf_i64 call(const char *capability, sf_handle arguments)
{
    sf_u64 pause = 1000;
    sf_i64 answer = SF_INVALID;
    int attempt;

    for (attempt = 0; attempt < ATTEMPTS; attempt++) {
        answer = sf_host_call(capability, arguments, 10000);
        if (answer >= 0) {
            sf_drop(answer);
            return 0;
        }
        if (answer == SF_DENIED || answer == SF_INVALID) break;
        sf_sleep_ms(pause);
        pause *= 2;
    }
    return answer;
}

static sf_i64 deal_with(sf_handle config, sf_handle event)
{
    sf_i64 status = 0;
    sf_handle payload = sf_json_get(event, "payload"), id = sf_json_get(event, "event_id");
    sf_handle message = sf_json_object(), receipt = sf_json_object();

    if (wanted(config, payload)) {
        sf_json_set(message, "content", payload);
        sf_json_set(message, "dedup_key", id);
        status = call("agent.notify", message);
    }
    if (status == 0) {
        sf_json_set(receipt, "event_id", id);
        status = call("loop.ack", receipt);
    }
    return status;
}

SF_MAIN sf_i64 filter_webhooks(void)
{
    sf_handle config = sf_config(); /* stays: it is older than the mark */
    sf_i64 mark = sf_mark(), status;

    for (;;) {
        sf_release(mark); /* whatever the last round made */
        sf_handle event = sf_event_next(SF_FOREVER);
        if (event == SF_TIMEOUT) continue;
        if (event < 0) return event;
        status = deal_with(config, event);
        if (status == SF_DENIED || status == SF_INVALID) return status;
        if (status < 0) sf_log("an event is left pending");
    }
}
