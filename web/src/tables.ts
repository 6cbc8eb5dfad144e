// Plain tables, shown as they are.
import { h, section } from './dom';
import { toCsv, save, fileName } from './download';
import type { PlainTable, Report } from './report';

const looksNumeric = (cell: unknown) => typeof cell === 'number' || /^[<>±+\-−]?\s*[\d.,]+\s*%?$/.test(String(cell ?? ''));

function plainTable({ name, columns, rows, note }: PlainTable): HTMLElement {
  const numeric = columns.map((_, i) => rows.length > 0 && rows.every((row) => row[i] === null || row[i] === '' || looksNumeric(row[i])));
  const kind = (i: number) => (numeric[i] ? 'number' : null);
  return h('article', { class: 'card' },
    h('div', { class: 'caption' }, h('h3', {}, name), h('span', { class: 'downloads' },
      h('button', { type: 'button', class: 'quiet', 'aria-label': `Download data of ${name}`,
        click: () => save(toCsv({ columns, rows: rows ?? [] }), 'text/csv', fileName(name, 'csv')) }, 'CSV'))),
    h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': name },
      h('table', {},
        h('thead', {}, h('tr', {}, ...columns.map((c, i) => h('th', { scope: 'col', class: kind(i) }, c)))),
        h('tbody', {}, ...rows.map((row) => h('tr', {}, ...columns.map((_, i) =>
          h(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : null, class: kind(i) }, row[i] ?? '–'))))))),
    note && h('p', { class: 'note' }, note));
}

export function tables(report: Report): HTMLElement | null {
  if (report.tables.length === 0) return null;
  return section('tables', 'Tables', null, ...report.tables.map(plainTable));
}
