from clients import AsyncioTest, BlockingTest
from server import failure, success


def items(names):
    return [{"id": name} for name in names]


class Cases:
    def test_signals_are_read_over_their_cursors_to_the_end_through_a_limit_on_the_way(self):
        def page(cursor):
            return f"/v1/signals?type=3d&limit=2{cursor}"

        self.server.script(page(""), success(items("ab"), {"next_cursor": "x"}))
        refused = failure(429, "RATE_LIMIT_EXCEEDED", 60)
        self.server.script(page("&cursor=x"), refused, success(items("cd"), {"next_cursor": "y"}))
        self.server.script(page("&cursor=y"), success(items("e"), {"next_cursor": None}))
        read = [signal["id"] for signal in self.client().signals.iterate(type="3d", limit=2)]
        self.assertEqual(read, list("abcde"))

    def test_no_page_more_is_asked_for_than_is_read(self):
        self.server.script("/v1/signals?limit=100", success(items("ab"), {"next_cursor": "z"}))
        signals = self.client().signals.iterate()
        self.assertEqual([next(signals)["id"], next(signals)["id"]], ["a", "b"])
        signals.close()
        self.assertEqual(len(self.server.requests), 1)

    def test_events_are_read_from_page_to_page_over_empty_ones_too_until_there_is_no_more(self):
        def page(after):
            return f"/v1/events?after={after}&events=signal.winner&signal_id=sig_1&limit=100"

        self.server.script(page(1), success(items("a"), {"next_cursor": "2", "has_more": True}))
        self.server.script(page(2), success([], {"next_cursor": "3", "has_more": True}))
        self.server.script(page(3), success(items("b"), {"next_cursor": "4", "has_more": False}))
        events = self.client().events.iterate(after="1", events="signal.winner", signal_id="sig_1")
        read = [event["id"] for event in events]
        self.assertEqual(read, ["a", "b"])

    def test_a_page_says_where_it_stands_and_what_is_left_of_the_limit(self):
        self.server.script("/v1/signals?page=2", success(items("a"), {"total": 21, "page": 2}))
        page = self.client().signals.list(page=2)
        self.assertEqual((page.data, page.meta["total"]), (items("a"), 21))
        self.assertEqual((page.request_id, page.rate_limit.remaining), ("req_12345678", 59))


class Blocking(Cases, BlockingTest):
    pass


class Asyncio(Cases, AsyncioTest):
    pass
