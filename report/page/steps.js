/* SPDX-License-Identifier: BSD-3-Clause */
/* The run over its steps: points are steps, bands what ran, marks are decisions. A page that follows a run adds points. */
portolan.parts.steps = function (into, data, all) {
    const points = (data.ns || []).map((ns, i) => {
        const p = {};
        for (const key of ['first', 'last', 'ns', 'least_ns', 'most_ns', 'expected_ns', 'low_ns', 'high_ns']) p[key] = data[key][i];
        return p;
    });
    const shown = all.shown_trial, goesOn = (all.trial.trials || []).some(t => t.id === shown && t.outcome === 'running');
    /* What is heard of, but is not in the document yet. */
    const decisions = [...all.decisions.decisions || []];
    let waits = false;
    portolan.newest = () => points[points.length - 1];
    portolan.hear = s => {
        if (s.trial !== shown || !goesOn) return; // what was stored after the end is no step
        if (s.change && !decisions.some(d => d.number >= s.number)) decisions.push(Object.assign({ reason: s.text }, s));
        if (s.ns) add(s);
        if (!waits) requestAnimationFrame(() => { waits = false; draw(); });
        waits = true;
    };
    /* Short steps come in groups: one lasts until the next begins, and the newest may be as long as the one before. */
    function add(s) {
        const before = points[points.length - 1], put = (p, n) => { p.last = p.first + n - 1; p.ns = p.least_ns = p.most_ns = p.sum / n; };
        if (before && s.step <= before.first) return;
        if (before && before.sum) put(before, s.step - before.first);
        const p = { first: s.step, sum: s.ns };
        put(p, before ? Math.max(1, before.last - before.first + 1) : 1);
        points.push(p);
    }
    const note = into.parentNode.querySelector('p.note');
    into.querySelectorAll('figure.steps').forEach(f => f.remove());
    const said = portolan.element('p', { class: 'said', 'aria-live': 'polite' });
    const holder = portolan.element('div', {}), key = portolan.element('ul', { class: 'legend' });
    const button = (label, text, act) => portolan.element('button', { type: 'button', 'aria-label': label, click: act }, text);
    const controls = portolan.element('div', { class: 'controls' },
        button('Zoom in', '+', () => zoom(0.5)), button('Zoom out', '−', () => zoom(2)),
        button('Earlier steps', '◀', () => move(-0.25)), button('Later steps', '▶', () => move(0.25)),
        button('All steps', 'all', () => { portolan.chosen.steps = null; draw(); }));
    into.prepend(controls, holder, said, key);
    let at = -1;
    draw();
    (portolan.heard || []).forEach(portolan.hear);

    function whole() {
        return [points.length ? points[0].first : 0, Math.max(1, points.length ? points[points.length - 1].last : 1)];
    }
    function range() {
        return portolan.chosen.steps || whole();
    }
    function show(from, to) {
        const [first, last] = whole(), wide = Math.max(4, Math.min(to - from, last - first));
        from = Math.max(first, Math.min(from, last - wide));
        portolan.chosen.steps = from <= first && from + wide >= last ? null : [from, from + wide];
        draw();
    }
    function zoom(by, around) {
        const [a, b] = range(), middle = around === undefined ? (a + b) / 2 : around;
        show(middle - (middle - a) * by, middle + (b - middle) * by);
    }
    function move(by) {
        const [a, b] = range();
        show(a + by * (b - a), b + by * (b - a));
    }
    function draw() {
        holder.replaceChildren();
        controls.hidden = points.length < 3;
        if (!points.length && !decisions.length) return;
        if (note) note.hidden = true;
        const width = portolan.width(into), narrow = width < 600;
        const box = { left: 88, right: width - 8, top: 44, bottom: narrow ? 230 : 300 };
        const svg = portolan.figure(holder, 'steps', width, box.bottom + 44, 'Time of each step on rank 0',
            `${data.grouped ? 'Short steps were stored in groups: points are their means. ' : ''}${points.some(p => p.expected_ns > 0)
                ? 'The line was predicted, with its 95 % interval. ' : ''}${decisions.length ? 'Marks above are decisions: filled where something changed, crossed where it was refused or undone. ' : ''}Drag to move; Ctrl and the wheel zoom.`);
        const seen = points.filter(p => p.last >= range()[0] && p.first <= range()[1]);
        const x = d3.scaleLinear(range(), [box.left + 10, box.right - 10]), middle = p => x((p.first + p.last) / 2);
        const times = seen.flatMap(p => [p.least_ns, p.most_ns, p.expected_ns]).filter(t => t > 0);
        const [low, high] = [d3.min(times) || 1, d3.max(times) || 10];
        const y = (high > 8 * low ? d3.scaleLog().domain([low / 1.2, high * 1.2]) : d3.scaleLinear().domain([0, high * 1.1])).range([box.bottom, box.top]);
        const foot = y.domain()[0], put = t => y(Math.min(y.domain()[1], Math.max(foot, t || foot)));
        svg.append('clipPath').attr('id', 'inside-steps').append('rect').attr('x', box.left).attr('y', 0)
            .attr('width', box.right - box.left).attr('height', box.bottom);
        portolan.axes(svg, x, y, box, 'step', 'time of a step', v => Number.isInteger(v) ? v : '');
        const clip = svg.append('g').attr('clip-path', 'url(#inside-steps)');
        const many = (data.choices || []).length > 1;
        if (many) clip.selectAll('.runs').data(data.bands).enter().append('rect').attr('class', b => `runs s${b.choice % 6}`)
            .attr('x', b => x(b.from - 0.5)).attr('width', b => Math.max(1, x(b.to + 0.5) - x(b.from - 0.5))).attr('y', box.top).attr('height', box.bottom - box.top);
        const expected = seen.filter(p => p.expected_ns > 0), g = clip.append('g').attr('class', 'series expected');
        g.append('path').attr('class', 'band').attr('d', d3.area().curve(d3.curveStep).x(middle).y0(p => put(p.low_ns)).y1(p => put(p.high_ns))(expected));
        g.append('path').attr('class', 'line').attr('d', d3.line().curve(d3.curveStep).x(middle).y(p => put(p.expected_ns))(expected));
        for (const k of [0, 1, 2, 3, 4, 5, 'new']) {
            const own = seen.filter(p => (!band(p) ? 'new' : many ? band(p).choice % 6 : 0) === k), s = clip.append('g').attr('class', `series s${k}`);
            if (!own.length) continue;
            s.append('path').attr('class', 'spread').attr('d', own.filter(p => p.most_ns > p.least_ns).map(p => `M${middle(p)} ${put(p.least_ns)}V${put(p.most_ns)}`).join(''));
            s.append('path').attr('class', 'dots').attr('data-n', own.length).attr('d', own.map(p => `M${x(p.first)} ${put(p.ns)}H${x(p.last)}`).join(''));
        }
        marks(clip, x, box);
        const cursor = clip.append('circle').attr('class', 'cursor').attr('r', 6).attr('display', 'none');
        listen(svg, x, box, i => {
            at = i;
            cursor.attr('display', null).attr('cx', middle(seen[i])).attr('cy', put(seen[i].ns));
            tell(seen[i]);
        }, seen, middle);
        legend(many);
    }
    /* What ran in a step; of one that is new, what ran last, unless that was changed since. */
    function band(p) {
        const all = data.bands || [], b = all[Math.min(d3.bisector(b => b.to).left(all, p.first), all.length - 1)];
        return b && p.first > b.to && decisions.some(d => d.change && d.step >= b.to && d.step <= p.first) ? null : b;
    }
    function marks(clip, x, box) {
        const mark = clip.selectAll('.decision').data(decisions.filter(d => d.step >= range()[0] && d.step <= range()[1])).enter().append('a')
            .attr('class', d => 'decision' + (/^(kept|undone)/.test(d.outcome) ? ' refused' : d.change ? ' change' : ''))
            .attr('href', d => `#decisions/${d.number}`)
            .attr('aria-label', d => `decision ${d.number} at step ${d.step}: ${portolan.short(d.change || 'no change', 200)}`);
        mark.append('title').text(d => `decision ${d.number} at step ${d.step}, asked by ${d.asked_by}\n${d.change || 'no change'}\n${d.reason}\n${d.outcome}`);
        mark.append('path').attr('class', 'stem').attr('d', d => `M${x(d.step)} 30V${box.bottom}`);
        mark.append('circle').attr('r', 7).attr('cx', d => x(d.step)).attr('cy', 22);
        mark.filter(d => /^(kept|undone)/.test(d.outcome)).append('path').attr('class', 'cross').attr('d', d => `M${x(d.step) - 4} 18l8 8m0 -8l-8 8`);
    }
    /* Pointing tells a step; dragging moves; Ctrl and the wheel zoom, so that the page still scrolls. */
    function listen(svg, x, box, point, seen, middle) {
        const node = svg.node(), to = e => (e.clientX - node.getBoundingClientRect().left) * node.viewBox.baseVal.width / node.getBoundingClientRect().width;
        const nearest = px => { const i = d3.bisector(p => middle(p)).left(seen, px); return i && (i === seen.length || px - middle(seen[i - 1]) < middle(seen[i]) - px) ? i - 1 : i; };
        svg.attr('tabindex', 0).attr('role', 'application');
        let from = null;
        node.addEventListener('pointerdown', e => { if (!e.target.closest('a')) from = x.invert(to(e)); });
        node.addEventListener('pointermove', e => {
            if (seen.length) point(nearest(to(e)));
            if (from === null || !e.buttons || !portolan.chosen.steps) return;
            const by = from - x.invert(to(e)), [a, b] = range();
            if (Math.abs(by) > (b - a) / 100) show(a + by, b + by);
        });
        node.addEventListener('wheel', e => { if (e.ctrlKey) { e.preventDefault(); zoom(e.deltaY > 0 ? 1.25 : 0.8, x.invert(to(e))); } }, { passive: false });
        node.addEventListener('keydown', e => {
            const act = { ArrowRight: () => point(Math.min(seen.length - 1, at + 1)), ArrowLeft: () => point(Math.max(0, at - 1)), '+': () => zoom(0.5), '-': () => zoom(2) }[e.key];
            if (!act || !seen.length) return;
            e.preventDefault();
            act();
            if (e.key.length === 1) holder.querySelector('svg').focus();
        });
    }
    function tell(p) {
        const d = decisions.filter(d => d.step <= p.last && d.step >= p.first).pop(), ran = band(p) ? data.choices[band(p).choice].runs : '';
        said.textContent = (p.first === p.last ? `Step ${p.first}: ${portolan.time(p.ns)}` : `Steps ${p.first} to ${p.last}: mean ${portolan.time(p.ns)}, ${portolan.time(p.least_ns)} to ${portolan.time(p.most_ns)}`)
            + (p.expected_ns > 0 ? `, predicted ${portolan.time(p.expected_ns)} (${portolan.time(p.low_ns)} to ${portolan.time(p.high_ns)})` : '')
            + (ran ? `; ${ran}` : '') + (d ? `; ${d.change || 'no change'}: ${d.reason}` : '');
    }
    function legend(many) {
        key.replaceChildren(...(many ? data.choices : []).map((c, i) => portolan.element('li', { class: `s${i % 6}` },
            portolan.element('span', { class: 'swatch', 'aria-hidden': 'true' }), ` ${portolan.short(c.runs, 160)}: ${c.steps} step${c.steps === 1 ? '' : 's'}, mean ${portolan.time(c.mean_ns)}`)));
    }
};
