# SPDX-License-Identifier: BSD-3-Clause
"""The page of `portolan watch` in Chromium during runs of heat, for watch_page.sh: prints TAP lines.

It works in this folder, with plate.xml and scripted.xml, which swaps, and then waits until somebody writes
to the fifo "seen". Each wait is for what must come, for a minute at most.
"""
import os
import signal
import subprocess

from selenium.webdriver.support.ui import WebDriverWait

from report_page import Browser

PORTOLAN, LAUNCH = os.environ["PORTOLAN"], [os.environ["MPIEXEC"], "-n", "2"]


def watch(*options):
    """`portolan watch` of heat.db, and its address."""
    process = subprocess.Popen([PORTOLAN, "watch", "--store=heat.db", "--interval=0.05", *options, "plate.xml"],
                               stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().split()[1]


def run(assembly, *options):
    return subprocess.Popen([*LAUNCH, PORTOLAN, "run", "--quiet", "--store=heat.db", *options, assembly],
                            stdout=subprocess.DEVNULL)


def wait(page, condition):
    WebDriverWait(page.driver, 60, 0.1).until(lambda _: condition(), message=page.text("#watch"))


def read_on(page):
    """What a reader does: closes a table, searches, sorts, goes to a row, and remembers the page."""
    page.one("#search").send_keys("heat.")
    page.ask("document.querySelector('table[data-member=\"paths\"] thead th:nth-child(3) button').click()")
    page.ask("""(() => { window.isTheSame = true;
        document.querySelector('#answer details.table summary').click();
        const row = [...document.querySelectorAll('#model tbody tr[id]')].find(r => !r.hidden);
        location.hash = row.id; })()""")
    page.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


STATE = """({ same: window.isTheSame, closed: [...document.querySelectorAll('#answer details:not([open])')].map(d => d.textContent.slice(0, 20)),
    rows: document.querySelectorAll('main tbody tr[hidden]').length > 0, search: document.querySelector('#search').value,
    sorted: [...document.querySelectorAll('th[aria-sort]')].map(t => t.textContent + t.getAttribute('aria-sort')),
    focus: document.activeElement.id, top: document.activeElement.getBoundingClientRect().top, hash: location.hash })"""


def follow(page):
    watcher, url = watch()
    page.driver.get(url)
    yield "before there is a store, the page says so", "when something is stored" in page.text("body"), page.text("body")
    first = run("plate.xml", "--fixed").wait()
    wait(page, lambda: "finished" in page.text("#watch") and page.all("#model tbody tr[id]"))
    yield "then it comes by itself", first == 0 and page.all("#answer"), page.text("#watch")
    read_on(page)
    before = page.ask(STATE)

    second = run("scripted.xml", "--control=ctl", "--select=solver=heat.BandedCholesky")
    wait(page, lambda: "heat.BandedCholesky -> heat.Cholmod" in page.text("#watch ol") and "trial 2 " in page.text("header .about"))
    yield "steps and swaps appear while the run goes on", second.poll() is None and "Step " in page.text("#watch p + p"), page.text("#watch")
    yield "what to do waits for its end", page.text("#now .lead").startswith("When trial 2 has ended: "), page.text("#now")
    wait(page, lambda: "took" in page.text("#watch p + p"))
    told = page.ask("[document.querySelector('#watch p + p').textContent, portolan.newest().first, portolan.time(portolan.newest().ns), "
                    "[...document.querySelectorAll('#steps .dots')].reduce((sum, d) => sum + +d.dataset.n, 0)]")
    yield "each step is a point, and the newest is the one told", told[0] == f"Step {told[1]} took {told[2]}." and told[3] > 1, told
    with open("seen", "w") as fifo:
        fifo.write("yes\n")
    ended = second.wait()
    wait(page, lambda: "Trial 2 of plate (run): finished" in page.text("#watch"))
    wait(page, lambda: "pinned by the control file" in page.text("#decisions"))
    wait(page, lambda: page.text("#now .lead") and not page.text("#now .lead").startswith("When trial 2"))  # the page itself has the end
    yield "and its end", ended == 0, ended
    data = page.ask("JSON.parse(document.getElementById('document').textContent).steps")
    dots = page.ask("[...document.querySelectorAll('#steps .dots')].reduce((sum, d) => sum + +d.dataset.n, 0)")
    yield "then points are the steps that are stored, and no more", dots == len(data["ns"]), (dots, data)
    after = page.ask(STATE)
    moved = after.pop("top") - before.pop("top")
    yield "without loading the page anew, the reader finds all as it was", before == after and abs(moved) < 3, (before, after, moved)

    watcher.send_signal(signal.SIGINT)
    wait(page, lambda: "The server has ended" in page.text("#watch"))
    yield "the page says when nobody follows any more", watcher.wait() == 0, page.text("#watch")
    complaints = page.complaints()
    yield "the console is silent, the policy is kept", not complaints, complaints


def rebind(page):
    """example.test is 127.0.0.1 for this browser."""
    watcher, url = watch()
    page.driver.get(url.replace("127.0.0.1", "example.test"))
    yield "a name that was made point here shows nothing", "not the one" in page.text("body"), page.text("body")
    watcher.send_signal(signal.SIGINT)
    watcher.wait()


def main():
    page = Browser("--host-resolver-rules=MAP example.test 127.0.0.1")
    for check in (follow, rebind):
        for name, good, seen in check(page):
            print("ok" if good else "not ok", f"- {name}", flush=True)
            if not good:
                print("#", str(seen)[:3000].replace("\n", " "))
    page.driver.quit()


if __name__ == "__main__":
    main()
