/* The interface between a Loop and its runtime: ABI 1, eBPF, little endian. The programming guide explains it.
 *
 * A call returns a handle, a length or an answer, which are never negative, or one of the negative codes. A pointer to
 * memory that is not the Loop's own ends the Loop; everything else that is wrong is a code, and then nothing changed.
 */
#ifndef SPINFOAM_H
#define SPINFOAM_H

#define SF_SDK_VERSION 1

typedef unsigned long long sf_u64;
typedef long long sf_i64;
typedef sf_i64 sf_handle; /* positive; a negative one is the code of a call that failed. Too wide for an int */

#define SF_MAIN __attribute__((section("spinfoam.main"), used)) /* the one function that the runtime calls */
#define SF_INLINE static inline __attribute__((always_inline))

#define SF_INVALID (-1LL)    /* no such handle, key or item, or not of this kind; malformed text */
#define SF_LIMIT (-2LL)      /* too long, too deep or too many; 128 handles are alive */
#define SF_TIMEOUT (-3LL)    /* nothing happened in time */
#define SF_DENIED (-4LL)     /* the Loop lacks this capability, or may not use it with these arguments */
#define SF_HOST_ERROR (-5LL) /* the host answered with an error */
#define SF_CLOSED (-6LL)     /* nothing will come any more */

#define SF_NULL 0
#define SF_BOOL 1
#define SF_NUMBER 2
#define SF_STRING 3
#define SF_ARRAY 4
#define SF_OBJECT 5

#define SF_FOREVER (~0ULL) /* as a timeout: 24 hours, the longest wait. So are all negative numbers */

/* ---- time ---- */

extern sf_i64 sf_sleep_ms(sf_u64 milliseconds);
extern sf_i64 sf_yield(void);
extern sf_u64 sf_now_mono_ms(void); /* since the Loop's start */
extern sf_u64 sf_now_unix_ms(void);

/* ---- handles: at most 128 are alive at a time ---- */

extern sf_i64 sf_drop(sf_handle handle);
extern sf_i64 sf_mark(void);          /* a number for sf_release */
extern sf_i64 sf_release(sf_i64 mark); /* drops all handles that were made since; how many those were */

/* ---- inputs and effects ---- */

extern sf_handle sf_config(void);                   /* a new handle at each call */
extern sf_handle sf_event_next(sf_u64 timeout_ms); /* {event_id, topic, payload} */
extern sf_handle sf_host_call_raw(const char *capability, sf_u64 length, sf_handle parameters, sf_u64 timeout_ms);
extern sf_i64 sf_log_raw(const char *message, sf_u64 length); /* up to 1024 bytes */

/* ---- reading JSON ---- */

extern sf_handle sf_json_parse(const char *json, sf_u64 length);
extern sf_handle sf_json_get_raw(sf_handle object, const char *key, sf_u64 length);
extern sf_handle sf_json_at(sf_handle array, sf_u64 index);
extern sf_i64 sf_json_kind(sf_handle value);
extern sf_i64 sf_json_i64(sf_handle value, sf_i64 *out); /* 0, and *out is set */
extern sf_i64 sf_json_bool(sf_handle value);             /* 1 or 0 */
/* Copies up to `capacity` bytes, and a NUL if there is room for it. Returns the full length in bytes. */
extern sf_i64 sf_json_read_string(sf_handle value, char *out, sf_u64 capacity);
/* 1 if the string called `key` equals `value`, 0 if not or if there is none. */
extern sf_i64 sf_json_string_equals_raw(sf_handle object, const char *key, sf_u64 key_length, const char *value,
                                        sf_u64 value_length);
/* The integer called `key`, or `fallback` if there is none, for whatever reason. */
extern sf_i64 sf_json_read_i64_raw(sf_handle object, const char *key, sf_u64 length, sf_i64 fallback);
/* The string called `key`, cut to fit, always with a NUL; "" if there is none. Returns the full length in bytes. */
extern sf_i64 sf_json_read_text_raw(sf_handle object, const char *key, sf_u64 length, char *out, sf_u64 capacity);

/* ---- making JSON: setting and pushing copy, so both handles stay yours ---- */

extern sf_handle sf_json_object(void);
extern sf_handle sf_json_array(void);
extern sf_handle sf_json_null(void);
extern sf_handle sf_json_string_raw(const char *value, sf_u64 length);
extern sf_handle sf_json_number(sf_i64 value);
extern sf_handle sf_json_boolean(sf_u64 value);
extern sf_i64 sf_json_set_raw(sf_handle object, const char *key, sf_u64 length, sf_handle value);
extern sf_i64 sf_json_set_string_raw(sf_handle object, const char *key, sf_u64 key_length, const char *value,
                                     sf_u64 value_length);
extern sf_i64 sf_json_set_number_raw(sf_handle object, const char *key, sf_u64 length, sf_i64 value);
extern sf_i64 sf_json_set_boolean_raw(sf_handle object, const char *key, sf_u64 length, sf_u64 value);
extern sf_i64 sf_json_push(sf_handle array, sf_handle value);
extern sf_i64 sf_json_push_string_raw(sf_handle array, const char *value, sf_u64 length);
extern sf_i64 sf_json_push_number(sf_handle array, sf_i64 value);

/* ---- bytes ---- */

extern sf_handle sf_json_dump(sf_handle value); /* bytes: its JSON text */
extern sf_handle sf_bytes(const void *bytes, sf_u64 length);
extern sf_i64 sf_bytes_len(sf_handle value); /* of bytes or a string; how many items or members */
extern sf_i64 sf_bytes_read(sf_handle value, sf_u64 offset, void *out, sf_u64 capacity); /* of bytes or a string */

/* ---- supplied with every program ---- */

extern void *memcpy(void *to, const void *from, unsigned long length);
extern void *memmove(void *to, const void *from, unsigned long length);
extern void *memset(void *to, int byte, unsigned long length);
extern int memcmp(const void *left, const void *right, unsigned long length);
extern unsigned long strlen(const char *text);

/* ---- the same with texts that end with a NUL ---- */

SF_INLINE sf_u64 sf_strlen(const char *text)
{
#if defined(__clang__) || defined(__GNUC__)
    return __builtin_strlen(text); /* the length of a literal is known when it is compiled */
#else
    return strlen(text);
#endif
}

SF_INLINE sf_handle sf_host_call(const char *capability, sf_handle parameters, sf_u64 timeout_ms)
{
    return sf_host_call_raw(capability, sf_strlen(capability), parameters, timeout_ms);
}

SF_INLINE sf_i64 sf_log(const char *message)
{
    return sf_log_raw(message, sf_strlen(message));
}

SF_INLINE sf_handle sf_json_get(sf_handle object, const char *key)
{
    return sf_json_get_raw(object, key, sf_strlen(key));
}

SF_INLINE sf_i64 sf_json_string_equals(sf_handle object, const char *key, const char *value)
{
    return sf_json_string_equals_raw(object, key, sf_strlen(key), value, sf_strlen(value));
}

SF_INLINE sf_i64 sf_json_read_i64(sf_handle object, const char *key, sf_i64 fallback)
{
    return sf_json_read_i64_raw(object, key, sf_strlen(key), fallback);
}

SF_INLINE sf_i64 sf_json_read_text(sf_handle object, const char *key, char *out, sf_u64 capacity)
{
    return sf_json_read_text_raw(object, key, sf_strlen(key), out, capacity);
}

SF_INLINE sf_handle sf_json_string(const char *value)
{
    return sf_json_string_raw(value, sf_strlen(value));
}

SF_INLINE sf_i64 sf_json_set(sf_handle object, const char *key, sf_handle value)
{
    return sf_json_set_raw(object, key, sf_strlen(key), value);
}

SF_INLINE sf_i64 sf_json_set_string(sf_handle object, const char *key, const char *value)
{
    return sf_json_set_string_raw(object, key, sf_strlen(key), value, sf_strlen(value));
}

SF_INLINE sf_i64 sf_json_set_number(sf_handle object, const char *key, sf_i64 value)
{
    return sf_json_set_number_raw(object, key, sf_strlen(key), value);
}

SF_INLINE sf_i64 sf_json_set_boolean(sf_handle object, const char *key, sf_u64 value)
{
    return sf_json_set_boolean_raw(object, key, sf_strlen(key), value);
}

SF_INLINE sf_i64 sf_json_push_string(sf_handle array, const char *value)
{
    return sf_json_push_string_raw(array, value, sf_strlen(value));
}

#endif
