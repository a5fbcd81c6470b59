import json

from clients import AsyncioTest, BlockingTest
from server import drop, failure, success
from sigcast import BacktestFailedError, SigcastError

FILTERS = {"since": "2026-01-01"}
RESULT = {"trades": 30, "profit_usd": -12.5}


def backtest(status, done, **more):
    one = {"id": "bt_1", "status": status, "progress": {"done": done, "total": 40}, "error": None, "result": None}
    return success({**one, **more})


COMPLETED = backtest("completed", 40, result=RESULT)


class Cases:
    def sent(self):
        return [f"{request.method} {request.path}" for request in self.server.requests]

    def keys(self):
        keys = [request.headers.get("idempotency-key") for request in self.server.requests]
        return [key for key in keys if key is not None]

    def test_a_backtest_is_fetched_until_it_is_completed_with_pauses_that_grow_to_five_seconds(self):
        self.server.script("/v1/backtests", backtest("queued", 0))
        running = [backtest("running", done) for done in (0, 10, 10, 20, 30)]
        self.server.script("/v1/backtests/bt_1", *running, COMPLETED)
        told = []
        answer = self.client().backtests.run(
            filters=FILTERS, on_progress=lambda one: told.append((one["status"], one["progress"]["done"]))
        )
        self.assertEqual((answer.data["result"], answer.request_id), (RESULT, "req_12345678"))
        done = [("running", done) for done in (0, 10, 10, 20, 30)]
        self.assertEqual(told, [("queued", 0), *done, ("completed", 40)])
        # Chance is 0 here: half of what may be waited.
        self.assertEqual(self.platform.pauses, [0.25, 0.5, 1, 2, 2.5, 2.5])
        self.assertEqual(json.loads(self.server.requests[0].body), {"filters": FILTERS})

    def test_one_backtest_is_made_however_often_creating_it_is_tried_as_every_try_has_the_same_key(self):
        self.server.script("/v1/backtests", drop, COMPLETED, COMPLETED)
        sigcast = self.client()
        sigcast.backtests.create(filters=FILTERS)
        sigcast.backtests.run(filters=FILTERS, idempotency_key="mine-7")
        first, *others = self.keys()
        self.assertRegex(first, "^[0-9a-f-]{36}$")
        self.assertEqual(others, [first, "mine-7"])

    def test_a_backtest_that_failed_is_raised_with_the_reason(self):
        self.server.script("/v1/backtests", backtest("queued", 0))
        self.server.script("/v1/backtests/bt_1", backtest("failed", 10, error="Three processes ended"))
        with self.assertRaisesRegex(BacktestFailedError, "^The backtest bt_1 failed: Three processes ended$") as caught:
            self.client().backtests.run(filters=FILTERS)
        self.assertEqual(caught.exception.backtest["id"], "bt_1")

    def test_a_rate_limit_is_waited_out_and_the_waiting_goes_on(self):
        self.server.script("/v1/backtests", backtest("queued", 0))
        self.server.script("/v1/backtests/bt_1", failure(429, "RATE_LIMIT_EXCEEDED", 30), COMPLETED)
        answer = self.client().backtests.run(filters=FILTERS)
        self.assertEqual(answer.data["status"], "completed")
        self.assertEqual(self.platform.pauses, [0.25, 30])

    def test_what_the_api_refuses_meanwhile_ends_the_waiting_alone_and_the_same_key_waits_again(self):
        self.server.script("/v1/backtests", backtest("queued", 0), backtest("queued", 0))
        self.server.script("/v1/backtests/bt_1", failure(403, "FORBIDDEN"), COMPLETED)
        sigcast = self.client()
        with self.assertRaises(SigcastError):
            sigcast.backtests.run(filters=FILTERS, idempotency_key="mine-8")
        self.assertEqual(sigcast.backtests.run(filters=FILTERS, idempotency_key="mine-8").data["result"], RESULT)
        self.assertEqual(self.keys(), ["mine-8", "mine-8"])
        self.assertEqual(self.sent(), ["POST /v1/backtests", "GET /v1/backtests/bt_1"] * 2)


class Blocking(Cases, BlockingTest):
    pass


class Asyncio(Cases, AsyncioTest):
    pass
