# SPDX-License-Identifier: BSD-3-Clause
"""Pages of `portolan report --html` in Chromium, for report_page.sh: prints TAP lines.

report_page.py PAGE CHECK [ARGUMENT...] [+ CHECK [ARGUMENT...]]... [++ PAGE ...]: the checks are
below; "plain" turns scripts off. One browser looks at all pages.
"""
import base64
import json
import os
import shutil
import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PARTS = ["now", "steps", "answer", "wiring", "time", "model", "decisions", "trial"]


class Browser:
    """A browser with one page at a time; WORDS: more options of Chromium."""

    def __init__(self, *words):
        options = Options()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1200,900", "--no-first-run", "--disable-extensions", *words):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.binary_location = shutil.which("chromium")
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)

    def open(self, file, scripts):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        self.driver.get("about:blank")
        self.driver.get("file://" + os.path.abspath(file))

    def size(self, width):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def ask(self, script, *arguments):
        return self.driver.execute_script("return " + script, *arguments)

    def values(self, part, member, column):
        """The exact numbers, or texts, of a table's column, by its member; "" where the column is empty and not shown."""
        return self.ask("""(() => { const table = `table[data-part="${arguments[0]}"][data-member="${arguments[1]}"]`;
            const at = [...document.querySelectorAll(table + ' thead [data-column]')].findIndex(h => h.dataset.column === arguments[2]);
            return [...document.querySelectorAll(table + ' tbody tr')].map(r => r.cells[at]).map(c => !c ? '' : c.dataset.value === undefined ? c.textContent : +c.dataset.value); })()""",
                        part, member, column)

    def text(self, css):
        """"" if it is not there (yet)."""
        return self.ask("(document.querySelector(arguments[0]) || {textContent: ''}).textContent", css)

    def complaints(self):
        """What the console says, but for the network that a closed machine has not."""
        return [m["message"] for m in self.driver.get_log("browser")]


def number(x):
    return float("nan") if x is None else float(x)


def near(a, b):
    return abs(number(a) - number(b)) <= 1e-9 * max(abs(number(a)), abs(number(b)))


# ------------------------------------------------------------------ checks

def check_parts(page, *more):
    """Each part is there, and those with pictures that are always possible have them."""
    there = [s.get_attribute("id") for s in page.all("main > section")]
    drawn = {part: len(page.all(f"#{part} .pictures figure svg *")) for part in there}
    stepless = page.ask("!JSON.parse(document.getElementById('document').textContent).steps.ns")
    yield "the parts are there", there == [p for p in PARTS if p != "steps" or not stepless] + list(more), there
    yield "pictures are drawn", all(drawn[p] > 3 for p in there if p in ("wiring", "time", "comparison")), drawn
    page.size(320)
    wide = page.ask("document.documentElement.scrollWidth")
    yield "at 400 % zoom nothing is beside the page", wide <= 320, wide
    page.size(1200)
    complaints = page.complaints()
    yield "the console is silent", not complaints, complaints


def check_numbers(page, profile, model, choice):
    """The page's numbers are those of the commands, from files of their JSON."""
    profile, model, choice = (json.load(open(f)) for f in (profile, model, choice))
    ranks = profile["ranks"]
    inclusive = [n["estimated"]["inclusive_ns"]["value"] / ranks for n in profile["nodes"]]
    calls = [n["calls"]["sum"] / ranks for n in profile["nodes"]]
    slowest = [n["inclusive_ns"]["max"] for n in profile["nodes"]]
    for name, column, wanted in (("calls", "calls", calls), ("inclusive times", "inclusive_ns", inclusive), ("slowest ranks", "slowest_ns", slowest)):
        got = page.values("time", "paths", column)
        yield f"{name} are those of portolan profile", len(got) == len(wanted) and all(map(near, got, wanted)), (got, wanted)
    laws = page.values("model", "models", "formula")
    yield "laws are those of portolan model", laws == [m["formula"] for m in model["models"]] and len(laws) > 0, laws
    errors = [x for x in page.values("model", "models", "rms") if isinstance(x, (int, float))]
    yield "so are their errors", all(map(near, errors, [m["rms"] for m in model["models"] if m["rms"] is not None])), errors
    options = [(v["instance"], o["implementation"], o["total_ns"]) for v in choice["choice"]["variables"] for o in v["options"]]
    shown = list(zip(*(page.values("answer", "choice.variables.options", c) for c in ("instance", "implementation", "total_ns"))))
    same = len(shown) == len(options) and all(
        s[:2] == o[:2] and (o[2] is None or near(s[2], o[2])) for s, o in zip(shown, options))
    yield "the choice is that of portolan optimize", same, (shown, options)


def check_now(page, choice, kind, *words):
    """The first block has the command of this KIND, with these WORDS, and the gain and the reason of `portolan optimize`."""
    facts = {}
    if os.path.getsize(choice):
        facts = {f["name"]: f["text"] for f in json.load(open(choice))["choice"]["facts"]}
    first = page.ask("document.querySelector('main > section').id")
    command, gain, why = (page.text(f"#now {css}") for css in (".command code", ".gain dd", ".why dd"))
    yield "what to do now comes first", first == "now", first
    yield "its command is the right one", all(w in command for w in words) and bool(command) == bool(words), command
    data = page.ask("JSON.parse(document.getElementById('document').textContent).now")
    yield "and does what it says", data["kind"] == kind, data
    wanted = "cannot tell" if "cannot tell" in facts else facts.get("gain", "no time saved" if facts else "")
    yield "the gain is that of portolan optimize", gain.removesuffix(" of the measured calls") == wanted, (gain, wanted)
    yield "and so is the reason", facts.get("chosen", "") in why, (why, facts)
    page.size(400)
    bottom = page.ask("(document.querySelector('#now .gain dd') || document.querySelector('#now .lead')).getBoundingClientRect().bottom + scrollY")
    wide = page.ask("document.documentElement.scrollWidth")
    page.size(1200)
    yield "it is on a telephone's first screen", bottom <= 800 and wide <= 400, (bottom, wide)
    if command:
        page.one("#now .command button").click()
        said = page.driver.execute_async_script("setTimeout(() => arguments[0](document.querySelector('#now .command button').textContent + '|' + getSelection()), 0)")
        yield "a button copies it", said.split("|")[0] != "Copy" and said.split("|", 1)[1].strip() == command, said


def check_turns(page):
    """A run whose libraries took turns is a measurement, and the command names a library or measures."""
    said = [e.text for e in page.all("#answer .sentence")]
    yield "a run with turns is called a measurement", any("took turns" in s and "measurement" in s for s in said), said
    data = page.ask("JSON.parse(document.getElementById('document').textContent)")
    names = [t["name"] for t in data["answer"]["times"]]
    alone = [n for n in names if n.endswith(" alone")]
    bars = page.ask("[...document.querySelectorAll('#answer figure.bars text:first-of-type')].map(t => t.textContent)")
    yield "its bar says so", "a measurement: alternatives took turns" in bars and not any("the run" in b for b in bars), bars
    yield "a program without steps has no picture of them", not page.all("#steps"), ""
    yield "next to it stand single choices", "measured" in names and len(alone) == len(data["answer"]["choice"]["variables"][0]["options"]), names
    yield "what to do names a library or measures", data["now"]["kind"] in ("run", "measure") and ("libcalc" in data["now"]["command"] or data["now"]["lead"].startswith("Keep what you have")), data["now"]


def check_steps(page, explained, profile):
    """Step times are those that the run was stored with; predictions those of `portolan explain`."""
    data = page.ask("JSON.parse(document.getElementById('document').textContent).steps")
    expected = {e["step"]: e["expected_ns"] for e in json.load(open(explained))["expectations"] if not e["path"]}
    got = {s: e for s, e in zip(data["first"], data["expected_ns"]) if e is not None}
    yield "predictions are those of portolan explain", bool(got) and all(near(got[s], expected[s]) for s in got), (got, expected)
    total = sum(ns * (last - first + 1) for ns, first, last in zip(data["ns"], data["first"], data["last"]))
    nodes = json.load(open(profile))["nodes"]
    whole = sum(n["inclusive_ns"]["sum"] for n in nodes if n["parent"] in (-1, None))
    yield "steps add up to the profile of rank 0", 0.5 * whole <= total <= whole * (1 + 1e-9), (total, whole)
    dots = page.ask("[...document.querySelectorAll('#steps .dots')].map(d => +d.dataset.n)")
    yield "each is a point", sum(dots) == len(data["ns"]) > 1, dots
    for c, name in (("steps", "steps"), ("mean_ns", "mean times")):
        shown = page.values("steps", "choices", c)
        yield f"the table has the {name} of each choice", shown == [x[c] for x in data["choices"]] and len(shown) > 0, shown
    yield "all steps are in it", sum(page.values("steps", "choices", "steps")) == data["steps"], data["steps"]
    marks = len(page.all("#steps .decision"))
    yield "decisions are marked", marks == page.ask("JSON.parse(document.getElementById('document').textContent).decisions.decisions.length"), marks
    said = page.ask("""(() => { const svg = document.querySelector('#steps svg'), b = svg.getBoundingClientRect();
        svg.dispatchEvent(new PointerEvent('pointermove', { clientX: b.left + 64, clientY: b.top + 100 }));
        return document.querySelector('#steps .said').textContent; })()""")
    yield "pointing tells a step", said.startswith("Step") and f" {data['first'][0]}" in said, said
    page.ask("document.querySelector('#steps svg').focus()")
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    said = page.text("#steps .said")
    yield "so do keys", said.startswith("Step") and f" {data['first'][1]}" in said, said
    page.ask("document.querySelector('#steps button[aria-label=\"Zoom in\"]').click()")
    fewer = sum(page.ask("[...document.querySelectorAll('#steps .dots')].map(d => +d.dataset.n)"))
    page.ask("document.querySelector('#steps button[aria-label=\"All steps\"]').click()")
    again = sum(page.ask("[...document.querySelectorAll('#steps .dots')].map(d => +d.dataset.n)"))
    yield "zooming shows fewer, and all again", fewer < again == len(data["ns"]), (fewer, again)


def check_functions(page, profile):
    """The sandwich: own times of functions add up to those of call paths, and callers are right."""
    profile = json.load(open(profile))
    name = lambda n: (n["instance"], n["method"], n["implementation"])
    own = {}
    for n in profile["nodes"]:
        own[name(n)] = own.get(name(n), 0) + n["estimated"]["exclusive_ns"]["value"] / profile["ranks"]
    shown = page.values("time", "functions", "exclusive_ns")
    same = len(shown) == len(own) and all(map(near, sorted(shown), sorted(own.values())))
    yield "own times of functions are those of portolan profile", same, (shown, own)
    node = next(n for n in profile["nodes"] if n["parent"] is not None and n["parent"] >= 0)
    caller = profile["nodes"][node["parent"]]
    labels = page.values("time", "functions", "label")
    row = next(i for i, label in enumerate(labels) if label.startswith(f"{node['instance']}.{node['method']}"))
    callers = page.values("time", "functions", "callers")[row]
    yield "a function tells who calls it", f"{caller['instance']}.{caller['method']} " in callers, callers
    width = page.ask("document.querySelector('#time figure.icicle svg').getBoundingClientRect().width / document.querySelector('#time').clientWidth")
    yield "the flame graph is as wide as the page", width > 0.98, width


def check_difference(page):
    """Two sets of trials: the flame graph has the ratio of each call path's own time, as the comparison has it."""
    paths = page.ask("JSON.parse(document.getElementById('document').textContent).comparison.paths")
    yield "colours are changes", page.one("#time .controls select:has(option[value=change])").get_attribute("value") == "change", ""
    cell = page.one("#time figure.icicle .cell")
    page.ask("arguments[0].dispatchEvent(new FocusEvent('focus'))", cell)
    said, ratio = page.text("#time .said"), paths[0]["ratio"]
    told = float(said.split("× ")[1].split(":")[0]) if "× " in said else None
    yield "a call path tells how it changed", told is not None and near(told, float(f"{ratio:.3g}")), (said, ratio)
    page.one("#time .controls input[type=search]").send_keys("no such function")
    dim = page.ask("document.querySelectorAll('#time .cell:not(.dim)').length")
    yield "the search dims the others, and counts", dim == 0 and page.text("#time .said").startswith("0 call paths"), page.text("#time .said")


def check_widths(page):
    """From 400 to 2,560 pixels nothing is beside the page, and drawings fill their width."""
    for width in (400, 800, 1280, 1920, 2560):
        page.size(width)
        page.driver.execute_async_script("setTimeout(arguments[0], 300)")
        wide = page.ask("document.documentElement.scrollWidth")
        yield f"at {width} pixels the page is as wide as the window", wide <= width, wide
        narrow = page.ask("""[...document.querySelectorAll('#steps figure svg, #answer figure svg, #time figure.icicle svg')]
            .map(s => s.getBoundingClientRect().width / s.closest('section').clientWidth).filter(w => w < 0.95 || w > 1.01)""")
        yield f"at {width} pixels drawings fill it", not narrow, narrow
    page.size(1200)
    page.driver.execute_async_script("setTimeout(arguments[0], 300)")


def check_long(page, file, n):
    """A run of N steps: the page is small, is there soon, and says how many there were."""
    data = page.ask("JSON.parse(document.getElementById('document').textContent).steps")
    yield "all steps count", data["steps"] == int(n) and data["last"][-1] == int(n) - 1, data["steps"]
    size = os.path.getsize(file)
    yield "its page is under 2 MB", size < 2e6, size
    dots = sum(page.ask("[...document.querySelectorAll('#steps .dots')].map(d => +d.dataset.n)"))
    yield "and has as many points as can be seen", 500 < dots <= 2000, dots
    opened = page.ask("performance.getEntriesByType('navigation')[0].duration")
    print("#", f"opened in {opened:.0f} ms")


def check_slider(page, parameter, *files):
    """At each VALUE:FILE the page chooses as the command did, whose JSON is in the file; times between stops are lines."""
    data = page.ask("JSON.parse(document.getElementById('document').textContent).model")
    stops = [s["at"] for slider in data["sliders"] if slider["name"] == parameter for s in slider["stops"]]
    for file in files:
        value, name = file.split(":", 1)
        page.ask("""(() => { const input = document.querySelector(`input[data-name="${arguments[0]}"]`);
            input.value = arguments[1]; input.dispatchEvent(new Event('input')); })()""", parameter, value)
        if not os.path.getsize(name):
            said = page.one("#model .choice").text
            yield f"at {parameter} = {value} the slider cannot tell, as portolan optimize --set", said.startswith("Cannot tell: "), said
            continue
        choice = json.load(open(name))["choice"]
        shown = {e.get_attribute("data-instance"): e.get_attribute("data-chosen") for e in page.all("#model .choice li")}
        predicted = page.one("#model .choice .predicted").get_attribute("data-value")
        wanted = {v["instance"]: v["chosen"] for v in choice["variables"]}
        yield f"at {parameter} = {value} the slider chooses as portolan optimize --set", shown == wanted, (shown, wanted)
        total = choice["prediction"]["total_ns"]
        same = near(predicted, total) if float(value) in stops else abs(float(predicted) / total - 1) < 3e-3
        yield "and predicts the same", same, (predicted, total)
    first = page.ask("[...document.querySelectorAll('#model .choice li')].map(e => e.dataset.chosen)")
    page.one("#model .panel input[type=range]").send_keys(Keys.HOME)
    moved = float(page.one(f"input[data-name='{parameter}']").get_attribute("value"))
    yield "the slider moves by keys", moved == stops[0], (first, moved, stops[0])


def check_swaps(page):
    """The wiring shows what ran at each decision's step."""
    decisions = page.ask("JSON.parse(document.getElementById('document').textContent).decisions.decisions")
    for d in decisions:
        shown = page.ask("""(() => { const input = document.querySelector('#wiring input[type=range]');
            input.value = arguments[0]; input.dispatchEvent(new Event('input'));
            return Object.fromEntries([...document.querySelectorAll('#wiring .instance')].map(b => [b.dataset.name, b.querySelector('.class').textContent])); })()""", d["step"])
        wanted = dict(word.split("=") for word in d["choice"].split())
        yield f"the wiring at step {d['step']} is that of its decision", all(shown[k] == v for k, v in wanted.items()), (shown, wanted)
    page.ask("[...document.querySelectorAll('#wiring .controls button')].find(b => b.textContent === 'Swap before').click()")
    step = page.one("#wiring input[type=range]").get_attribute("value")
    yield "a step back is the swap before", int(step) in [0] + [d["step"] for d in decisions if d["change"]], step
    title = page.ask("document.querySelector('#wiring .instance[data-name=a] title').textContent")
    yield "a box tells its ports and their types", "provides function paper.Function to driver" in title, title


def check_cells(page):
    """Heat map and matrix are pictures that tell what is under the mouse, with tables behind them."""
    for member in ("ranks", "matrix"):
        cells = page.all(f"figure.cells[data-member={member}] svg path")
        yield f"the picture of {member} is drawn", len(cells) > 0, member
        said = page.ask("""(() => { const svg = document.querySelector(`figure.cells[data-member=${arguments[0]}] svg`), b = svg.getBoundingClientRect(), f = svg.parentNode.dataset;
            const at = (x, y) => [b.left + x * b.width / 960, b.top + y * b.width / 960];
            const [x, y] = at(320 + 1.5 * f.width, 24 + f.height / 2);
            svg.dispatchEvent(new MouseEvent('mousemove', { clientX: x, clientY: y })); return svg.parentNode.querySelector('.said').textContent; })()""", member)
        table = page.ask("[...document.querySelector(`table[data-member=${arguments[0]}] tbody tr`).cells].map(c => c.textContent)", member)
        yield "and tells what a cell is of", said.startswith(table[0]) and table[2] and said.endswith(table[2]), (said, table)


def check_use(page, link, word):
    """Links, search, sorting, exact numbers, keys."""
    page.ask("location.hash = arguments[0]", link)
    focus = page.driver.execute_async_script(
        "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0](document.activeElement.id)))")
    yield "an address goes to its row", focus == link.lstrip("#"), focus
    broken = page.ask("[...document.querySelectorAll('a[href^=\"#\"]')].map(a => decodeURIComponent(a.getAttribute('href').slice(1))).filter(id => !document.getElementById(id))")
    yield "no link is broken", not broken, broken

    twice = page.ask("[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i)")
    yield "each address is of one place", not twice, twice

    search = page.one("#search")
    search.send_keys(word)
    shown = page.ask("[...document.querySelectorAll('main tbody tr')].filter(r => !r.hidden).map(r => r.textContent.toLowerCase())")
    yield "the search leaves the rows that have it", shown and all(word.lower() in row for row in shown), shown
    search.send_keys(Keys.BACKSPACE * len(word))
    hidden = page.ask("document.querySelectorAll('main tbody tr[hidden]').length")
    yield "and brings back the others", hidden == 0, hidden

    page.ask("document.querySelector('table[data-member=\"paths\"] thead th:nth-child(3) button').click()")
    times = page.values("time", "paths", "inclusive_ns")
    yield "a column is sorted", times == sorted(times) and len(times) > 1, times
    page.ask("document.querySelector('#exact').click()")
    cell = page.one('table[data-member="paths"] tbody td[data-value]')
    yield "exact numbers are a click away", cell.text == cell.get_attribute("data-value"), cell.text

    first = page.one(".icicle .cell[tabindex='0']")
    page.ask("arguments[0].focus()", first)
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    said = page.one(".said").text
    moved = page.driver.switch_to.active_element
    yield "keys go down the call paths", moved.get_attribute("textContent") != first.get_attribute("textContent"), said
    moved.send_keys(Keys.ENTER)
    width = float(page.ask("document.activeElement.querySelector('rect').getAttribute('width')"))
    yield "and Enter zooms", width > 900, width
    page.ask("""(() => { const s = document.querySelector('#model .controls select'); s.value = 'linear';
        s.dispatchEvent(new Event('change')); })()""")
    yield "linear axes are drawn", len(page.all("#model figure.model .line")) > 0, ""
    complaints = page.complaints()
    yield "the console is silent all the while", not complaints, complaints


def check_again(page):
    """A page that follows a run draws again."""
    before = page.ask("document.querySelectorAll('main svg *').length")
    page.ask("portolan.draw()")
    after = page.ask("document.querySelectorAll('main svg *').length")
    yield "drawing again changes nothing", before == after, (before, after)


def check_plain(page):
    """Without scripts: tables and static pictures."""
    yield "tables are there without scripts", len(page.all("main table")) > 4, ""
    yield "so are pictures", all(page.all(f"#{p} figure svg *") for p in ("steps", "wiring", "time", "model")), ""
    yield "so is what to do now", page.one("#now .command code").text.startswith("portolan "), page.one("#now").text
    folded = [d.text for d in page.all("details.table:not([open]) summary")]
    yield "folded tables say how long they are", folded and all(" rows)" in f or " row)" in f for f in folded), folded
    yield "and no controls", not page.all("#search"), ""


def check_hostile(page):
    """Names are texts, whatever is in them, and the page stays as wide as the window."""
    yield "no name became an element", not page.all("main script:not(#document), main img, main iframe"), ""
    yield "and none ran", page.ask("window.hurt === undefined"), ""
    wide = page.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    yield "the page does not grow wider", wide <= 0, wide
    complaints = page.complaints()
    yield "the console is silent", not complaints, complaints


def check_empty(page):
    said = page.one("#answer .sentence").text
    yield "an empty store is said to be empty", "no trial yet" in said, said
    complaints = page.complaints()
    yield "without complaints", not complaints, complaints


def check_axe(page, script):
    """axe-core's rules, in both schemes."""
    page.driver.set_script_timeout(300)
    for scheme in ("light", "dark"):
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        page.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": open(script).read()})
        found = page.driver.execute_async_script(
            "axe.run().then(r => arguments[0](r.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200)])))")
        yield f"axe-core finds nothing ({scheme})", not found, found


def check_picture(page, file):
    """Not a check: the wiring and the models, for the README."""
    page.size(1000)
    page.ask("document.querySelectorAll('#tools, details.table, pre, .sentence + p:not(.sentence), #answer .pictures, #time, #model figure.model:first-of-type, #model figure.model ~ figure.model ~ figure.model').forEach(e => e.remove())")
    clip = page.ask("""(() => { const box = e => document.querySelector(e).getBoundingClientRect();
        return { x: 0, y: 0, width: 1000, height: box('#model figure.model').bottom + scrollY, scale: 0.6 }; })()""")
    shot = page.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    with open(file, "wb") as out:
        out.write(base64.b64decode(shot["data"]))
    yield "a picture is taken", True, ""


def main():
    page = Browser()
    for group in " ".join(sys.argv[1:]).split(" ++ "):
        file, checks = group.split(" ", 1)
        page.open(file, scripts="plain" not in checks)
        for check in checks.split(" + "):
            name, *arguments = check.split()
            for text, good, seen in globals()["check_" + name](page, *arguments):
                print("ok" if good else "not ok", f"- {file}: {text}")
                if not good:
                    print("#", str(seen)[:3000].replace("\n", " "))
    page.driver.quit()


if __name__ == "__main__":
    main()
