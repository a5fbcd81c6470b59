"""Parts of `python -m sigcast verify`, by published test vectors. The forgeries that it must name are in
packages/client/test/cli/verify.test.ts, for the command line of Node as well."""

import base64
import gzip
import io
import sys
from contextlib import redirect_stderr
from tempfile import TemporaryDirectory
from unittest import TestCase
from unittest.mock import patch

from server import ScriptedServer, plain
from sigcast.__main__ import main
from sigcast.verify.checkpoint import Checkpoint, is_signed_by, read_key
from sigcast.verify.log_files import log_files, tile_path
from sigcast.verify.record import canonical, parsed
from sigcast.verify.tree import Tree, hash_of_entry

KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
NOTE = (
    "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsY"
    "jOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)


class Verifying(TestCase):
    def test_signatures_are_those_of_c2sp_signed_note(self):
        key = read_key(KEY)
        self.assertTrue(is_signed_by(Checkpoint("", 0, "", NOTE), key))
        self.assertFalse(is_signed_by(Checkpoint("", 0, "", NOTE.replace("an", "no")), key))
        self.assertFalse(is_signed_by(Checkpoint("", 0, "", NOTE.replace("foo", "bar")), key))
        self.assertIsNone(read_key(KEY.replace("530d", "530e")))

    def test_trees_are_those_of_rfc_6962(self):
        # The entries and roots of the tests of Certificate Transparency.
        entries = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
        roots = {
            0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        }
        tree = Tree()
        for entry in [*entries, ""]:
            if tree.size in roots:
                self.assertEqual(base64.b64decode(tree.root).hex(), roots[tree.size])
            tree.add(hash_of_entry(bytes.fromhex(entry)))

    def test_paths_of_tiles_are_those_of_c2sp_tlog_tiles(self):
        self.assertEqual(tile_path("0", 1234067, 256), "tile/0/x001/x234/067")
        self.assertEqual(tile_path("entries", 273, 112), "tile/entries/273.p/112")

    def test_canonical_json_is_that_of_rfc_8785(self):
        numbers = {
            0.0: "0", -0.0: "0", 5e-324: "5e-324", -1.7976931348623157e308: "-1.7976931348623157e+308",
            9007199254740992.0: "9007199254740992", 295147905179352830000: "295147905179352830000",
            999999999999999900000.0: "999999999999999900000", 1e21: "1e+21", 9.999999999999997e22: "9.999999999999997e+22",
            0.000001: "0.000001", 1e-7: "1e-7", 333333333.33333329: "333333333.3333333", 1424953923781206.2: "1424953923781206.2",
        }
        for value, text in numbers.items():
            self.assertEqual(canonical(value), text)
        names = '{"\\r":1,"1":2,"\x80":3,"ö":4,"€":5,"\U0001f600":6,"\ufb33":7}'
        self.assertEqual(list(parsed(names.encode()).values()), [1, 2, 3, 4, 5, 6, 7])
        for wrong in ('{"b":1,"a":2}', '{"a": 1}', '{"a":1.0}', '{"a":1,"a":1}', '{"a":NaN}', '{"a":"\\ud800"}', "[]"):
            self.assertIsNone(parsed(wrong.encode()), wrong)
        self.assertIsNone(parsed(b'{"a":"\xff"}'))
        self.assertIsNone(parsed(b'{"a":' + b"[" * 30_000 + b"]" * 30_000 + b"}"))

    def test_a_bundle_may_be_stored_compressed(self):
        server = ScriptedServer()
        self.addCleanup(server.close)
        packed = gzip.compress(b"\0\2{}")
        server.script("/log/tile/entries/000.p/1", lambda handler: handler.send(200, {}, packed))
        server.script("/log/tile/entries/001", plain(404))
        read = log_files(f"{server.url}/log")
        self.assertEqual(read("tile/entries/000.p/1"), b"\0\2{}")
        self.assertIsNone(read("tile/entries/001"))

    def test_says_that_cryptography_is_missing_and_what_to_install(self):
        root = base64.b64encode(bytes(32)).decode()
        signature = base64.b64encode(bytes.fromhex("530d903a") + bytes(64)).decode()
        with TemporaryDirectory() as folder:
            with open(f"{folder}/checkpoint", "w", encoding="utf-8") as file:
                file.write(f"example.com/foo\n0\n{root}\n\n— example.com/foo {signature}\n")
            said = io.StringIO()
            argv = ["sigcast", "verify", "--log", folder, "--key", KEY]
            missing = {"cryptography.exceptions": None}
            with patch.object(sys, "argv", argv), patch.dict(sys.modules, missing), redirect_stderr(said):
                self.assertEqual(main(), 2)
        self.assertIn("pip install 'sigcast[verify]'", said.getvalue())

    def test_the_api_key_goes_to_no_address_without_encryption(self):
        said = io.StringIO()
        argv = ["sigcast", "verify", "--url", "http://api.example"]
        with patch.object(sys, "argv", argv), redirect_stderr(said):
            self.assertEqual(main(), 2)
        self.assertIn("--url must be an https address", said.getvalue())
