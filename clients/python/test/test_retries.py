import asyncio
import re
from datetime import datetime, timezone
from unittest import mock

import anyio
import httpx
from clients import AsyncioTest, BlockingTest
from server import drop, event_stream, failure, frame, half, hang, plain, success
from sigcast import AsyncSigcast, SigcastConnectionError, SigcastError, SigcastTimeoutError
from sigcast.call import Options
from sigcast.platform import AsyncPlatform

HOOK = {"url": "https://example.com/", "events": ["signal.new"]}


class Cases:
    def test_a_refusal_for_a_limit_is_waited_out_for_as_long_as_the_api_says_whatever_the_method(self):
        path = "/v1/webhooks/wh_1/rotate-secret"
        self.server.script(path, failure(429, "RATE_LIMIT_EXCEEDED", 42), success({"secret": "whsec_"}))
        answer = self.client().webhooks.rotate_secret("wh_1")
        self.assertEqual(answer.data["secret"], "whsec_")
        self.assertEqual(self.platform.pauses, [42])

    def test_a_refusal_for_a_limit_is_told_at_once_where_waiting_would_outlast_the_call(self):
        self.server.script("/v1/signals/sig_1", failure(429, "RATE_LIMIT_EXCEEDED", 3_600))
        with self.assertRaises(SigcastError) as caught:
            self.client(timeout=10).signals.get("sig_1")
        error = caught.exception
        self.assertEqual((error.status, error.code), (429, "RATE_LIMIT_EXCEEDED"))
        self.assertEqual((error.retry_after, error.request_id), (3_600, "req_12345678"))
        limit = error.rate_limit
        self.assertEqual((limit.limit, limit.remaining, limit.degraded), (60, 59, False))
        self.assertEqual(limit.resets_at, datetime(2026, 1, 1, 0, 1, tzinfo=timezone.utc))
        self.assertEqual(self.platform.pauses, [])

    def test_a_refusal_for_a_limit_is_told_when_it_goes_on_after_the_last_retry(self):
        refusal = failure(429, "RATE_LIMIT_EXCEEDED", 1)
        self.server.script("/v1/signals/sig_1", refusal, refusal, success({"id": "sig_1"}))
        with self.assertRaises(SigcastError):
            self.client(max_retries=1).signals.get("sig_1")
        self.assertEqual(self.platform.pauses, [1])
        self.assertEqual(len(self.server.requests), 2)

    def test_an_outage_is_ridden_out_by_retry_after_where_the_api_gives_one(self):
        down = failure(503, "SERVICE_UNAVAILABLE", 3)
        self.server.script("/v1/signals/sig_1", down, failure(504, "GATEWAY_TIMEOUT"), success({"id": "sig_1"}))
        self.assertEqual(self.client().signals.get("sig_1").data["id"], "sig_1")
        self.assertEqual(self.platform.pauses, [3, 0.25])

    def test_an_outage_leaves_what_may_have_been_done_and_must_not_be_done_twice_to_the_caller(self):
        self.server.script("/v1/webhooks/wh_1/test", failure(503, "SERVICE_UNAVAILABLE", 1))
        self.server.script("/v1/webhooks/wh_1/rotate-secret", drop)
        sigcast = self.client()
        with self.assertRaises(SigcastError):
            sigcast.webhooks.test("wh_1")
        with self.assertRaises(SigcastConnectionError):
            sigcast.webhooks.rotate_secret("wh_1")
        self.assertEqual(len(self.server.requests), 2)

    def test_one_subscription_is_made_however_often_creating_it_is_tried_as_every_try_has_the_same_key(self):
        unavailable = failure(503, "SERVICE_UNAVAILABLE", 1)
        self.server.script("/v1/webhooks", drop, unavailable, success({"id": "wh_1"}), success({"id": "wh_2"}))
        sigcast = self.client()
        self.assertEqual(sigcast.webhooks.create(**HOOK).data["id"], "wh_1")
        self.assertEqual(sigcast.webhooks.create(**HOOK, idempotency_key="mine-7").data["id"], "wh_2")
        first, *others = [request.headers["idempotency-key"] for request in self.server.requests]
        self.assertTrue(re.fullmatch("[0-9a-f-]{36}", first), first)
        self.assertEqual(others, [first, first, "mine-7"])

    def test_retries_end_after_those_that_were_allowed_with_pauses_that_double(self):
        self.server.script("/v1/signals/sig_1", drop, drop, drop, drop, success({"id": "sig_1"}))
        with self.assertRaises(SigcastConnectionError):
            self.client(max_retries=3).signals.get("sig_1")
        # Chance is 0 here: half of what may be waited.
        self.assertEqual(self.platform.pauses, [0.125, 0.25, 0.5])

    def test_a_wrong_request_is_not_sent_again_and_says_what_is_wrong_with_it(self):
        self.server.script("/v1/signals/sig_1", failure(404, "NOT_FOUND"))
        with self.assertRaises(SigcastError) as caught:
            self.client().signals.get("sig_1")
        error = caught.exception
        self.assertEqual((error.status, error.code, str(error)), (404, "NOT_FOUND", "NOT_FOUND it is"))
        self.assertEqual(error.details, [])
        self.assertEqual(len(self.server.requests), 1)

    def test_nothing_is_sent_for_an_identifier_that_leads_elsewhere(self):
        for identifier in ("", ".", ".."):
            with self.assertRaises(ValueError):
                self.client().signals.get(identifier)
        self.assertEqual(self.server.requests, [])

    def test_an_answer_that_is_not_the_apis_is_told_apart(self):
        bodies = [(200, "<html>"), (200, '{"success":true}'), (200, "[]"), (404, ""), (502, '{"error":"text"}')]
        for status, body in bodies:
            self.server.script("/v1/stats", plain(status, body))
            with self.assertRaises(SigcastError) as caught:
                self.client(max_retries=0).stats.get()
            error = caught.exception
            self.assertEqual((error.status, error.code), (status, "UNEXPECTED_ANSWER"))
            self.assertIsNone(error.request_id)
            self.assertIsNone(error.rate_limit)

    def test_a_redirect_is_not_followed_elsewhere_with_the_key(self):
        self.server.script("/v1/signals/sig_1", plain(307, location=f"{self.server.url}/elsewhere"))
        with self.assertRaises(SigcastError) as caught:
            self.client().signals.get("sig_1")
        self.assertEqual(caught.exception.code, "UNEXPECTED_ANSWER")
        self.assertEqual(self.server.requests_for("/elsewhere"), [])

    def test_a_server_that_hangs_costs_an_attempt_its_time_and_the_next_attempt_may_be_answered(self):
        self.server.script("/v1/signals/sig_1", hang, success({"id": "sig_1"}))
        sigcast = self.client()
        # The first attempt alone has a short limit: the second one may take its time on a busy machine.
        limits = iter([0.1, 20])
        with mock.patch.object(Options, "attempt_timeout", property(lambda _: next(limits)), create=True):
            self.assertEqual(sigcast.signals.get("sig_1").data["id"], "sig_1")

    def test_a_server_that_hangs_in_the_middle_of_its_answer_is_reported_as_a_timeout(self):
        self.server.script("/v1/signals/sig_1", half)
        with self.assertRaises(SigcastTimeoutError):
            self.client(attempt_timeout=0.1, max_retries=0).signals.get("sig_1")

    def test_attempts_that_time_out_cost_the_pool_no_connection(self):
        http = self.http(limits=httpx.Limits(max_connections=1))
        sigcast = self.client(attempt_timeout=0.1, max_retries=0, http=http)
        for path, step in (("/v1/signals/sig_1", hang), ("/v1/signals/sig_2", half)):
            self.server.script(path, step)
            with self.assertRaises(SigcastTimeoutError):
                sigcast.signals.get(path.split("/")[-1])
        self.server.script("/v1/stats", success({"winners": 1}))
        self.assertEqual(self.client(max_retries=0, http=http).stats.get().data, {"winners": 1})

    def test_a_server_that_is_not_there_is_reported_as_a_connection_error(self):
        with self.assertRaises(SigcastConnectionError):
            self.client(base_url="http://127.0.0.1:1", max_retries=0).stats.get()


class Blocking(Cases, BlockingTest):
    pass


class Asyncio(Cases, AsyncioTest):
    def test_a_time_limit_holds_though_a_cancellation_gets_lost(self):
        async def lose_the_first():
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.Event().wait()

        short = mock.patch.multiple("sigcast.platform", CANCELLED_AGAIN_AFTER=0.01, LATER=0)
        with short, self.assertRaises(TimeoutError):
            self.loop.run_until_complete(asyncio.wait_for(AsyncPlatform().within(0.01, lose_the_first()), 10))

    def test_a_cancel_scope_of_the_caller_that_ends_a_call_costs_the_pool_no_connection(self):
        def cancel():
            self.loop.call_soon_threadsafe(self.scope.cancel)

        def until_cancelled(handler):
            cancel()
            hang(handler)

        async def while_the_body_is_read(response):
            if response.is_success and response.url.path == "/v1/stats/series":
                cancel()

        async def call(work):
            with anyio.CancelScope() as self.scope:
                await work()
            return self.scope.cancel_called

        async def follow():
            async for _ in sigcast.stream():
                self.loop.call_soon(self.scope.cancel)

        self.server.script("/v1/stats", until_cancelled)
        self.server.script("/v1/stats/series", half)
        self.server.script("/v1/stream", until_cancelled, event_stream(frame(1), then=hang))
        hooks = {"response": [while_the_body_is_read]}
        options = {"http": self.http(limits=httpx.Limits(max_connections=1), event_hooks=hooks), "max_retries": 0}
        sigcast = AsyncSigcast("sk_test", self.server.url, **options)
        self.server.script("/v1/signals/sig_1", *[success({"id": "sig_1"})] * 4)
        for work in (sigcast.stats.get, sigcast.stats.series, follow, follow):
            self.assertTrue(self.loop.run_until_complete(call(work)))
            self.assertEqual(self.client(**options).signals.get("sig_1").data, {"id": "sig_1"})
