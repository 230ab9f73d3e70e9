/* Read a page in chunks every minute until a keyword is on it, also across the border of two chunks; tell the agent, exit.
 *
 * config: {"url": text, "keyword": text, "dedup_key": text}
 * web.read_chunk({"url", "offset", "max_bytes", "snapshot"?}) -> {"data", "next_offset", "done", "snapshot"}
 *     `snapshot` names the version that the first chunk came from, so that all chunks are of one page
 * agent.notify({"content", "url", "dedup_key"}) */
#include "spinfoam.h"

#define KEYWORD 128
#define CHUNK 2048
#define MINUTE 60000

static char keyword[KEYWORD];
static sf_u64 keyword_length;
static char window[KEYWORD + CHUNK]; /* the end of what was read before, then what is read now */
static sf_u64 kept;

/* 1 if the keyword is in the window with `length` new bytes. Then keeps as much as might be its beginning. */
static int found_in(sf_u64 length)
{
    sf_u64 at, filled = kept + length;

    for (at = 0; at + keyword_length <= filled; at++)
        if (memcmp(window + at, keyword, keyword_length) == 0) return 1;
    kept = filled < keyword_length - 1 ? filled : keyword_length - 1;
    memmove(window, window + filled - kept, kept);
    return 0;
}

static int found_in_chunk(sf_handle chunk)
{
    sf_handle data = sf_json_get(chunk, "data");
    sf_u64 offset = 0;
    sf_i64 length;
    int found = 0;

    while (!found && (length = sf_bytes_read(data, offset, window + kept, CHUNK)) > 0) {
        found = found_in((sf_u64)length);
        offset += (sf_u64)length;
    }
    sf_drop(data);
    return found;
}

/* 1: the keyword is on the page. 0: it is not. Negative: the page could not be read to its end. */
static sf_i64 found_on_page(sf_handle config)
{
    sf_handle request = sf_json_object(), url = sf_json_get(config, "url"), chunk, member;
    sf_i64 offset = 0, next, result = 0;

    kept = 0;
    sf_json_set(request, "url", url);
    sf_drop(url);
    sf_json_set_number(request, "max_bytes", CHUNK);
    while (result == 0) {
        sf_json_set_number(request, "offset", offset);
        chunk = sf_host_call("web.read_chunk", request, 20000);
        if (chunk < 0) {
            result = chunk;
            break;
        }
        result = found_in_chunk(chunk);
        next = sf_json_read_i64(chunk, "next_offset", -1);
        member = sf_json_get(chunk, "done");
        if (next <= offset || sf_json_bool(member) == 1) offset = -1;
        else offset = next;
        sf_drop(member);
        member = sf_json_get(chunk, "snapshot");
        sf_json_set(request, "snapshot", member);
        sf_drop(member);
        sf_drop(chunk);
        if (offset < 0) break;
    }
    sf_drop(request);
    return result;
}

SF_MAIN sf_i64 watch_page(void)
{
    sf_handle config = sf_config(), message, accepted;
    sf_i64 length = sf_json_read_text(config, "keyword", keyword, sizeof keyword), result;

    if (length <= 0 || length >= KEYWORD) return SF_INVALID;
    keyword_length = (sf_u64)length;
    while ((result = found_on_page(config)) != 1) {
        if (result == SF_DENIED || result == SF_INVALID) return result;
        sf_sleep_ms(MINUTE);
    }
    message = sf_json_object();
    sf_json_set_string(message, "content", "the keyword is on the page");
    sf_json_set(message, "url", sf_json_get(config, "url"));
    sf_json_set(message, "dedup_key", sf_json_get(config, "dedup_key"));
    while ((accepted = sf_host_call("agent.notify", message, 10000)) < 0) {
        if (accepted == SF_DENIED || accepted == SF_INVALID) return accepted;
        sf_sleep_ms(5000);
    }
    return 0;
}
