from threading import Event
from unittest import TestCase

import httpx
from clients import AsyncioTest, BlockingTest, take
from server import drop, event_stream, failure, frame, hang, plain
from sigcast import SigcastConnectionError, SigcastError, SigcastTimeoutError
from sigcast.stream import Block, EventStreamParser

PATH = "/v1/stream"


def frames(*numbers):
    return event_stream(*(frame(number) for number in numbers))


class Cases:
    def last_event_ids(self):
        return [request.headers.get("last-event-id") for request in self.server.requests]

    def test_the_stream_goes_on_after_the_last_event_when_its_connection_ends_breaks_or_is_answered_503(self):
        broken = event_stream(frame(3) + 'id: 4\ndata: {"half', then=drop)
        self.server.script(PATH, frames(1, 2), broken, failure(503, "SERVICE_UNAVAILABLE"), frames(4, 5))
        taken = take(self.client().stream(), 5)
        self.assertEqual(taken, ["sig_1", "sig_2", "sig_3", "sig_4", "sig_5"])
        self.assertEqual(self.last_event_ids(), [None, "2", "3", "3"])

    def test_the_stream_tells_when_its_connection_is_open_and_lost_with_the_cause_unless_it_ended_properly(self):
        self.server.script(PATH, frames(1), failure(503, "SERVICE_UNAVAILABLE"), frames(2))
        told = []
        take(self.client().stream(on_connection=lambda one: told.append((one.state, one.cause and str(one.cause)))), 2)
        lost = ("lost", "SERVICE_UNAVAILABLE it is")
        self.assertEqual(told, [("open", None), ("lost", None), lost, ("open", None)])

    def test_the_stream_begins_after_the_event_it_is_given_and_from_there_again_if_nothing_came(self):
        self.server.script(PATH, frames(), frames(8))
        self.assertEqual(take(self.client().stream(last_event_id="7"), 1), ["sig_8"])
        self.assertEqual(self.last_event_ids(), ["7", "7"])

    def test_an_empty_place_is_refused_as_the_stream_would_silently_begin_with_what_happens_from_now_on(self):
        with self.assertRaisesRegex(ValueError, "last_event_id"):
            take(self.client().stream(last_event_id=""), 1)
        self.assertEqual(self.server.requests, [])

    def test_the_stream_takes_a_place_that_comes_without_an_event(self):
        self.server.script(PATH, event_stream("retry: 2000\nid: pos_41\n\n"), frames(42))
        self.assertEqual(take(self.client().stream(), 1), ["sig_42"])
        self.assertEqual(self.last_event_ids(), [None, "pos_41"])

    def test_the_stream_waits_as_the_server_asks_doubling_while_nothing_comes_and_as_long_as_a_limit_takes(self):
        asking = event_stream("retry: 4000\n" + frame(1))
        refused = failure(429, "RATE_LIMIT_EXCEEDED", 60)
        self.server.script(PATH, asking, frames(), frames(), refused, frames(2), frames(3))
        self.assertEqual(take(self.client().stream(), 3), ["sig_1", "sig_2", "sig_3"])
        # Chance is 0 here: half of what may be waited. The event puts it back to the beginning.
        self.assertEqual(self.platform.pauses, [2, 4, 8, 60, 2])

    def test_the_stream_waits_no_longer_after_connections_that_held_though_nothing_came_in_that_time(self):
        instants = iter(range(0, 10_000, 30))
        self.platform.now = lambda: next(instants)
        self.server.script(PATH, frames(), frames(), frames(), frames(1))
        self.assertEqual(take(self.client().stream(), 1), ["sig_1"])
        self.assertEqual(self.platform.pauses, [0.5, 0.5, 0.5])

    def test_a_text_is_kept_whole_whose_bytes_come_apart(self):
        data = 'data: {"event":"signal.new","data":{"id":"Zürich ✓ 🚀"}}\n\n'.encode()
        apart = event_stream(*(data[at : at + 1] for at in range(len(data))))
        self.server.script(PATH, apart)
        self.assertEqual(take(self.client().stream(), 1), ["Zürich ✓ 🚀"])

    def test_a_silent_connection_is_given_up_and_another_one_is_made(self):
        # The second connection's event comes together with its headers, so that it is not waited for.
        self.server.script(PATH, event_stream(frame(1), then=hang), frames(2))
        causes = []
        stream = self.client().stream(idle_timeout=0.1, on_connection=lambda one: causes.append(type(one.cause)))
        self.assertEqual(take(stream, 2), ["sig_1", "sig_2"])
        self.assertEqual(self.last_event_ids(), [None, "1"])
        self.assertIn(SigcastTimeoutError, causes)

    def test_an_answer_that_does_not_begin_in_an_attempts_time_is_given_up_however_long_a_stream_may_be_silent(self):
        def until_closed(handler):
            handler.connection.settimeout(10)
            try:
                handler.connection.recv(1)
            except TimeoutError:
                failure(401, "STILL_WAITING")(handler)

        self.server.script(PATH, until_closed)
        with self.assertRaises(SigcastTimeoutError):
            take(self.client(attempt_timeout=0.1, max_retries=0).stream(idle_timeout=600), 1)

    def test_what_is_raised_by_the_callers_own_callback_ends_the_stream_and_reaches_the_caller(self):
        for error in (TimeoutError("mine"), httpx.ConnectError("mine"), SigcastConnectionError("mine")):

            def fail(connection, error=error):
                if connection.state == "open":
                    raise error

            self.server.script(PATH, frames(1))
            with self.assertRaises(type(error)) as caught:
                take(self.client().stream(on_connection=fail), 1)
            self.assertIs(caught.exception, error)
        self.assertEqual(len(self.server.requests), 3)

    def test_the_connection_is_closed_when_the_loop_is_left(self):
        closed = Event()

        def until_closed(handler):
            if handler.connection.recv(1) == b"":
                closed.set()

        self.server.script(PATH, event_stream(frame(1), then=until_closed))
        self.assertEqual(take(self.client().stream(), 1), ["sig_1"])
        self.assertTrue(closed.wait(10))

    def test_the_stream_is_over_for_a_key_that_is_revoked_while_it_is_open(self):
        self.server.script(PATH, frames(1), failure(401, "UNAUTHORIZED"))
        with self.assertRaises(SigcastError) as caught:
            take(self.client().stream(), 2)
        self.assertEqual(caught.exception.code, "UNAUTHORIZED")

    def test_a_stream_that_can_not_be_opened_in_the_first_place_says_so_after_the_usual_retries(self):
        self.server.script(PATH, drop, drop, drop)
        with self.assertRaises(SigcastConnectionError):
            take(self.client(max_retries=2).stream(), 1)
        self.assertEqual(len(self.server.requests), 3)

    def test_the_stream_goes_on_for_as_long_as_it_takes_once_it_was_open(self):
        refused = [failure(503, "SERVICE_UNAVAILABLE"), failure(409, "CONFLICT")]
        self.server.script(PATH, frames(1), drop, drop, drop, *refused, frames(2))
        self.assertEqual(take(self.client(max_retries=0).stream(), 2), ["sig_1", "sig_2"])

    def test_the_stream_is_refused_at_once_where_the_account_has_too_many_open(self):
        self.server.script(PATH, failure(409, "CONFLICT"), frames(1))
        with self.assertRaises(SigcastError) as caught:
            take(self.client().stream(), 1)
        self.assertEqual(caught.exception.code, "CONFLICT")

    def test_the_stream_is_refused_where_something_else_answers_or_an_event_is_no_object(self):
        for other in (plain(200, "<p>"), event_stream("data: [1\n\n"), event_stream("data: 1\n\n")):
            self.server.script(PATH, other)
            with self.assertRaises(SigcastError) as caught:
                take(self.client().stream(), 1)
            self.assertEqual(caught.exception.code, "UNEXPECTED_ANSWER")


class Blocking(Cases, BlockingTest):
    pass


class Asyncio(Cases, AsyncioTest):
    pass


def parse(*chunks):
    parser = EventStreamParser()
    return [block for chunk in chunks for block in parser.push(chunk.encode())]


def message(data, last_event_id=""):
    return Block(last_event_id, "message", data)


class Parser(TestCase):
    """The first four are the examples of the WHATWG standard."""

    def test_the_lines_of_an_events_data_are_joined(self):
        self.assertEqual(parse("data: YHOO\ndata: +2\ndata: 10\n\n"), [message("YHOO\n+2\n10")])

    def test_comments_are_skipped_and_an_id_is_kept_until_another_one_comes(self):
        text = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"
        expected = [message("first event", "1"), message("second event"), message(" third event")]
        self.assertEqual(parse(text), expected)

    def test_empty_data_is_known_from_none_and_what_the_end_cuts_off_is_dropped(self):
        self.assertEqual(parse("data\n\ndata\ndata\n\ndata:"), [message(""), message("\n")])

    def test_one_blank_after_a_colon_is_removed(self):
        self.assertEqual(parse("data:test\n\ndata: test\n\n"), [message("test"), message("test")])

    def test_an_event_is_named_for_itself_alone(self):
        blocks = parse("event: signal.new\ndata: 1\n\ndata: 2\n\nevent: unheard\n\ndata: 3\n\n")
        self.assertEqual(blocks, [Block("", "signal.new", "1"), message("2"), message("3")])

    def test_an_id_without_an_event_is_told_since_a_reconnection_goes_on_from_it(self):
        self.assertEqual(parse("id: 7\n\nid: 7\n\n"), [Block("7", "message", None)])

    def test_an_id_with_nul_a_retry_that_is_no_number_and_unknown_fields_are_ignored(self):
        parser = EventStreamParser("5")
        blocks = list(parser.push(b"id: a\0b\nretry: 1s\nother: x\ndata: y\n\n"))
        self.assertEqual(blocks, [message("y", "5")])
        self.assertIsNone(parser.retry)
        self.assertEqual(list(parser.push(b"retry: 2500\n")), [])
        self.assertEqual(parser.retry, 2.5)

    def test_lines_are_read_the_same_whatever_ends_them_and_wherever_the_stream_is_cut(self):
        for end in ("\n", "\r", "\r\n"):
            text = end.join(["id: 1", "event: e", "data: a", "data: b\u2028c", "", ": c", "data: z", "", ""])
            whole = [Block("1", "e", "a\nb\u2028c"), message("z", "1")]
            self.assertEqual(parse(text), whole)
            self.assertEqual(parse(*text), whole)
            for at in range(len(text) + 1):
                self.assertEqual(parse(text[:at], text[at:]), whole)

    def test_an_event_is_given_out_at_the_cr_that_ends_it_and_not_when_more_comes(self):
        parser = EventStreamParser()
        self.assertEqual(list(parser.push(b"data: now\r\r")), [message("now")])
        self.assertEqual(list(parser.push(b"\n")), [])
