// The content of a tooltip, as elements, so that names in it stay text.
import { swatch } from './colours';
import { h } from './dom';

export interface TipLine { label: string; value: string; style?: string }

export function tip(title: string, lines: TipLine[]): HTMLElement {
  return h('div', { class: 'tip' }, h('strong', {}, title),
    ...lines.map(({ label, value, style }) =>
      h('div', {}, style !== undefined && swatch(style), h('span', {}, label), h('b', {}, value))));
}
