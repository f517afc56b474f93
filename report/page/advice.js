/* SPDX-License-Identifier: BSD-3-Clause */
/* The command to copy. */
portolan.parts.now = function (into) {
    const command = into.querySelector('.command pre');
    if (!command) return;
    const button = portolan.element('button', { type: 'button', click: copy }, 'Copy');
    const said = portolan.element('span', { class: 'hidden', role: 'status' });
    command.parentNode.append(button, said);
    /* A page that was opened as a file may have no clipboard: then the command is selected. */
    async function copy() {
        getSelection().selectAllChildren(command);
        try {
            await navigator.clipboard.writeText(command.textContent);
            button.textContent = said.textContent = 'Copied';
        } catch (e) {
            button.textContent = said.textContent = 'Selected: copy it by Ctrl+C';
        }
    }
};
