/* Does what its config says in "do". The tests of the server load it again and again. */
#include "spinfoam.h"

static volatile sf_u64 spins;

#define DOES(what) (sf_json_string_equals(config, "do", what) == 1)

static sf_i64 number(sf_handle config, const char *key) {
    sf_i64 value = 0;
    sf_handle member = sf_json_get(config, key);
    if (member < 0)
        return member;
    sf_json_i64(member, &value);
    sf_drop(member);
    return value;
}

SF_MAIN sf_i64 main(void) {
    sf_handle config = sf_config();
    if (DOES("exit"))
        return number(config, "code");
    if (DOES("fault"))
        return *(volatile sf_i64 *)8;
    if (DOES("spin"))
        for (;;)
            spins++;
    if (DOES("sleep"))
        return sf_sleep_ms((sf_u64)number(config, "ms"));
    if (DOES("wait"))
        return sf_event_next(86400000);
    if (DOES("ask")) { /* returns the status, or the kind of the answer */
        sf_handle answer = sf_host_call("ask", config, (sf_u64)number(config, "ms"));
        return answer < 0 ? answer : sf_json_kind(answer);
    }
    if (DOES("ask twice")) { /* and returns the status of the second call */
        sf_handle answer = sf_host_call("ask", config, (sf_u64)number(config, "ms"));
        if (answer > 0)
            sf_drop(answer);
        return sf_host_call("ask", config, (sf_u64)number(config, "then_ms"));
    }
    if (DOES("answer")) /* asks for each event */
        for (;;) {
            sf_handle event = sf_event_next(86400000);
            if (event < 0)
                return event;
            sf_handle answer = sf_host_call("ask", event, 86400000);
            if (answer > 0)
                sf_drop(answer);
            sf_drop(event);
        }
    if (DOES("log")) { /* ten lines, and then the status of the eleventh */
        for (int line = 0; line < 10; line++)
            sf_log("a line");
        return sf_log("one line too many");
    }
    return -1;
}
