/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the parts. A part draws into its element "pictures" when portolan.parts[NAME] is called. */
'use strict';
const portolan = { parts: {}, chosen: {} };

portolan.time = function (ns) {
    if (ns === null || ns === undefined || !isFinite(ns)) return '–';
    const units = [['ns', 1], ['us', 1e3], ['ms', 1e6], ['s', 1e9]];
    const unit = units.filter(u => Math.abs(ns) >= u[1]).pop() || units[0];
    if (Math.abs(ns) < 120e9) return +(ns / unit[1]).toPrecision(4) + ' ' + unit[0];
    return Math.floor(ns / 60e9) + ' min ' + String(Math.round(ns % 60e9 / 1e9)).padStart(2, '0') + ' s';
};

portolan.short = (text, most) => text.length > most ? text.slice(0, most - 1) + '…' : text;

/* An element with texts and attributes: nothing that comes from data is read as HTML. */
portolan.element = function (name, attributes, ...inside) {
    const e = document.createElement(name);
    for (const key in attributes || {}) {
        if (typeof attributes[key] === 'function') e.addEventListener(key, attributes[key]);
        else if (attributes[key] !== false) e.setAttribute(key, attributes[key] === true ? '' : attributes[key]);
    }
    e.append(...inside.filter(x => x !== null && x !== undefined));
    return e;
};

/* A <select> with a label; CHANGED gets the value. */
portolan.select = function (label, options, value, changed) {
    const select = portolan.element('select', { change: e => changed(e.target.value) });
    for (const [key, text] of options)
        select.append(portolan.element('option', { value: key, selected: key === value }, text));
    return portolan.element('label', {}, label + ' ', select);
};

/* The width for a drawing: that of its place, in pixels, so that texts keep their size. */
portolan.width = into => Math.max(300, Math.floor(into.getBoundingClientRect().width) || 960);

/* A figure with an empty drawing of WIDTH x HEIGHT; the caption goes below. */
portolan.figure = function (into, kind, width, height, label, caption) {
    const figure = portolan.element('figure', { class: kind });
    into.append(figure);
    const svg = d3.select(figure).append('svg').attr('viewBox', `0 0 ${width} ${height}`)
        .attr('role', 'group').attr('aria-label', label);
    if (caption) figure.append(portolan.element('figcaption', {}, caption));
    return svg;
};

/* Goes to a row or part, so that its address can be copied. */
portolan.go = function (link) {
    if (location.hash !== '#' + link) location.hash = link;
    else portolan.follow();
};

portolan.follow = function () {
    const link = decodeURIComponent(location.hash.slice(1));
    /* "model/solver.solve/heat.Cholmod" is enough where more says with which partners. */
    const target = document.getElementById(link) || [...document.querySelectorAll('[id]')].find(e => link && e.id.startsWith(link + '/'));
    if (!target) return;
    const closed = target.closest('details');
    if (closed) closed.open = true;
    if (!target.hasAttribute('tabindex')) target.setAttribute('tabindex', '-1');
    target.scrollIntoView({ block: 'center' });
    target.focus({ preventScroll: true });
};

/* Axes with grid lines; FORMAT makes a label of a number. */
portolan.axes = function (svg, x, y, box, xLabel, yLabel, xFormat, yFormat) {
    const bottom = svg.append('g').attr('class', 'axis').attr('transform', `translate(0 ${box.bottom})`);
    const left = svg.append('g').attr('class', 'axis').attr('transform', `translate(${box.left} 0)`);
    /* On a logarithmic axis prefers 1, 2 and 5; drops those so near that labels touch. */
    const few = (scale, most, apart) => {
        const ticks = scale.ticks(most), some = ticks.filter(t => /^[125]/.test(t.toExponential()));
        return (scale.base && ticks.length > most && some.length > 2 ? some : ticks)
            .reduce((kept, t) => kept.length && Math.abs(scale(t) - scale(kept[kept.length - 1])) < apart ? kept : kept.concat(t), []);
    };
    bottom.call(d3.axisBottom(x).tickValues(few(x, Math.max(3, Math.min(12, (box.right - box.left) / 90)), 48)).tickFormat(xFormat || (v => +v.toPrecision(6))));
    left.call(d3.axisLeft(y).tickValues(few(y, 6, 18)).tickSize(box.left - box.right)
        .tickFormat(yFormat || (v => portolan.time(v))));
    left.selectAll('line').attr('class', 'grid');
    svg.append('text').attr('class', 'label').attr('x', (box.left + box.right) / 2)
        .attr('y', box.bottom + 36).attr('text-anchor', 'middle').text(xLabel);
    svg.append('text').attr('class', 'label').attr('x', 2).attr('y', box.top - 8).text(yLabel);
};
