import base64
import json
import os
from email.message import Message
from unittest import TestCase
from wsgiref.util import setup_testing_defaults

import httpx
from sigcast import WebhookVerificationError, sign_webhook, verify_webhook, verify_webhook_batch

with open(os.environ["WEBHOOK_VECTORS"], encoding="utf-8") as file:
    VECTORS = json.load(file)
VECTOR = VECTORS["vector"]
BODY, HEADERS, [SECRET], NOW = (VECTOR[name] for name in ("body", "headers", "secrets", "now"))


def outcome_of(case):
    one = {**VECTOR, **case}
    body = base64.b64decode(one["body_base64"]) if "body_base64" in one else one["body"]
    try:
        tolerance = one.get("tolerance", 300)
        said = verify_webhook(body, one["headers"], one["secrets"], tolerance=tolerance, now=one["now"])
    except WebhookVerificationError as error:
        return error.reason
    except ValueError:
        return "mistake"
    return "genuine" if said == json.loads(body) else said


class Verifying(TestCase):
    def test_takes_and_refuses_the_same_as_the_client_for_node(self):
        self.assertGreater(len(VECTORS["cases"]), 40)
        for case in VECTORS["cases"]:
            with self.subTest(case["name"]):
                self.assertEqual(outcome_of(case), case["outcome"])

    def test_takes_the_body_as_bytes_and_headers_of_any_framework(self):
        message = Message()
        for name, value in HEADERS.items():
            message[name.title()] = value
        for headers in (HEADERS, message, httpx.Headers(HEADERS)):
            for body in (BODY, BODY.encode(), bytearray(BODY.encode())):
                self.assertEqual(verify_webhook(body, headers, SECRET, now=NOW), {"test": 2432232314})

    def test_gives_the_events_of_a_batch_each_with_its_id(self):
        batch = '[{"id":"evt_1","event":"signal.new"},{"id":"evt_2","event":"signal.dead"}]'
        headers = sign_webhook(batch, "bat_1", SECRET)
        self.assertEqual([one["id"] for one in verify_webhook_batch(batch, headers, SECRET)], ["evt_1", "evt_2"])
        with self.assertRaises(WebhookVerificationError) as caught:
            verify_webhook(batch, headers, SECRET)
        self.assertEqual(caught.exception.reason, "invalid_body")
        alone = sign_webhook('{"event":"signal.new"}', "evt_1", SECRET)
        [event] = verify_webhook_batch('{"event":"signal.new"}', alone, SECRET)
        self.assertEqual(event, {"id": "evt_1", "event": "signal.new"})

    def test_goes_by_the_present_time_where_none_is_given(self):
        with self.assertRaises(WebhookVerificationError) as caught:
            verify_webhook(BODY, HEADERS, SECRET)
        self.assertEqual(caught.exception.reason, "timestamp_too_old")
        headers = sign_webhook(BODY, "evt_1", SECRET)
        self.assertEqual(verify_webhook(BODY, headers, SECRET), {"test": 2432232314})

    def test_signs_the_published_vector(self):
        headers = sign_webhook(BODY, HEADERS["webhook-id"], SECRET, now=NOW + 0.9)
        self.assertEqual(headers, {"content-type": "application/json", **HEADERS})

    def test_tells_a_mistake_of_the_receivers_own_apart_and_never_repeats_a_secret(self):
        with self.assertRaises(ValueError) as caught:
            verify_webhook(BODY, HEADERS, "whsec_hush!", now=NOW)
        self.assertNotIn("hush", str(caught.exception))
        with self.assertRaises(ValueError):
            verify_webhook(BODY, HEADERS, os.environ.get("NOT_SET"), now=NOW)
        with self.assertRaises(TypeError):
            verify_webhook(json.loads(BODY), HEADERS, SECRET, now=NOW)

    def test_headers_of_another_form_are_the_receivers_mistake_and_no_forged_delivery(self):
        environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in HEADERS.items()}
        setup_testing_defaults(environ)
        raw = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
        others = [environ, dict(raw), raw, list(HEADERS.items()), None]
        others += [{**HEADERS, "webhook-id": value} for value in (None, b"msg_1", 1, [None])]
        for headers in others:
            with self.subTest(headers=headers), self.assertRaisesRegex(TypeError, "WSGI's environ nor ASGI's list"):
                verify_webhook(BODY, headers, SECRET, now=NOW)

    def test_headers_may_have_several_values_and_others_beside_those_that_count(self):
        headers = {**{name: [value] for name, value in HEADERS.items()}, "x-other": None}
        self.assertEqual(verify_webhook(BODY, headers, SECRET, now=NOW), {"test": 2432232314})
        with self.assertRaises(WebhookVerificationError) as caught:
            verify_webhook(BODY, {**HEADERS, "webhook-id": []}, SECRET, now=NOW)
        self.assertEqual(caught.exception.reason, "missing_header")

    def test_a_tolerance_that_is_not_0_or_more_is_refused_and_takes_no_delivery_of_any_age(self):
        for tolerance in (float("nan"), -1):
            with self.subTest(tolerance), self.assertRaisesRegex(ValueError, "tolerance must be 0 or more"):
                verify_webhook(BODY, HEADERS, SECRET, tolerance=tolerance, now=NOW + 1_000)
        self.assertEqual(verify_webhook(BODY, HEADERS, SECRET, tolerance=0, now=NOW), {"test": 2432232314})
