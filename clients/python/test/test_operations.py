import json
import os
import re
from datetime import datetime, timedelta, timezone
from typing import NotRequired, get_origin, get_type_hints
from unittest import TestCase
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
from sigcast import AsyncSigcast, BacktestCosts, BacktestFilters, CompletedBacktest, Sigcast, SigcastError

with open(os.environ["OPENAPI"], encoding="utf-8") as file:
    DOCUMENT = json.load(file)

SINCE = datetime(1970, 1, 1, tzinfo=timezone.utc)
HOOK = {"url": "https://example.com/", "events": ["signal.new"], "types": ["new"], "ordered": True, "description": ""}
PAGE = {"limit": 1, "page": 2}
FILTER = {"type": ["new", "3d"], "status": "winner", "since": SINCE, "until": SINCE, "symbol": "NOVA", "contract": "0x1"}
LOG = {"status": "retrying", "event": "signal.new", "http_status": 500, "signal_id": "sig_1", "since": SINCE}
STRATEGY = {"filters": {"since": SINCE}, "delay_minutes": 1, "size_usd": 100, "target": 2, "stop": None}
STRATEGY |= {"hold_hours": 24, "costs": {"fee_percent": 1}, "as_of": SINCE}
FEED = {"order": "desc", "events": ["signal.new"], "types": "new", "signal_id": "sig_1"}

# A call of every operation, with everything it can be given.
CALLS = {
    "GET /v1/signals": lambda api: api.signals.list(
        **FILTER, **PAGE, include=["outcome", "realizable"], as_of=SINCE, cursor="c"
    ),
    "GET /v1/signals/{}": lambda api: api.signals.get("sig_1", include="realizable", as_of=SINCE),
    "GET /v1/signals/{}/history": lambda api: api.signals.history("sig_1", from_=SINCE, until=SINCE, resolution="5m"),
    "GET /v1/stats": lambda api: api.stats.get(
        type="30d", period="7d", include=["distribution", "realizable"], as_of=SINCE
    ),
    "GET /v1/stats/series": lambda api: api.stats.series(
        type="30d", period="7d", interval="hour", include="realizable"
    ),
    "POST /v1/backtests": lambda api: api.backtests.create(**STRATEGY),
    "GET /v1/backtests": lambda api: api.backtests.list(**PAGE),
    "GET /v1/backtests/{}": lambda api: api.backtests.get("bt_1"),
    "DELETE /v1/backtests/{}": lambda api: api.backtests.delete("bt_1"),
    "GET /v1/webhooks": lambda api: api.webhooks.list(**PAGE),
    "POST /v1/webhooks": lambda api: api.webhooks.create(**HOOK),
    "GET /v1/webhooks/{}": lambda api: api.webhooks.get("wh_1"),
    "PATCH /v1/webhooks/{}": lambda api: api.webhooks.update("wh_1", **HOOK, status="enabled"),
    "DELETE /v1/webhooks/{}": lambda api: api.webhooks.delete("wh_1"),
    "POST /v1/webhooks/{}/rotate-secret": lambda api: api.webhooks.rotate_secret("wh_1"),
    "POST /v1/webhooks/{}/test": lambda api: api.webhooks.test("wh_1"),
    "POST /v1/webhooks/{}/recover": lambda api: api.webhooks.recover("wh_1", since=SINCE),
    "GET /v1/webhooks/{}/health": lambda api: api.webhooks.health("wh_1"),
    "GET /v1/webhooks/{}/deliveries": lambda api: api.webhooks.deliveries("wh_1", **LOG, **PAGE, cursor="c"),
    "GET /v1/webhooks/{}/deliveries/{}": lambda api: api.webhooks.delivery("wh_1", "evt_1:wh_1"),
    "POST /v1/webhooks/{}/deliveries/{}/retry": lambda api: api.webhooks.retry_delivery("wh_1", "evt_1:wh_1"),
    "GET /v1/events": lambda api: api.events.list(after="c", **FEED, limit=1),
    "GET /v1/stream": lambda api: next(api.stream(events=["signal.new"], types=["new"], last_event_id="1")),
}

# A parameter that stands in for a header, for those who can't set one.
STAND_INS = {"last_event_id"}


def request_of(call, **options):
    """What the client sends."""
    sent = []

    def answer(request):
        sent.append(request)
        return httpx.Response(418)

    http = httpx.Client(transport=httpx.MockTransport(answer), **options)
    api = Sigcast("sk_test", "https://api.test/base/", max_retries=0, http=http)
    try:
        call(api)
    except SigcastError:
        pass
    [request] = sent
    return request


class Operations(TestCase):
    def test_every_operation_of_the_api_can_be_done_with_all_its_parameters(self):
        documented = [
            (method.upper(), path, operation)
            for path, operations in DOCUMENT["paths"].items()
            if path.startswith("/v1/")
            for method, operation in operations.items()
        ]
        self.assertEqual(len(documented), len(CALLS))
        for method, path, operation in documented:
            with self.subTest(f"{method} {path}"):
                request = request_of(CALLS[f"{method} {re.sub('{.*?}', '{}', path)}"])
                url = urlsplit(str(request.url))
                self.assertEqual(request.method, method)
                pattern = "/base" + re.sub("{.*?}", r"[\\w:]+", path)
                self.assertRegex(unquote(url.path), f"^{pattern}$")
                self.assertEqual(request.headers["authorization"], "Bearer sk_test")
                wanted = {one["name"] for one in operation.get("parameters", []) if one.get("in") == "query" and not one.get("deprecated")}
                self.assertEqual(set(parse_qs(url.query)), wanted - STAND_INS)
                if "requestBody" in operation:
                    name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].split("/")[-1]
                    properties = DOCUMENT["components"]["schemas"][name]["properties"]
                    self.assertEqual(set(json.loads(request.content)), set(properties))

    def test_both_clients_have_the_same_operations_with_the_same_parameters(self):
        api = AsyncSigcast("sk_test", "https://api.test")
        blocking = Sigcast("sk_test", "https://api.test")
        for name in ("signals", "stats", "backtests", "events", "webhooks"):
            methods = [one for one in dir(getattr(api, name)) if not one.startswith("_")]
            self.assertEqual([one for one in dir(getattr(blocking, name)) if not one.startswith("_")], methods)
        blocking.close()

    def test_the_types_of_a_strategy_have_the_fields_that_the_api_takes_and_the_same_are_required(self):
        body = DOCUMENT["components"]["schemas"]["CreateBacktest"]["properties"]
        for name, given in (("filters", BacktestFilters), ("costs", BacktestCosts)):
            schema = body[name]
            hints = get_type_hints(given, include_extras=True)
            self.assertEqual(set(hints), set(schema["properties"]))
            required = {name for name, hint in hints.items() if get_origin(hint) is not NotRequired}
            self.assertEqual(required, set(schema.get("required", [])))

    def test_a_completed_backtest_has_the_fields_that_the_api_gives(self):
        fields = DOCUMENT["components"]["schemas"]["Backtest"]["properties"]
        self.assertEqual(set(get_type_hints(CompletedBacktest)), set(fields))

    def test_instants_inside_a_strategy_are_sent_in_utc_and_what_is_left_out_is_not_sent(self):
        request = request_of(lambda api: api.backtests.create(filters={"since": SINCE}, stop=None))
        filters = {"since": "1970-01-01T00:00:00.000Z"}
        self.assertEqual(json.loads(request.content), {"filters": filters, "stop": None})

    def test_several_values_are_separated_by_commas_and_instants_are_sent_in_utc(self):
        tokyo = datetime(1970, 1, 1, 9, tzinfo=timezone(timedelta(hours=9)))
        request = request_of(lambda api: api.signals.list(type=["new", "3d"], status="winner", since=tokyo))
        query = "type=new%2C3d&status=winner&since=1970-01-01T00%3A00%3A00.000Z"
        self.assertEqual(str(request.url), f"https://api.test/base/v1/signals?{query}")

    def test_an_instant_without_a_time_zone_is_refused_as_the_api_would_have_to_guess(self):
        with self.assertRaisesRegex(ValueError, "time zone"):
            request_of(lambda api: api.signals.list(since=datetime(2026, 1, 1)))
        with self.assertRaisesRegex(ValueError, "time zone"):
            request_of(lambda api: api.webhooks.recover("wh_1", since=datetime(2026, 1, 1)))

    def test_an_empty_idempotency_key_is_sent_as_it_is_so_that_the_api_refuses_it(self):
        for call in (
            lambda api: api.webhooks.create(**HOOK, idempotency_key=""),
            lambda api: api.backtests.create(**STRATEGY, idempotency_key=""),
        ):
            self.assertEqual(request_of(call).headers["idempotency-key"], "")

    def test_what_is_left_out_of_a_change_is_not_sent_and_none_is(self):
        request = request_of(lambda api: api.webhooks.update("wh_1", description=None))
        self.assertEqual(json.loads(request.content), {"description": None})

    def test_the_key_is_sent_whatever_the_http_client_would_send_instead(self):
        request = request_of(lambda api: api.stats.get(), auth=("user", "password"), follow_redirects=True)
        self.assertEqual(request.headers["authorization"], "Bearer sk_test")

    def test_a_client_is_not_made_with_an_option_that_can_not_be_used_and_names_it(self):
        wrong = [("api_key", ["", "sk_ü", "sk_1\r\nx: y"]), ("timeout", [0, float("nan")])]
        wrong += [("attempt_timeout", [0, -1]), ("max_retries", [-1, 0.5])]
        wrong += [("base_url", ["api.test", "ftp://api.test", "https://api.test/?x=1", "https://me:it@api.test"])]
        for name, values in wrong:
            for value in values:
                for client in (Sigcast, AsyncSigcast):
                    with self.subTest(name, value=value), self.assertRaisesRegex(ValueError, name):
                        client(**{"api_key": "sk_test", "base_url": "https://api.test", name: value})

    def test_text_that_a_header_can_not_hold_is_refused_before_anything_is_sent(self):
        api = Sigcast("sk_test", "http://127.0.0.1:1", max_retries=0)
        with self.assertRaisesRegex(ValueError, "last_event_id"):
            next(api.stream(last_event_id="1\r\nx: y"))
        with self.assertRaisesRegex(ValueError, "idempotency_key"):
            api.webhooks.create(**HOOK, idempotency_key="ü")
        api.close()

    def test_a_client_does_not_show_its_key(self):
        api = Sigcast("sk_hush", "https://api.test")
        self.assertNotIn("hush", repr(api) + repr(vars(api)) + repr(vars(vars(api)["_transport"])))
        api.close()
