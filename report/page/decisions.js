/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps and decisions on one time line. */
portolan.parts.decisions = function (into, data) {
    const steps = (data.expectations || []).filter(e => !e.path);
    const decisions = data.decisions || [];
    if (!steps.length && !decisions.length) return;
    into.querySelectorAll('figure.steps').forEach(f => f.remove());
    const box = { left: 76, right: 944, top: 60, bottom: 330 };
    const last = Math.max(1, ...steps.map(e => e.step), ...decisions.map(d => d.step));
    const times = steps.flatMap(e => [e.expected_ns, e.measured_ns]).filter(t => t > 0);
    const svg = portolan.figure(into, 'steps', 960, 380, 'Steps and decisions',
        'Time of each step: the line was expected, in its 95 % band; dots were measured. Marks above are decisions: filled where something changed, crossed where it was refused or undone.');
    const x = d3.scaleLinear([0, last], [box.left, box.right]);
    const y = d3.scaleLog([(d3.min(times) || 1) / 1.2, (d3.max(times) || 10) * 1.2], [box.bottom, box.top]);
    portolan.axes(svg, x, y, box, 'step', 'time of a step');
    svg.append('clipPath').attr('id', 'inside-steps').append('rect').attr('x', box.left).attr('y', box.top)
        .attr('width', box.right - box.left).attr('height', box.bottom - box.top);
    const clip = svg.append('g').attr('class', 'series s0').attr('clip-path', 'url(#inside-steps)');
    const expected = steps.filter(e => e.expected_ns > 0);
    const low = y.domain()[0];
    clip.append('path').attr('class', 'band').attr('d', d3.area().curve(d3.curveStepAfter).x(e => x(e.step))
        .y0(e => y(Math.max(low / 9, e.low_ns || low))).y1(e => y(Math.max(low / 9, e.high_ns || low)))(expected));
    clip.append('path').attr('class', 'line').attr('d', d3.line().curve(d3.curveStepAfter).x(e => x(e.step)).y(e => y(e.expected_ns))(expected));
    svg.append('g').attr('class', 'series s1').selectAll('circle').data(steps.filter(e => e.measured_ns > 0)).enter().append('circle').attr('class', 'point')
        .attr('r', 2.5).attr('cx', e => x(e.step)).attr('cy', e => y(e.measured_ns))
        .append('title').text(e => `step ${e.step}: measured ${portolan.time(e.measured_ns)}, expected ${portolan.time(e.expected_ns)}` + (e.cause ? `; ${e.cause}` : ''));
    const mark = svg.selectAll('.decision').data(decisions).enter().append('a')
        .attr('class', d => 'decision' + (/^(kept|undone)/.test(d.outcome) ? ' refused' : d.change ? ' change' : ''))
        .attr('href', d => `#decisions/${d.number}`)
        .attr('aria-label', d => `decision ${d.number} at step ${d.step}: ${portolan.short(d.change || 'no change', 200)}`);
    mark.append('title').text(d => `decision ${d.number} at step ${d.step}, asked by ${d.asked_by}\n${d.change || 'no change'}\n${d.reason}\n${d.outcome}`);
    mark.append('path').attr('class', 'stem').attr('d', d => `M${x(d.step)} 34V${box.bottom}`);
    mark.append('circle').attr('r', 7).attr('cx', d => x(d.step)).attr('cy', 27);
    mark.filter(d => /^(kept|undone)/.test(d.outcome)).append('path').attr('class', 'cross')
        .attr('d', d => `M${x(d.step) - 4} 23l8 8m0 -8l-8 8`);
};
