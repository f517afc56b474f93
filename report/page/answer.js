/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted, measured and fixed assemblies as bars. */
portolan.parts.answer = function (into, data) {
    const times = Object.fromEntries(data.times.map(t => [t.name, t.ns]));
    const bars = [], run = data.times.find(t => t.name === 'measured') || {};
    /* "solver=heat.Cholmod a=b.C" as "Cholmod, C" */
    const classes = choice => choice.split(' ').map(c => c.split('.').pop()).join(', ');
    /* A run in which alternatives took turns is a measurement; next to it stand the single choices that it predicts. */
    const single = data.times.filter(t => / alone$/.test(t.name) && t.ns > 0);
    if (times['predicted as written'] > 0 && !single.length) bars.push({ name: 'as written, predicted', ns: times['predicted as written'] });
    if (times['predicted for the choice'] > 0)
        bars.push({ name: 'the choice, predicted', ns: times['predicted for the choice'], kind: 'choice',
            low: times['at least (95 %)'], high: times['at most (95 %)'] });
    if (times.measured > 0 && single.length) bars.push({ name: 'a measurement: alternatives took turns', ns: times.measured, kind: 'turns' });
    else if (times.measured > 0) bars.push({ name: 'the run, measured' + (run.unlike ? ', with ' + run.unlike : ''), ns: times.measured, kind: 'run' });
    single.forEach(t => bars.push({ name: t.name, ns: t.ns }));
    /* A time without a ratio to the run gets no bar next to it. */
    data.fixed.filter(f => f.to_run > 0).slice(0, 12).forEach(f => bars.push({ name: classes(f.choice), ns: f.elapsed_ns }));
    if (!bars.length) return;
    const width = portolan.width(into), narrow = width < 640, line = narrow ? 40 : 26, left = narrow ? 0 : Math.min(0.45 * width, 12 + 6.8 * d3.max(bars, b => b.name.length)), top = narrow ? 17 : 3;
    const svg = portolan.figure(into, 'bars', width, bars.length * line + 10, 'Times of the run',
        'Times of the whole run; the thin line is the 95 % interval of the prediction, cut at the edge.');
    const x = d3.scaleLinear([0, 1.05 * d3.max(bars, b => b.ns)], [left, width - 80]).clamp(true);
    const row = svg.selectAll('g').data(bars).enter().append('g')
        .attr('transform', (b, i) => `translate(0 ${i * line + 4})`);
    row.append('title').text(b => `${b.name}: ${portolan.time(b.ns)}`);
    row.append('text').attr('x', narrow ? 0 : left - 8).attr('y', narrow ? 12 : 15).attr('text-anchor', narrow ? 'start' : 'end')
        .text(b => portolan.short(b.name, Math.floor((narrow ? width : left) / 6.8)));
    row.append('rect').attr('class', b => 'bar ' + (b.kind || '')).attr('x', left).attr('y', top)
        .attr('height', 17).attr('width', b => x(b.ns) - left);
    row.filter(b => b.low >= 0).append('path').attr('class', 'interval')
        .attr('d', b => `M${x(b.low)} ${top + 8}H${x(b.high)}M${x(b.low)} ${top + 4}v8M${x(b.high)} ${top + 4}v8`);
    row.append('text').attr('x', b => Math.max(x(b.ns), b.high ? x(b.high) : 0) + 6).attr('y', top + 12)
        .text(b => portolan.time(b.ns));
};
