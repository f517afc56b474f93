/* SPDX-License-Identifier: BSD-3-Clause */
/* Tools for all parts: search, exact numbers, sorting; and drawing, which may be repeated. */
portolan.sort = function (head) {
    const table = head.closest('table'), body = table.tBodies[0];
    const column = head.cellIndex, up = head.getAttribute('aria-sort') !== 'ascending';
    const value = row => {
        const cell = row.cells[column];
        return cell.dataset.value === undefined ? cell.textContent : +cell.dataset.value;
    };
    const sorted = [...body.rows].sort((a, b) => {
        const x = value(a), y = value(b);
        const order = typeof x === 'number' && typeof y === 'number' ? x - y
            : typeof x === typeof y ? x.localeCompare(y) : typeof x === 'number' ? -1 : 1;
        return up ? order : -order;
    });
    table.querySelectorAll('th[aria-sort]').forEach(h => h.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    body.append(...sorted);
};

/* Rounded numbers are what was written; exact ones are in data-value. */
portolan.exact = function (on) {
    document.querySelectorAll('td[data-value], th[data-value]').forEach(cell => {
        if (cell.dataset.rounded === undefined) cell.dataset.rounded = cell.textContent;
        cell.textContent = on ? cell.dataset.value : cell.dataset.rounded;
    });
};

portolan.search = function (text) {
    const wanted = text.toLowerCase();
    let found = 0;
    document.querySelectorAll('main tbody tr').forEach(row => {
        row.hidden = wanted && !row.textContent.toLowerCase().includes(wanted);
        found += !row.hidden;
        if (wanted && !row.hidden) row.closest('details').open = true;
    });
    return wanted ? `${found} row${found === 1 ? '' : 's'}` : '';
};

portolan.tools = function () {
    const said = portolan.element('output', { 'aria-live': 'polite' });
    const find = portolan.element('input', { type: 'search', id: 'search', input: e => { said.textContent = portolan.search(e.target.value); } });
    const exact = portolan.element('input', { type: 'checkbox', id: 'exact', change: e => portolan.exact(e.target.checked) });
    document.getElementById('tools').replaceChildren(
        portolan.element('label', {}, 'Search tables ', find), said,
        portolan.element('label', {}, exact, ' exact numbers'));
};

portolan.draw = function () {
    const all = JSON.parse(document.getElementById('document').textContent);
    document.querySelectorAll('main > section').forEach(section => {
        const draw = portolan.parts[section.id];
        let into = section.querySelector('.pictures');
        /* Parts draw over the static pictures: these come back first. */
        if (section.still) {
            into.replaceWith(section.still);
            into = section.still;
        }
        section.still = into.cloneNode(true);
        if (draw) draw(into, all[section.id], all);
    });
    document.querySelectorAll('main thead th').forEach(head => {
        const text = head.textContent;
        head.replaceChildren(portolan.element('button', { type: 'button', click: () => portolan.sort(head) }, text));
    });
    portolan.exact(document.getElementById('exact').checked);
};

portolan.tools();
portolan.draw();
/* Drawings are as wide as their place; on telephones only the height changes while one scrolls. */
let drawnFor = innerWidth, resized = null;
addEventListener('resize', () => {
    clearTimeout(resized);
    if (innerWidth !== drawnFor) resized = setTimeout(() => { drawnFor = innerWidth; portolan.draw(); }, 150);
});
addEventListener('hashchange', portolan.follow);
portolan.follow();
