/* SPDX-License-Identifier: BSD-3-Clause */
/* The page that `portolan watch` serves follows the run: its server sends what happens, and when there is
   a new page, which takes the place of this one. What the reader opened, wrote and looks at stays. */
'use strict';
(() => {
    const mostSwaps = 20;
    const main = document.getElementById('main');
    const add = (into, name, text) => {
        const e = into.appendChild(document.createElement(name));
        e.textContent = text;
        return e;
    };
    /* Always in sight, and after all that is read: messages move nothing else. */
    const panel = add(document.body, 'aside', '');
    const said = add(panel, 'p', ''), step = add(panel, 'p', ''), swaps = add(panel, 'ol', '');
    panel.id = 'watch';
    document.documentElement.style.overflowAnchor = 'none'; // this script holds the page still, not the browser
    panel.setAttribute('aria-label', 'The run');
    said.setAttribute('role', 'status');

    /* Identifies a place in the page, whatever its content: its id; or its part, with the table that it is in or has, or its number. */
    const place = e => {
        const part = e.closest('section') || main, table = e.closest('table') || e.querySelector('table');
        return e.id || [part.id, e.tagName, table && table.dataset.member ? table.dataset.member + e.cellIndex
            : [...part.querySelectorAll(e.tagName)].indexOf(e)].join();
    };
    const top = e => e.getBoundingClientRect().top;
    const change = (e, value) => {
        e.value = value;
        e.dispatchEvent(new Event('input'));
    };
    /* Keeps what the reader opened or closed, sorted, wrote and looks at; the function that it gives does so to new content. */
    const remember = () => {
        const all = css => [...main.querySelectorAll(css)];
        const details = all('details'), sorted = all('th[aria-sort]'), inputs = all('input');
        const scrolled = new Map(all('.scroll').map(e => [e, e.scrollTop]));
        const isInSight = e => top(e) >= 0 && top(e) < innerHeight;
        const focus = all(':focus'), seen = focus.filter(isInSight).concat(all('[id]').filter(e => e.getClientRects().length)
            .sort((a, b) => Math.abs(top(a)) - Math.abs(top(b)))).slice(0, 1);
        const at = seen.map(top)[0];
        const again = (olds, act) => olds.forEach(old => {
            const where = place(old), e = all(old.id ? '[id]' : old.tagName).find(e => place(e) === where);
            if (e) act(e, old);
        });
        return () => {
            again(sorted, (e, old) => {
                portolan.sort(e);
                if (e.getAttribute('aria-sort') !== old.getAttribute('aria-sort')) portolan.sort(e);
            });
            again(inputs, (e, old) => { if (e.value !== old.value) change(e, old.value); });
            document.querySelectorAll('#search').forEach(e => change(e, e.value));
            again(details, (e, old) => { e.open = old.open; });
            again([...scrolled.keys()], (e, old) => { e.scrollTop = scrolled.get(old); });
            again(focus, e => {
                if (e.tabIndex < 0) e.setAttribute('tabindex', '-1');
                e.focus({ preventScroll: true });
            });
            again(seen, e => scrollBy(0, top(e) - at));
        };
    };

    /* Style and scripts are those of this page already. */
    const load = async () => {
        const answer = await fetch(location.href), text = await answer.text();
        if (!answer.ok) return;
        const fresh = new DOMParser().parseFromString(text.slice(text.indexOf('<body')), 'text/html');
        const restore = remember();
        for (const css of ['h1', 'header .about', 'nav', 'main'])
            document.querySelector(css).replaceChildren(...fresh.querySelector(css).childNodes);
        if (typeof portolan !== 'undefined') portolan.draw();
        restore();
        [shown] = read();
        tell();
        if (step.textContent) tellStep();
    };
    /* The page shows a trial of the store; what is heard of another one stands here until the page has it, too. */
    const read = () => {
        const all = JSON.parse(document.getElementById('document').textContent);
        return [all.shown_trial, (all.trial.trials || []).find(t => t.id === all.shown_trial)];
    };
    let [shown, now] = read();
    const tell = () => {
        const id = now && (now.id || now.trial);
        said.textContent = now ? `Trial ${id} of ${now.assembly} (${now.purpose}): ${now.outcome}.` + (id === shown ? '' : ` Below is trial ${shown}.`) : 'Waiting for a run …';
    };
    /* The newest point of the drawing, so that both say the same. */
    const tellStep = () => {
        const p = typeof portolan !== 'undefined' && portolan.newest && portolan.newest();
        if (p) step.textContent = `Step ${p.first} took ${portolan.time(p.ns)}.`;
        return p;
    };
    let isStale = false, loading = null;
    const refresh = async () => {
        while (isStale) {
            isStale = false;
            await load().catch(() => {});
        }
        loading = null;
    };

    const events = new EventSource('events' + location.search);
    const hear = (event, act) => events.addEventListener(event, e => act(JSON.parse(e.data)));
    hear('trial', t => {
        now = t;
        tell();
        if (t.outcome !== 'running') return;
        step.textContent = '';
        swaps.replaceChildren();
        if (typeof portolan !== 'undefined') portolan.heard = [];
    });
    const pass = s => {
        if (typeof portolan === 'undefined') return;
        (portolan.heard = portolan.heard || []).push(s);
        if (portolan.hear) portolan.hear(s);
    };
    hear('step', s => {
        if (!s.ns) return; // nothing was called: the end of the last step opened it
        pass(s);
        if (s.trial !== shown || !tellStep()) step.textContent = `Step ${s.step} is stored.`;
    });
    hear('swap', s => {
        swaps.prepend(add(swaps, 'li', `Step ${s.step}: ${s.change} (${s.outcome})`)); // the newest is in sight
        if (swaps.children.length > mostSwaps) swaps.lastChild.remove();
        pass(s);
    });
    hear('page', () => {
        isStale = true;
        loading = loading || refresh();
    });
    hear('end', async () => {
        await loading;
        events.close();
        said.textContent += ' The server has ended; this page no longer changes.';
    });
    tell();
    events.onerror = () => { said.textContent = 'Connection lost; trying again …'; };
})();
