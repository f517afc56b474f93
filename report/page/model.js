/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws with their intervals and measured points, and what would be chosen elsewhere. */
portolan.parts.model = function (into, data, page) {
    /* As many charts stand side by side as the style has columns of 34 rem. */
    const whole = portolan.width(into), beside = Math.max(1, Math.min((data.charts || []).length, Math.floor((whole + 19) / 563)));
    const width = Math.floor((whole - 19 * (beside - 1)) / beside), height = 400, box = { left: 76, right: width - 16, top: 24, bottom: 350 };
    const dashes = [null, '7 3', '2 3', '10 3 2 3', '5 5', '12 4'];
    const marks = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar];
    const charts = portolan.element('div', { class: 'charts' });
    const lines = [], movers = [];
    into.querySelectorAll('figure.model').forEach(f => f.remove());

    /* A call may cost what it does with one implementation of a partner: one is shown at a time. */
    const partners = {};
    (data.charts || []).forEach(chart => chart.curves.forEach(c => c.scope.split(' ').filter(w => w).forEach(w => {
        (partners[w.split('=')[0]] = partners[w.split('=')[0]] || new Set()).add(w);
    })));
    const controls = portolan.element('div', { class: 'controls' }, portolan.select('Axes',
        [['log', 'logarithmic'], ['linear', 'linear']], portolan.chosen.axes || 'log',
        v => { portolan.chosen.axes = v; drawAll(); }));
    for (const name in partners) {
        const all = [...partners[name]].map(w => [w, w.split('=')[1]]).concat([['', 'any']]);
        const key = 'with ' + name;
        if (portolan.chosen[key] === undefined) portolan.chosen[key] = preferred(name, all);
        controls.append(portolan.select('with ' + name, all, portolan.chosen[key], v => { portolan.chosen[key] = v; drawAll(); }));
    }
    if ((data.charts || []).length) into.append(controls, charts);
    drawAll();
    sliders();

    function drawAll() {
        charts.replaceChildren();
        lines.length = 0;
        (data.charts || []).forEach(draw);
        movers.forEach(mark => mark());
    }
    /* The partner that the plan chose, if there is a model with it. */
    function preferred(name, all) {
        const choice = page.answer.choice && page.answer.choice.variables.find(v => v.instance === name);
        const word = choice && `${name}=${choice.chosen}`;
        return all.some(o => o[0] === word) ? word : all[0][0];
    }
    function isShown(scope) {
        return scope.split(' ').every(w => !w || !portolan.chosen['with ' + w.split('=')[0]] || portolan.chosen['with ' + w.split('=')[0]] === w);
    }
    function scales(chart) {
        const inside = c => c.x.map((x, i) => ({ x, y: c.y[i] })).filter(p => p.x >= c.valid_from / 1.6 && p.x <= c.valid_to * 1.6);
        const points = chart.curves.flatMap(c => inside(c).concat(c.points)).filter(p => p.x > 0 && p.y > 0);
        if (!points.length) return null;
        const log = (portolan.chosen.axes || 'log') === 'log';
        const scale = log ? d3.scaleLog : d3.scaleLinear;
        const [low, high] = d3.extent(points, p => p.y);
        return {
            x: scale(log ? d3.extent(points, p => p.x) : [0, d3.max(points, p => p.x)], [box.left, box.right]),
            y: scale(log ? [low / 1.3, high * 1.3] : [0, high * 1.05], [box.bottom, box.top])
        };
    }
    function draw(whole, number) {
        const chart = Object.assign({}, whole, { curves: whole.curves.filter(c => isShown(c.scope)), crossings: whole.crossings.filter(c => isShown(c.scope)) });
        const colours = [...new Set(whole.curves.map(c => c.implementation))];
        const colour = c => colours.indexOf(c.implementation) % 6;
        const s = scales(chart);
        if (!s) return;
        const svg = portolan.figure(charts, 'model', width, height, `${chart.path} by ${chart.parameter}`,
            `${portolan.short(chart.path, 200)}: time of a call by ${chart.parameter}; lines are laws, bands their 95 % intervals, marks means of measurements with least and most. Unshaded: measured range.`);
        const id = `inside${number}`;
        svg.append('clipPath').attr('id', id).append('rect').attr('x', box.left).attr('y', box.top)
            .attr('width', box.right - box.left).attr('height', box.bottom - box.top);
        const from = d3.min(chart.curves, c => c.valid_from), to = d3.max(chart.curves, c => c.valid_to);
        const clip = svg.append('g').attr('clip-path', `url(#${id})`);
        clip.selectAll('rect').data([[box.left, s.x(from)], [s.x(to), box.right]]).enter().append('rect').attr('class', 'outside')
            .attr('x', r => r[0]).attr('width', r => Math.max(0, r[1] - r[0])).attr('y', box.top).attr('height', box.bottom - box.top);
        portolan.axes(svg, s.x, s.y, box, chart.parameter, chart.quantity.replace('exclusive', 'own time of a call,').replace('_ns', '').replace(/,$/, ''));
        const positive = v => Math.max(v, s.y.domain()[0] / 10 || 1e-9);
        chart.curves.forEach((c, i) => {
            const g = clip.append('g').attr('class', `series s${colour(c)}`);
            const row = c.x.map((x, k) => ({ x, y: c.y[k], low: c.low[k], high: c.high[k] })).filter(p => p.x > 0 || s.x(0) === box.left);
            g.append('title').text(portolan.short(c.name, 300));
            g.append('path').attr('class', 'band').attr('d', d3.area().x(p => s.x(p.x)).y0(p => s.y(positive(p.low))).y1(p => s.y(positive(p.high)))(row));
            g.append('path').attr('class', 'line').attr('stroke-dasharray', dashes[i % 6]).attr('d', d3.line().x(p => s.x(p.x)).y(p => s.y(positive(p.y)))(row));
            g.append('path').attr('class', 'spread').attr('d', c.points.filter(p => p.x > 0).map(p => `M${s.x(p.x)} ${s.y(positive(p.low))}V${s.y(positive(p.high))}`).join(''));
            g.selectAll('.point').data(c.points.filter(p => p.x > 0 && p.y > 0)).enter().append('path').attr('class', 'point')
                .attr('transform', p => `translate(${s.x(p.x)} ${s.y(p.y)})`).attr('d', d3.symbol().type(marks[colour(c)]).size(50))
                .append('title').text(p => `${portolan.short(c.name, 300)} at ${chart.parameter} = ${p.x}: ${portolan.time(p.y)} (${portolan.time(p.low)} to ${portolan.time(p.high)}), ${p.rows} measurements`);
        });
        const breaks = chart.curves.flatMap(c => data.models[c.model].breaks.filter(b => b.parameter === chart.parameter && b.divisor === null).map(b => ({ b, c })));
        clip.selectAll('.break').data(breaks).enter().append('path').attr('class', d => `break series s${colour(d.c)}`)
            .attr('d', d => `M${s.x(d.b.value.at)} ${box.top}V${box.bottom}`)
            .append('title').text(d => `${portolan.short(d.c.name, 300)} changes its law at ${chart.parameter} = ${+d.b.value.at.toPrecision(4)} (${+d.b.value.low.toPrecision(4)} to ${+d.b.value.high.toPrecision(4)})`);
        const seen = chart.crossings.filter(c => c.x >= s.x.domain()[0] && c.x <= s.x.domain()[1] && c.y >= s.y.domain()[0] && c.y <= s.y.domain()[1]).slice(0, 12);
        clip.selectAll('.crossing').data(seen).enter().append('circle').attr('class', 'crossing').attr('r', 7)
            .attr('cx', c => s.x(c.x)).attr('cy', c => s.y(c.y))
            .append('title').text(c => `at ${chart.parameter} = ${+c.x.toPrecision(4)}: below it ${c.cheaper_below} is cheaper, above it ${c.cheaper_above}`);
        lines.push({ chart, scale: s.x, line: clip.append('path').attr('class', 'here') });
        legend(svg.node().parentNode, chart, seen, colour);
    }
    function legend(figure, chart, crossings, colour) {
        const list = portolan.element('ul', { class: 'legend' });
        chart.curves.forEach((c, i) => {
            const item = portolan.element('li', { class: `s${colour(c)}` });
            const key = d3.select(item).append('svg').attr('viewBox', '0 0 34 14').attr('width', 34).attr('height', 14).attr('aria-hidden', 'true');
            key.append('path').attr('class', 'line').attr('stroke-dasharray', dashes[i % 6]).attr('d', 'M0 7H34');
            key.append('path').attr('class', 'point').attr('transform', 'translate(17 7)').attr('d', d3.symbol().type(marks[colour(c)]).size(40));
            item.append(' ', portolan.element('a', { href: '#' + data.links[c.model].link }, portolan.short(c.name, 120)));
            list.append(item);
        });
        crossings.forEach(c => list.append(portolan.element('li', { class: 'cross' },
            `○ ${+c.x.toPrecision(4)}: ${c.cheaper_below} is cheaper below, ${c.cheaper_above} above`)));
        figure.append(list);
    }

    /* One parameter is moved, the others are as they are. */
    function sliders() {
        if (!(data.sliders || []).length) return;
        const answer = portolan.element('div', { class: 'choice', role: 'status' });
        const panel = portolan.element('div', { class: 'panel', id: 'model/choice' }, portolan.element('h3', {}, 'What would be chosen?'));
        const shows = data.sliders.map(s => {
            const ends = [s.stops[0].at, s.stops[s.stops.length - 1].at];
            const scale = (ends[0] > 0 ? d3.scaleLog : d3.scaleLinear)(ends, [0, 1000]);
            const range = portolan.element('input', { type: 'range', min: 0, max: 1000, step: 'any', 'aria-label': s.name,
                input: () => { const x = scale.invert(+range.value); show(s.whole ? Math.round(x) : +x.toPrecision(4)); } });
            const number = portolan.element('input', { type: 'number', min: ends[0], max: ends[1], step: s.whole ? 1 : 'any', 'data-name': s.name,
                'aria-label': s.name + ', exactly', input: () => { if (number.value) show(+number.value); } });
            panel.append(portolan.element('label', {}, s.name + ' ', range, ' ', number));
            function show(wanted) {
                let x = Math.min(ends[1], Math.max(ends[0], wanted));
                /* Cases have choices at their own values only. */
                if (s.stops.every(p => p.measured)) x = s.stops[d3.scan(s.stops, (p, q) => Math.abs(p.at - x) - Math.abs(q.at - x))].at;
                if (+number.value !== wanted) number.value = x;
                range.value = scale(x);
                range.setAttribute('aria-valuetext', x);
                answer.replaceChildren(...tell(evaluate(s, x)));
                portolan.chosen[s.name] = x;
                mark();
            }
            function mark() {
                lines.filter(l => s.name === l.chart.parameter || s.name.endsWith('.' + l.chart.parameter))
                    .forEach(l => l.line.attr('d', `M${l.scale(portolan.chosen[s.name])} ${box.top}V${box.bottom}`));
            }
            movers.push(mark);
            return () => show(s.name in portolan.chosen ? portolan.chosen[s.name] : s.present);
        });
        panel.append(answer);
        into.prepend(panel);
        shows.reverse().forEach(show => show());
    }
    /* Which combination of all the variables' options, the last the fastest. */
    function number(chosen) {
        return chosen.reduce((n, k, v) => n * data.variables[v].options.length + k, 0);
    }
    /* Stops are so near that times between two are straight lines on logarithmic axes; measured ones hold only there. */
    function evaluate(s, x) {
        const exact = s.stops.find(p => Math.abs(p.at - x) <= 1e-12 * Math.abs(x));
        if (exact) return exact;
        const open = s.stops.filter(p => !p.measured), i = d3.bisector(p => p.at).right(open, x), a = open[i - 1], b = open[i];
        const share = a.at > 0 ? Math.log(x / a.at) / Math.log(b.at / a.at) : (x - a.at) / (b.at - a.at);
        const near = share < 0.5 ? a : b;
        if (a.cannot_tell || b.cannot_tell) return near;
        const mix = (p, q) => p > 0 && q > 0 ? p ** (1 - share) * q ** share : share < 0.5 ? p : q;
        const totals = a.totals.map((t, k) => mix(t, b.totals[k])), cost = p => totals.length ? totals[number(p.chosen)] : p.prediction.total_ns;
        const same = String(a.chosen) === String(b.chosen), best = same ? near : cost(b) < cost(a) ? b : a, prediction = {};
        for (const key in best.prediction) prediction[key] = same ? mix(a.prediction[key], b.prediction[key]) : best.prediction[key];
        return Object.assign({}, best, { totals, prediction, extrapolates: a.extrapolates || b.extrapolates });
    }
    /* The next best: equal times are one, with the fewest differences. */
    function rivals(stop) {
        const all = stop.totals.map((ns, n) => {
            const other = [];
            let rest = n;
            for (let v = data.variables.length - 1; v >= 0; v--) {
                const options = data.variables[v].options, k = rest % options.length;
                rest = (rest - k) / options.length;
                if (k !== stop.chosen[v]) other.unshift(`${data.variables[v].instance}=${options[k]}`);
            }
            return { ns, other };
        }).filter(r => r.ns > 0 && r.other.length).sort((p, q) => p.ns - q.ns || p.other.length - q.other.length);
        const own = stop.totals[number(stop.chosen)];
        return all.filter((r, i) => r.ns !== own && (!i || r.ns !== all[i - 1].ns)).slice(0, 3);
    }
    function tell(stop) {
        if (stop.cannot_tell) return [portolan.element('p', {}, 'Cannot tell: ' + stop.cannot_tell)];
        const list = portolan.element('ul', {}), p = stop.prediction;
        data.variables.forEach((v, i) => {
            const chosen = v.options[stop.chosen[i]];
            list.append(portolan.element('li', { 'data-instance': v.instance, 'data-chosen': chosen }, `${v.instance}: `,
                portolan.element('strong', {}, chosen), stop.chosen[i] === v.written ? ' (as written)' : ` instead of ${v.options[v.written]}`));
        });
        const next = rivals(stop).map(r => `${r.other.join(' ')} ${portolan.time(r.ns)}`).join('; ');
        return [list, portolan.element('p', { class: 'predicted', 'data-value': p.total_ns },
            stop.unusable ? 'Predicted: cannot tell: too few measurements near these parameters.'
                : `Predicted: ${portolan.time(p.total_ns)} (95 %: ${portolan.time(p.low_ns)} to ${portolan.time(p.high_ns)})` +
                  (stop.extrapolates ? '; outside the measured range' : '') + (stop.measured ? '; measured here' : '') +
                  (stop.verdict === 'sure' ? '.' : `. ${stop.verdict === 'close' ? 'Close call' : 'Cannot tell'}: the fastest of all with a chance of ${Math.round(100 * stop.chance)} %.`)),
            next && !stop.unusable ? portolan.element('p', { class: 'about' }, 'Next: ' + next) : ''];
    }
};
