"""JSON-RPC 2.0 on two file descriptors: a thin codec over `runtime.node`.

    pipes     bytes by the event loop            outbox       what is to be written, bounded
    frames    lines of strict JSON               methods      requests to calls of the node
    session   ids, slots, the end of it all      calls        the node's host calls and notifications

Promises to clients: every request with an id is answered, once, in whatever state the runtime is; nothing that a
client or a guest sends ends the session but what breaks a bound of the transport; all queues are bounded. The protocol
is in docs/server.md.
"""
