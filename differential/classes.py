"""Where each class of failure from the collection of others' bug reports is looked for, if not by a kind of input.

The collection's README has rules (`rule-N` here) and tables of sequences with ids. A kind of hostile input names what
it covers itself (`differential.hostile.kinds`); here is what the campaign of programs and a soak cover, what a test
does that needs no campaign, and what is for packages that no campaign runs. A test compares these with the README.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from differential.hostile.kinds import kinds

PROGRAMS: Mapping[str, str] = {  # what of `differential.programs` shows it
    "H07": "outcome.differences",  # kind, pc, address, size and direction of a fault, and all memory, on five engines
    "H15": "simulated.SimulatedArena._simulate",  # the host's registers, and its stack, are what they were
    "H17": "engines._in_turns",
    "rule-11": "outcome.differences",
}

SOAK: Mapping[str, str] = {  # what of `differential.soak.run.Soak` shows it
    "H01": "close",  # while it waits: the late answer is refused, nobody else notices
    "H05": "stop_from_another_thread",
    "H11": "saw",  # a new guest that scans what it may read finds zeros, as the model does
    "H13": "end_of_epoch",
    "H17": "move",
    "H19": "begin",  # after a fault at any depth: the next run is the model's
    "rule-13": "move",
}

TESTS: Mapping[str, str] = {  # a test that says it all
    "H01": "tests/runtime/test_preemption.py::test_stop_ends_an_awaited_helper_at_once",
    "H03": "tests/runtime/test_preemption.py::test_waiting_for_a_helper_is_not_charged_to_the_guest",
    "H05": "tests/runtime/test_preemption.py::test_cheap_helper_calls_in_a_loop_can_be_stopped",
    "H07": "tests/differential/test_faults.py::test_a_fault_is_the_same_on_every_engine",
    "H09": "tests/runtime/test_memory.py::test_what_cannot_be_written_whole_is_not_written_at_all",
    "H11": "tests/runtime/test_recycling.py::test_the_next_tenant_of_a_slot_sees_zeros",
    "H13": "tests/runtime/test_recycling.py::test_no_mapping_is_writable_and_executable_at_any_time",
    "H17": "tests/runtime/test_snapshot.py::test_a_guest_may_change_engines_at_every_single_suspension",
    "H19": "tests/runtime/test_guest.py::test_fault_at_any_depth_and_then_a_clean_start",
    "P02": "tests/runtime/server/test_session.py::test_an_id_that_is_nested_deeply_is_not_reflected",
    "P04": "tests/runtime/server/test_session.py::test_an_id_in_flight_is_refused_and_its_first_request_answered",
    "P06": "tests/runtime/server/test_session.py::test_replies_that_nobody_waits_for_are_counted_and_nothing_else",
    "P08": "tests/runtime/server/test_session.py::test_what_is_no_request_is_an_invalid_request",
    "P10": "tests/runtime/server/test_session.py::test_what_is_no_json_is_a_parse_error",
    "P12": "tests/runtime/server/test_session.py::test_the_49th_request_is_busy_and_builds_take_no_slot",
    "P14": "tests/runtime/server/test_methods.py::test_pages_neither_skip_nor_repeat",
    "W01": "tests/salix/service/test_events.py::test_a_body_that_is_replayed_under_another_id_is_a_duplicate",
    "W03": "tests/salix/service/test_events.py::test_of_concurrent_deliveries_to_two_servers_one_is_stored",
    "W05": "tests/salix/service/test_events.py::test_an_earlier_incarnation_saw_it_and_the_next_gets_it_again",
    "W07": "tests/salix/service/test_events.py::test_a_signed_delivery_needs_one_timestamp_of_these_minutes",
    "W09": "tests/salix/service/test_events.py::test_a_signed_delivery_needs_one_timestamp_of_these_minutes",
    "W11": "tests/salix/service/test_events.py::test_keys_are_the_loop_and_the_id_as_bytes",
    "W13": "tests/salix/service/test_capabilities.py::test_acknowledgement_is_per_event_idempotent_and_fenced",
    "W15": "tests/salix/service/test_events.py::test_three_faults_an_hour_then_it_fails_and_the_poison_stays_visible",
    "A06": "tests/salix/service/test_capabilities.py::test_a_loop_does_not_hear_itself",
    "A12": "tests/salix/service/test_capabilities.py::test_a_payload_is_data",
    "rule-10": "tests/runtime/test_corpus_on_jit.py::test_corpus",
    "rule-12": "tests/runtime/test_preemption.py::test_waiting_for_a_helper_is_not_charged_to_the_guest",
    "rule-14": "tests/runtime/server/test_session.py::test_an_id_in_flight_is_refused_and_its_first_request_answered",
    "rule-15": "tests/salix/service/test_events.py::test_a_body_that_is_replayed_under_another_id_is_a_duplicate",
    "rule-17": "tests/salix/service/test_capabilities.py::test_a_loop_does_not_hear_itself",
}

NOT_HERE: Mapping[str, str] = {  # ids by their first letter, or a rule
    "A": "loops of agents, but for those above",
    "rule-16": "transcripts",
}


def named(readme: str) -> set[str]:
    """The classes that the text of the collection's README names."""
    rules = {f"rule-{number}" for number in re.findall(r"^(\d+)\. \*\*", readme, re.M)}
    return rules | set(re.findall(r"^\| ([A-Z]\d+) \|", readme, re.M))


def without_a_place(classes: set[str]) -> set[str]:
    """Those of `classes` that nothing here looks for, and that are not said to belong elsewhere."""
    by_kinds = {name for kind in kinds().values() for name in kind.covers}
    here = by_kinds | set(PROGRAMS) | set(SOAK) | set(TESTS)
    return {name for name in classes if name not in here and name not in NOT_HERE and name[0] not in NOT_HERE}
