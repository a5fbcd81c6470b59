import json
import os
import re
from datetime import datetime, timedelta, timezone
from keyword import iskeyword
from unittest import TestCase
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
from sigcast import AsyncSigcast, Sigcast, SigcastError

with open(os.environ["OPENAPI"], encoding="utf-8") as file:
    DOCUMENT = json.load(file)
with open(os.environ["SAMPLE_CALLS"], encoding="utf-8") as file:
    # Every call with everything it can be given.
    CALLS = json.load(file)

SINCE = datetime(1970, 1, 1, tzinfo=timezone.utc)
HOOK = {"url": "https://example.com/", "events": ["signal.new"]}


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
    def test_every_call_sends_what_the_api_documents_with_all_its_parameters(self):
        for sample in CALLS:
            with self.subTest(f"{sample['group']}.{sample['name']}"):
                name = re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), sample["name"])
                given = {**sample.get("query", {}), **sample.get("body", {})}
                given = {f"{one}_" if iskeyword(one) else one: value for one, value in given.items()}
                request = request_of(lambda api: getattr(getattr(api, sample["group"]), name)(*sample["ids"], **given))
                url = urlsplit(str(request.url))
                self.assertEqual(request.method, sample["method"])
                self.assertEqual(unquote(url.path), "/base" + re.sub(r"{(\w+)}", r"\1:1", sample["path"]))
                self.assertEqual(request.headers["authorization"], "Bearer sk_test")
                operation = DOCUMENT["paths"][sample["path"]][sample["method"].lower()]
                parameters = operation.get("parameters", [])
                wanted = {one["name"] for one in parameters if one.get("in") == "query" and not one.get("deprecated")}
                self.assertEqual(set(parse_qs(url.query)), wanted)
                takes_key = any(one.get("$ref", "").endswith("/Idempotency-Key") for one in parameters)
                self.assertEqual("idempotency-key" in request.headers, takes_key)
                if "requestBody" in operation:
                    schema = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].split("/")[-1]
                    properties = DOCUMENT["components"]["schemas"][schema]["properties"]
                    self.assertEqual(set(json.loads(request.content)), set(properties))

    def test_both_clients_have_the_same_operations_with_the_same_parameters(self):
        api = AsyncSigcast("sk_test", "https://api.test")
        blocking = Sigcast("sk_test", "https://api.test")
        for name in ("signals", "stats", "backtests", "events", "webhooks"):
            methods = [one for one in dir(getattr(api, name)) if not one.startswith("_")]
            self.assertEqual([one for one in dir(getattr(blocking, name)) if not one.startswith("_")], methods)
        blocking.close()

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
            lambda api: api.backtests.create(filters={"since": SINCE}, idempotency_key=""),
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
