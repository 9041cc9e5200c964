#!/usr/bin/env python3
"""verve view as a browser meets it: a token that works once, a session, a WebSocket, and messages of every kind.

  view.py VERVE [MESSAGES]   MESSAGES: how many damaged ones, default 2000; 100000 where VERVE_WHOLE is set
"""
import base64
import json
import os
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile

COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 100000 if os.environ.get("VERVE_WHOLE") else 2000


def fail(text):
    raise SystemExit(f"view: {text}")


def check(condition, text):
    if not condition:
        fail(text)


class Server:
    def __init__(self, verve, page):
        words = [verve, "view", "swing", "--no-browser", "--page", page, "--threads", "1"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})\n", line)
        check(found, f"no address was printed, but {line!r}")
        self.port, self.token = int(found[1]), found[2]

    def ask(self, path, head="", host=None, method="GET"):
        """status, headers and body of one request"""
        host = host or f"127.0.0.1:{self.port}"
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as peer:
            peer.sendall(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{head}\r\n".encode())
            data = b""
            while b"\r\n\r\n" not in data:
                part = peer.recv(65536)
                if not part:
                    return 0, "", b""
                data += part
            top, body = data.split(b"\r\n\r\n", 1)
            size = int(re.search(rb"Content-Length: (\d+)", top)[1])
            while len(body) < size:
                body += peer.recv(65536)
            return int(top.split()[1]), top.decode(), body

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=20)


class Page:
    """a WebSocket of the page"""

    def __init__(self, server, session):
        self.peer = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        key = base64.b64encode(bytes(16)).decode()
        self.peer.sendall((f"GET /{session}/live HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                           f"Origin: http://127.0.0.1:{server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.more()
        top, self.data = self.data.split(b"\r\n\r\n", 1)
        check(b" 101 " in top, f"no WebSocket: {top!r}")

    def more(self):
        part = self.peer.recv(1 << 20)
        check(part, "the server hung up")
        self.data += part

    def send(self, payload, opcode=1):
        size = len(payload)
        head = bytes([0x80 | opcode]) + (bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size)
                                         if size < 65536 else b"\xff" + struct.pack(">Q", size))
        mask = b"\x11\x22\x33\x44"
        body = bytes(b ^ mask[i & 3] for i, b in enumerate(payload))
        self.peer.sendall(head + mask + body)

    def say(self, **words):
        self.send(json.dumps(words).encode())

    def hear(self):
        """the next message: an object, or the bytes of a binary one"""
        while True:
            if len(self.data) >= 2:
                size, at = self.data[1] & 127, 2
                if size == 126 and len(self.data) >= 4:
                    size, at = struct.unpack(">H", self.data[2:4])[0], 4
                elif size == 127 and len(self.data) >= 10:
                    size, at = struct.unpack(">Q", self.data[2:10])[0], 10
                elif size > 125:
                    size = 1 << 60
                if len(self.data) >= at + size:
                    kind, payload = self.data[0] & 15, self.data[at:at + size]
                    self.data = self.data[at + size:]
                    check(kind in (1, 2), f"a frame of kind {kind}")
                    return json.loads(payload) if kind == 1 else payload
            self.more()

    def until(self, wanted):
        for _ in range(100000):
            message = self.hear()
            if wanted(message):
                return message
        fail("the answer never came")


def frame_of(message):
    return isinstance(message, bytes) and struct.unpack("<I", message[4:8])[0] == 2


def letters(page):
    """a scene that plays, and the energy of its ledger"""
    page.say(type="hello", id=1)
    ready = page.until(lambda m: isinstance(m, dict) and m["type"] == "ready")
    check(ready["engine"] == "native" and "total" in ready["ledger"], f"ready is {ready}")
    page.say(type="load", scene="", id=2)
    scene = page.until(lambda m: isinstance(m, dict) and m["type"] in ("scene", "error"))
    check(scene["type"] == "scene" and len(scene["objects"]) > 0, f"scene is {scene}")
    page.until(frame_of)
    page.say(type="got")
    page.say(type="step", count=5, id=3)
    late = page.until(lambda m: frame_of(m) and struct.unpack("<I", m[12:16])[0] >= 5)
    check(struct.unpack("<d", late[16:24])[0] > 0, "time stands")
    page.say(type="got")


def damage(page, seed):
    """something that is nearly a message"""
    random.seed(seed)
    samples = ['{"type":"load","scene":"{}"}', '{"type":"grab","hand":0,"origin":[0,1,2],"direction":[0,0,-1]}',
               '{"type":"set","path":"gravity","value":[0,-9.81,0]}', '{"type":"rewind","seconds":1e300}',
               '{"type":"drag","hand":-7,"target":[null,1,2]}', '{"type":"step","count":-1}', '{"type":"record"}',
               '{"type":"cut","before":[],"after":[[0,0,0],[1,1,1]]}', '{"type":"import","file":"../../x","unit":"m"}',
               '{"type":"show","field":"?"}', '[]', '', '{"type":' + '[' * 300, '{"type":"wind","velocity":[1e999,0,0]}']
    text = bytearray(random.choice(samples).encode())
    for _ in range(random.randrange(4)):
        if text:
            text[random.randrange(len(text))] = random.randrange(256)
    if random.random() < 0.2:
        page.send(bytes(random.randrange(256) for _ in range(random.randrange(64))) if random.random() < 0.5
                  else b"VVB1" + struct.pack("<IIId", random.randrange(6), random.randrange(1 << 31), 0, 0.0) +
                  bytes(random.randrange(40)), opcode=2)
    else:
        page.send(bytes(text), opcode=1)


def main():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "index.html").write_text("<p>a page")
        none = subprocess.run([sys.argv[1], "view", "swing", "--page", folder + "/none", "--no-browser"],
                              capture_output=True, text=True)
        check(none.returncode == 3 and "make web" in none.stderr, f"without a page: {none}")
        server = Server(sys.argv[1], folder)
        try:
            check(server.ask("/")[0] == 403, "no token was needed")
            check(server.ask(f"/?token={server.token}", host="evil.example")[0] == 403, "another host was let in")
            check(server.ask(f"/?token={server.token}", "Origin: http://evil.example\r\n")[0] == 403, "another page")
            status, top, _ = server.ask(f"/?token={server.token}")
            check(status == 303, f"the token gave {status}")
            session = re.search(r"Location: /([0-9a-f]{32})/", top)[1]
            check(server.ask(f"/?token={server.token}")[0] == 403, "the token worked twice")
            status, top, body = server.ask(f"/{session}/")
            check(status == 200 and body == b"<p>a page", "the page did not come")
            check(all(word in top for word in ("frame-ancestors 'none'", "no-referrer", "Opener-Policy: same-origin", "require-corp")),
                    "headers are missing")
            check(server.ask(f"/{session}/../view.py")[0] in (403, 404), "a file beside the page was given away")
            page = Page(server, session)
            letters(page)
            for seed in range(COUNT):
                damage(page, seed)
                if seed % 50 == 49:  # it still answers
                    page.say(type="hello", id=seed)
                    page.until(lambda m: isinstance(m, dict) and m["type"] == "ready")
            page.say(type="pause")
            letters(page)
            second = Page(server, session)  # side by side
            letters(second)
            # one who hangs up in the middle
            page.peer.close()
            letters(second)
        finally:
            code = server.end()
        check(code == 0, f"it ended with {code}")
    print(f"view: passed, {COUNT} damaged messages")


main()
