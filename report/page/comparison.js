/* SPDX-License-Identifier: BSD-3-Clause */
/* Ratios of now to before with their intervals. */
portolan.parts.comparison = function (into, data) {
    if (!data.total) return;
    const rows = [Object.assign({ method: 'the whole run' }, data.total)]
        .concat(data.paths.filter(p => p.ratio > 0 && p.verdict !== 'not tested').sort((a, b) => b.share - a.share).slice(0, 25))
        .filter(r => r.ratio > 0);
    if (!rows.length) return;
    const width = portolan.width(into), line = 24, left = Math.min(260, 0.4 * width), right = width - Math.min(150, 0.3 * width);
    const svg = portolan.figure(into, 'ratios', width, rows.length * line + 50, 'Ratios of now to before',
        'Ratio of now to before with its 95 % interval, cut at the edge: right of the line is slower.');
    const far = Math.min(10, Math.max(1.2, d3.max(rows, r => Math.max(r.ratio, 1 / r.ratio)) * 1.15));
    const x = d3.scaleLog([1 / far, far], [left, right]).clamp(true);
    const end = rows.length * line + 6;
    svg.append('path').attr('class', 'one').attr('d', `M${x(1)} 0V${end}`);
    svg.append('g').attr('class', 'axis').attr('transform', `translate(0 ${end})`)
        .call(d3.axisBottom(x).tickValues([1 / far, 1, far]).tickFormat(v => '× ' + +v.toPrecision(3)));
    const row = svg.selectAll('.row').data(rows).enter().append('g').attr('class', r => 'row ' + r.verdict.split(' ')[0])
        .attr('transform', (r, i) => `translate(0 ${i * line + 14})`);
    row.append('title').text(r => `${r.method}: × ${r.ratio} (${r.ratio_low} to ${r.ratio_high}), ${r.verdict}`);
    row.append('text').attr('x', left - 8).attr('y', 4).attr('text-anchor', 'end').text(r => portolan.short(r.method, Math.floor(left / 7.2)));
    row.append('path').attr('class', 'interval').attr('d', r => `M${x(r.ratio_low || 1 / far)} 0H${x(r.ratio_high || far)}`);
    row.append('circle').attr('r', 5).attr('cx', r => x(r.ratio));
    row.append('text').attr('x', right + 8).attr('y', 4).text(r => `${+r.ratio.toPrecision(3)}${width < 640 ? '' : ', ' + r.verdict}`);
};
