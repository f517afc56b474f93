/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths as a flame graph, its root on top: width is time with calls below; a click or Enter zooms. */
portolan.parts.time = function (into, data, all) {
    if (!data.paths || !data.paths.length) return;
    const old = into.querySelector('figure.icicle');
    const holder = portolan.element('div', {});
    old ? old.replaceWith(holder) : into.prepend(holder);
    const width = portolan.width(into), line = 24, chosen = portolan.chosen;
    /* With two sets of trials: how the own time of each call path changed; a path is known by its methods from the root on. */
    const key = (paths, i, name) => i < 0 ? '' : key(paths, paths[i].parent, name) + '/' + name(paths[i]);
    const compared = all.comparison && all.comparison.paths || [], changes = {};
    const places = Object.fromEntries(compared.map((c, i) => [c.path, i]));
    const rows = compared.map(c => ({ method: c.method, parent: c.parent in places ? places[c.parent] : -1 }));
    compared.forEach((c, i) => { changes[key(rows, i, r => r.method)] = c; });
    const changeOf = i => changes[key(data.paths, i, p => `${p.instance}.${p.method}`)];
    if (compared.length && !chosen.colour) chosen.colour = 'change';
    const ranks = Object.fromEntries((data.ranks || []).map(r => [r.rank, r]));
    const choices = [['mean', 'mean of ranks']].concat((data.ranks || []).map(r =>
        [String(r.rank), `rank ${r.rank}` + (r.rank === data.slowest_rank ? ', the slowest' : '')]));
    const said = portolan.element('p', { class: 'said', 'aria-live': 'polite' }, 'Point at a call path, or go there with Tab and the arrow keys.');
    const wanted = portolan.element('input', { type: 'search', placeholder: 'solver.solve', input: search });
    const place = portolan.element('div', {});
    holder.append(portolan.element('div', { class: 'controls' },
        portolan.select('Times of', choices, chosen.rank || 'mean', v => { chosen.rank = v; draw(); }),
        portolan.select('Colour by', [['exclusive_ns', 'own time'], ['mpi_ns', 'time in MPI'], ['imbalance', 'imbalance']]
            .concat(Object.keys(changes).length ? [['change', 'change from before to now']] : []),
            chosen.colour || 'exclusive_ns', v => { chosen.colour = v; draw(); }),
        portolan.element('label', {}, 'Search call paths ', wanted)), place, said);

    function inclusive(i) {
        const rank = ranks[chosen.rank];
        return Math.max(0, (rank ? rank.inclusive_ns[i] : data.paths[i].inclusive_ns) || 0);
    }
    function exclusive(i) {
        const rank = ranks[chosen.rank];
        return (rank ? rank.exclusive_ns[i] : data.paths[i].exclusive_ns) || 0;
    }
    function tree() {
        const nodes = data.paths.map((p, i) => ({ i, path: p, children: [] }));
        const root = { i: -1, path: { label: 'all' }, children: [] };
        nodes.forEach(n => (n.path.parent < 0 ? root : nodes[n.path.parent]).children.push(n));
        const h = d3.hierarchy(root, n => n.children);
        /* Children that take more than their parent, by rounding or sampling, widen it. */
        h.eachAfter(n => {
            const below = d3.sum(n.children || [], c => c.value);
            n.value = n.data.i < 0 ? below : Math.max(inclusive(n.data.i), below);
        });
        return d3.partition().size([width, (h.height + 1) * line])(h);
    }
    function colour(i) {
        const p = data.paths[i];
        const by = chosen.colour || 'exclusive_ns', change = changeOf(i);
        /* Red is slower than before, blue faster, by up to a factor of two. */
        if (by === 'change') return change && change.ratio > 0 ? d3.interpolateRdBu(0.5 - 0.4 * Math.max(-1, Math.min(1, Math.log2(change.ratio)))) : null;
        const of = k => by === 'exclusive_ns' ? exclusive(k) : data.paths[k][by] || 0;
        const most = d3.max(data.paths, (q, k) => of(k)) || 1;
        return p.pruned ? null : d3.interpolateCividis(0.15 + 0.85 * Math.sqrt(Math.max(0, of(i)) / most));
    }
    function tell(n) {
        const p = n.data.path, change = changeOf(n.data.i);
        said.textContent = `${p.label}: ${portolan.time(inclusive(n.data.i))} with calls below, ` +
            `${portolan.time(exclusive(n.data.i))} its own, ${portolan.time(p.mpi_ns)} in MPI, ` +
            `${+p.calls.toPrecision(6)} calls` + (change && change.ratio > 0 ? `; its own was ${portolan.time(change.median_a)} before and is ${portolan.time(change.median_b)}, × ${+change.ratio.toPrecision(3)}: ${change.verdict}` : '') + (p.rule ? `; ${p.pruned ? 'pruned, ' : ''}${p.rule}` : '');
    }
    let cells, zoomed, root;
    function draw() {
        place.replaceChildren();
        root = zoomed = tree();
        const shown = root.descendants().filter(n => n.data.i >= 0 && n.value > root.value / 4000);
        const svg = portolan.figure(place, 'icicle', width, root.height * line + 2, 'Call paths by time',
            'Below a call path stand those that it calls. Grey: pruned, since it takes too little time to matter.'
            + (compared.length ? ' Colours of changes: red takes longer than before, blue less.' : ''));
        cells = svg.selectAll('g').data(shown).enter().append('g').attr('class', n => 'cell' + (n.data.path.pruned ? ' pruned' : ''))
            .attr('role', 'button').attr('tabindex', (n, i) => i ? -1 : 0)
            .on('click', zoom).on('mouseenter', tell).on('focus', tell).on('keydown', keys);
        cells.append('title').text(n => portolan.short(n.data.path.label, 200) + ', ' + portolan.time(inclusive(n.data.i)));
        cells.append('rect').attr('height', line - 2).style('fill', n => colour(n.data.i));
        cells.append('text').attr('aria-hidden', 'true').attr('y', 15).attr('x', 5)
            .style('fill', n => colour(n.data.i) ? d3.lab(colour(n.data.i)).l > 55 ? '#000' : '#fff' : null);
        arrange();
        search();
    }
    function arrange() {
        const x = d3.scaleLinear([zoomed.x0, zoomed.x1], [0, width]);
        const left = n => Math.max(0, Math.min(width, x(n.x0)));
        const wide = n => Math.max(0, Math.min(width, x(n.x1)) - left(n));
        cells.attr('transform', n => `translate(${left(n)} ${n.y0 - line})`)
            .attr('display', n => wide(n) > 0.2 ? null : 'none');
        cells.select('rect').attr('width', n => Math.max(0.5, wide(n) - 1));
        cells.select('text').text(n => wide(n) > 40 ? n.data.path.label.slice(0, Math.floor(wide(n) / 7.2)) : '');
    }
    function zoom(n) {
        zoomed = zoomed === n ? root : n;
        arrange();
        tell(n);
    }
    function keys(n) {
        const siblings = n.parent.children, at = siblings.indexOf(n);
        const to = { ArrowDown: n.children && n.children[0], ArrowUp: n.parent, ArrowLeft: siblings[at - 1], ArrowRight: siblings[at + 1] }[d3.event.key];
        if (d3.event.key === 'Enter' || d3.event.key === ' ') { d3.event.preventDefault(); zoom(n); return; }
        if (d3.event.key === 'Escape') { zoomed = root; arrange(); return; }
        const cell = to && cells.filter(m => m === to).node();
        if (!cell) return;
        d3.event.preventDefault();
        cells.attr('tabindex', -1);
        cell.setAttribute('tabindex', 0);
        cell.focus();
    }
    function search() {
        const text = wanted.value.toLowerCase();
        let found = 0;
        cells.classed('dim', n => {
            const is = n.data.path.label.toLowerCase().includes(text);
            found += is;
            return !is;
        });
        if (text) said.textContent = `${found} call path${found === 1 ? '' : 's'} with “${wanted.value}”`;
    }
    draw();
    into.querySelectorAll('figure.cells').forEach(point);

    /* Returns the subject of a cell: its row and column in the grid's table, or a pair of ranks. */
    function point(figure) {
        const svg = figure.querySelector('svg'), text = portolan.element('p', { class: 'said', 'aria-live': 'polite' });
        figure.append(text);
        const rows = [...document.querySelectorAll(`table[data-member="${figure.dataset.member}"] tr`)];
        svg.addEventListener('mousemove', e => {
            const box = svg.getBoundingClientRect(), size = box.width / svg.viewBox.baseVal.width;
            const at = k => Math.floor(((k ? e.clientY - box.top : e.clientX - box.left) / size - (k ? 24 : 320)) / figure.dataset[k ? 'height' : 'width']);
            const row = at(1), column = at(0), cell = rows.length && rows[row + 1] && row >= 0 && column >= 0 && rows[row + 1].cells[column + 1];
            const pair = !rows.length && data.messages.find(m => m.from === row && m.to === column);
            if (cell) text.textContent = `${rows[row + 1].cells[0].textContent}, ${rows[0].cells[column + 1].textContent}: ${cell.textContent || 'nothing'}`;
            else if (pair) text.textContent = `from ${row} to ${column}: ${pair.messages} messages, ${pair.bytes} bytes`;
        });
    }
};
