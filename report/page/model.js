/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws with their intervals and measured points, and what would be chosen elsewhere. */
portolan.parts.model = function (into, data) {
    const width = 720, height = 400, box = { left: 76, right: 704, top: 24, bottom: 350 };
    const dashes = [null, '7 3', '2 3', '10 3 2 3', '5 5', '12 4'];
    const marks = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar];
    const charts = portolan.element('div', {});
    const lines = [];
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
    }
    /* The partner that the plan chose, if there is a model with it. */
    function preferred(name, all) {
        const stop = (data.stops || []).find(s => s.choice && s.at.every((v, i) => v === +data.sliders[i].present));
        const chosen = stop && stop.choice.variables.find(v => v.instance === name);
        const word = chosen && `${name}=${chosen.chosen}`;
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
                .attr('transform', p => `translate(${s.x(p.x)} ${s.y(p.y)})`).attr('d', d3.symbol(marks[colour(c)], 50))
                .append('title').text(p => `${portolan.short(c.name, 300)} at ${chart.parameter} = ${p.x}: ${portolan.time(p.y)} (${portolan.time(p.low)} to ${portolan.time(p.high)}), ${p.rows} measurements`);
        });
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
            key.append('path').attr('class', 'point').attr('transform', 'translate(17 7)').attr('d', d3.symbol(marks[colour(c)], 40));
            item.append(' ', portolan.element('a', { href: '#' + data.links[c.model].link }, portolan.short(c.name, 120)));
            list.append(item);
        });
        crossings.forEach(c => list.append(portolan.element('li', { class: 'cross' },
            `○ ${+c.x.toPrecision(4)}: ${c.cheaper_below} is cheaper below, ${c.cheaper_above} above`)));
        figure.append(list);
    }

    /* Choices were made at each stop when the page was written: the slider finds the one to show. */
    function sliders() {
        if (!(data.stops || []).length) return;
        const inputs = data.sliders.map(s => {
            const present = Math.max(0, s.values.indexOf(+s.present));
            return portolan.element('input', { type: 'range', min: 0, max: s.values.length - 1, value: present, 'data-name': s.name, 'aria-label': s.name, input: show });
        });
        const outputs = data.sliders.map(() => portolan.element('output', {}));
        const answer = portolan.element('div', { class: 'choice', role: 'status' });
        const panel = portolan.element('div', { class: 'panel', id: 'model/choice' }, portolan.element('h3', {}, 'What would be chosen?'));
        data.sliders.forEach((s, i) => panel.append(portolan.element('label', {}, s.name + ' ', inputs[i], ' ', outputs[i])));
        panel.append(answer);
        into.prepend(panel);
        function show() {
            const at = inputs.map((input, i) => data.sliders[i].values[+input.value]);
            const stop = data.stops.find(s => s.at.every((v, i) => v === at[i]));
            outputs.forEach((o, i) => { o.textContent = at[i]; });
            inputs.forEach((input, i) => input.setAttribute('aria-valuetext', at[i]));
            answer.replaceChildren();
            if (stop && stop.choice) tell(stop.choice, answer);
            else answer.append(portolan.element('p', {}, 'Cannot tell: ' + (stop ? stop.cannot_tell : 'no such place')));
            lines.forEach(l => data.sliders.forEach((s, i) => {
                if (s.name === l.chart.parameter || s.name.endsWith('.' + l.chart.parameter))
                    l.line.attr('d', `M${l.scale(at[i])} ${box.top}V${box.bottom}`);
            }));
        }
        show();
    }
    function tell(c, answer) {
        const list = portolan.element('ul', {});
        c.variables.forEach(v => list.append(portolan.element('li', { 'data-instance': v.instance, 'data-chosen': v.chosen },
            `${v.instance}: `, portolan.element('strong', {}, v.chosen), v.chosen === v.written ? ' (as written)' : ` instead of ${v.written}`)));
        const p = c.prediction;
        answer.append(list, portolan.element('p', { class: 'predicted', 'data-value': p.total_ns },
            p.unusable ? 'Too little was measured near here to predict the time.'
                : `Predicted: ${portolan.time(p.total_ns)} (95 %: ${portolan.time(p.low_ns)} to ${portolan.time(p.high_ns)})` +
                  (p.extrapolating_models ? '; outside what was measured' : '') + (c.verdict === 'sure' ? '.' : `; ${c.verdict === 'close' ? 'a close call' : 'cannot tell'}: best with a chance of ${Math.round(100 * c.chance)} %.`)));
    }
};
