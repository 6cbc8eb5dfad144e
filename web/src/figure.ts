// The frame of every chart: caption, downloads, and its data as a table for people who cannot see it.
import { theme } from './colours';
import { h } from './dom';
import { fileName, save, svgText, toCsv, toPng, type Cell, type Rows } from './download';
import { short } from './format';

const ROWS_SHOWN = 200;

const shown = (cell: Cell) => (typeof cell === 'number' ? short(cell) : cell ?? '–');

function dataTable({ columns, rows }: Rows): HTMLElement {
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Data of the chart' },
    h('table', {},
      h('thead', {}, h('tr', {}, ...columns.map((c) => h('th', { scope: 'col' }, c)))),
      h('tbody', {}, ...rows.slice(0, ROWS_SHOWN).map((row) =>
        h('tr', {}, ...row.map((c) => h('td', { class: typeof c === 'number' ? 'number' : null }, shown(c))))))),
    rows.length > ROWS_SHOWN && h('p', { class: 'note' },
      `The first ${ROWS_SHOWN} of ${rows.length} rows. The CSV file holds all of them.`));
}

/** `body` must hold the picture as its only <svg>; `rows` is the data in it. */
export function figure(title: string, body: HTMLElement, rows: () => Rows, ...below: HTMLElement[]): HTMLElement {
  const svg = () => svgText(body.querySelector('svg')!, theme().card);
  const button = (format: string, what: string, act: () => void) =>
    h('button', { type: 'button', class: 'quiet', click: act, 'aria-label': `Download ${what} of ${title}` }, format);
  const alternative = h('details', { class: 'alternative', toggle: () => {
    alternative.querySelector('.scroll')?.remove();
    if (alternative.open) alternative.append(dataTable(rows()));
  } }, h('summary', {}, 'Data as a table'));
  return h('figure', {},
    h('figcaption', {}, h('h3', {}, title), h('span', { class: 'downloads' },
      button('SVG', 'vector picture', () => save(svg(), 'image/svg+xml', fileName(title, 'svg'))),
      button('PNG', 'picture', () => void toPng(svg()).then((png) => save(png, 'image/png', fileName(title, 'png')))),
      button('CSV', 'data', () => save(toCsv(rows()), 'text/csv', fileName(title, 'csv'))))),
    body, ...below, alternative);
}
