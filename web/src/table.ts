// A table that sorts by any of its columns and redraws when the reader's choices change.
import { h, type Child } from './dom';
import type { Num } from './report';
import { onChange } from './state';

export interface Column<Row> {
  title: string;
  hint?: string;
  key: (row: Row) => Num | string;
  cell: (row: Row) => Child;
  text?: boolean;
}

type Key = ReturnType<Column<unknown>['key']>;

function compare(a: Key, b: Key): number {
  return typeof a === 'string' && typeof b === 'string' ? a.localeCompare(b) : Number(a) - Number(b);
}

const undefinedLast = (key: Key) => key === null || key === undefined;

/** `listen` is given the function that draws the table again. */
export function sortableTable<Row>(caption: string, columns: () => Column<Row>[], rows: () => Row[],
  listen: (draw: () => void) => void = onChange): HTMLElement {
  let sorted = -1;
  let descending = false;

  const header = ({ title, hint, text }: Column<Row>, index: number) => {
    const direction = index === sorted ? (descending ? 'descending' : 'ascending') : null;
    const sort = () => {
      descending = index === sorted ? !descending : !text;
      sorted = index;
      draw();
      (table.querySelectorAll('th button')[index] as HTMLElement).focus();
    };
    return h('th', { scope: 'col', 'aria-sort': direction, class: text ? null : 'number' },
      h('button', { type: 'button', title: hint, click: sort }, title,
        h('span', { class: 'arrow', 'aria-hidden': 'true' }, direction ? (descending ? '▼' : '▲') : '')));
  };

  const table = h('table');
  const draw = () => {
    const shown = columns();
    const by = shown[sorted]?.key;
    const order = rows().slice();
    if (by) {
      order.sort((a, b) => Number(undefinedLast(by(a))) - Number(undefinedLast(by(b)))
        || compare(by(a), by(b)) * (descending ? -1 : 1));
    }
    table.replaceChildren(
      h('caption', { class: 'unseen' }, caption),
      h('thead', {}, h('tr', {}, ...shown.map(header))),
      h('tbody', {}, ...order.map((row) => h('tr', {}, ...shown.map((column, i) =>
        h(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : null, class: column.text ? null : 'number' }, column.cell(row)))))));
  };
  draw();
  listen(draw);
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': caption }, table);
}
