# SPDX-License-Identifier: BSD-3-Clause
"""What browsers, and others, would see of `portolan watch`.

watch.py get URL [NAME:VALUE...]...    of each, with these headers: the status and the content;
                                       "method:POST" asks so, "Host:" names none
watch.py hear URL FIFO EVENT...        connects to URL's events, then writes a line to FIFO; prints
                                       events until there was one of each kind
watch.py crowd URL N                   beside N who ask for the page, N who listen, none of whom reads,
                                       and N who never end their question: the status of one who does
A silent server is waited for for a minute; nobody waits otherwise.
"""
import http.client
import socket
import sys
import urllib.parse

LONGEST_S = 60


def ask(url, method="GET", headers={}):
    at = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=LONGEST_S)
    connection.putrequest(method, at.path + ("?" + at.query if at.query else ""), skip_host="Host" in headers)
    for name, value in headers.items():
        if value:
            connection.putheader(name, value)
    connection.endheaders()
    return connection.getresponse()


def get(*words):
    while words:
        url, *words = words
        headers = {}
        while words and not words[0].startswith("http://"):
            name, value = words.pop(0).split(":", 1)
            headers[name] = value
        answer = ask(url, headers.pop("method", "GET"), headers)
        print(answer.status)
        print(answer.read().decode())


def hear(url, fifo, *events):
    stream, missing = ask(url), set(events)
    with open(fifo, "w") as ready:
        ready.write(stream.getheader("Content-Type") + "\n")
    name = ""
    while missing:
        line = stream.readline().decode()
        if not line:
            sys.exit(f"the stream ended before {missing}")
        if line.startswith("event: "):
            name = line[7:].strip()
        elif line.startswith("data: "):
            print(name, line[6:].strip(), flush=True)
            missing.discard(name)


def crowd(url, n):
    at = urllib.parse.urlsplit(url)
    open_ones = []
    for question in ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HT"):
        for _ in range(int(n)):
            open_ones.append(socket.create_connection((at.hostname, at.port), timeout=LONGEST_S))
            open_ones[-1].sendall(question.encode())
    get(url)


{"get": get, "hear": hear, "crowd": crowd}[sys.argv[1]](*sys.argv[2:])
