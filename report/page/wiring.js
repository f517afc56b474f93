/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture is there already: light up what belongs together, and play the swaps. */
portolan.parts.wiring = function (into, data, all) {
    const figure = into.querySelector('figure.wiring');
    if (!figure) return;
    const boxes = [...figure.querySelectorAll('.instance')];
    const wires = [...figure.querySelectorAll('.connection')];
    const light = name => {
        boxes.forEach(b => b.classList.toggle('lit', b.dataset.name === name));
        wires.forEach(w => w.classList.toggle('lit', w.dataset.user === name || w.dataset.provider === name));
        figure.classList.toggle('some', name !== null);
    };
    boxes.forEach(b => {
        const name = b.dataset.name, title = b.querySelector('title');
        title.textContent = [title.textContent].concat(data.connections.flatMap(c => [
            c.provider === name && `provides ${c.provides} ${c.type} to ${c.user}`, c.user === name && `uses ${c.uses} ${c.type} of ${c.provider}`])).filter(t => t).join('\n');
        b.addEventListener('mouseenter', () => light(b.dataset.name));
        b.addEventListener('mouseleave', () => light(null));
        b.addEventListener('focus', () => light(b.dataset.name));
        b.addEventListener('blur', () => light(null));
    });

    const decisions = (all.decisions.decisions || []).filter(d => !/^(kept|undone)/.test(d.outcome));
    const points = all.steps.last || [];
    const steps = Math.max(0, points[points.length - 1] || 0, ...decisions.map(d => d.step));
    if (!decisions.some(d => d.change) || !steps) return;
    const said = portolan.element('output', { 'aria-live': 'polite' });
    const slider = portolan.element('input', { type: 'range', min: 0, max: steps, value: steps, input: show });
    const play = portolan.element('button', { type: 'button', click: toggle }, 'Play the swaps');
    const swaps = decisions.filter(d => d.change).map(d => d.step);
    const go = (label, find) => portolan.element('button', { type: 'button', 'aria-label': label, click: () => { slider.value = find(+slider.value); show(); } }, label);
    into.prepend(portolan.element('div', { class: 'controls' }, play,
        go('Swap before', step => [...swaps].reverse().find(s => s < step) || 0), go('Next swap', step => { const next = swaps.find(s => s > step); return next === undefined ? steps : next; }),
        portolan.element('label', {}, 'step ', slider), said));
    let timer = null;

    /* Shows what ran at the step: the last decision says it for all instances with alternatives. */
    function show() {
        const step = +slider.value;
        const last = decisions.filter(d => d.step <= step).pop() || decisions[0];
        const runs = Object.fromEntries(last.choice.split(' ').map(c => c.split('=')));
        const i = d3.bisectLeft(points, step), took = i < points.length && all.steps.first[i] <= step && all.steps.ns[i];
        boxes.forEach(b => {
            const text = b.querySelector('.class');
            if (!(b.dataset.name in runs)) return;
            b.classList.toggle('changed', text.textContent !== runs[b.dataset.name]);
            text.textContent = runs[b.dataset.name];
        });
        said.textContent = `step ${step}${took ? ', ' + portolan.time(took) : ''}: ` + (last.step === step && last.change || 'as before');
    }
    function toggle() {
        if (timer) { clearInterval(timer); timer = null; play.textContent = 'Play the swaps'; return; }
        if (+slider.value >= steps) slider.value = 0;
        play.textContent = 'Stop';
        timer = setInterval(() => {
            slider.value = +slider.value + Math.max(1, Math.round(steps / 100));
            show();
            if (+slider.value >= steps) toggle();
        }, 80);
    }
    show();
};
