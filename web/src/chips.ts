// Legend chips. Each shows the colour and shape of a name, and hides or shows that name everywhere.
import { swatch } from './colours';
import { h } from './dom';
import { onChange, state, update } from './state';

export function chips(label: string, names: string[]): HTMLElement {
  const buttons = names.map((name) => {
    const toggle = () => update(() => { if (!state.hidden.delete(name)) state.hidden.add(name); });
    const button = h('button', { type: 'button', class: 'chip', title: name, click: toggle }, swatch(name), h('span', {}, name));
    const draw = () => button.setAttribute('aria-pressed', String(!state.hidden.has(name)));
    draw();
    onChange(draw);
    return button;
  });
  return h('div', { class: 'chips', role: 'group', 'aria-label': `${label}: press to hide or show` }, ...buttons);
}
