import { agreement } from './agreement';
import { drawAll } from './chart';
import { chips } from './chips';
import { styleOf } from './colours';
import { h } from './dom';
import { episode } from './episode';
import { header, logo } from './header';
import { made } from './made';
import { ratios } from './ratios';
import { readReport, type Report } from './report';
import { update } from './state';
import { tables } from './tables';
import { training } from './training';
import { transfer } from './transfer';
import { tuning } from './tuning';

const SECTIONS = [ratios, episode, agreement, training, tuning, transfer, tables, made];
const root = document.documentElement;

const preference = matchMedia('(prefers-color-scheme: dark)');
let theme = preference.matches ? 'dark' : 'light';
root.dataset.theme = theme;

function themeButton(): HTMLElement {
  const button = h('button', { type: 'button', class: 'theme', click: () => set(theme === 'dark' ? 'light' : 'dark') });
  const name = () => {
    button.textContent = theme === 'dark' ? '☀' : '☾';
    button.title = theme === 'dark' ? 'Use light colours' : 'Use dark colours';
    button.setAttribute('aria-label', button.title);
  };
  const set = (to: string) => update(() => {
    root.dataset.theme = theme = to;
    name();
  });
  preference.addEventListener('change', () => set(preference.matches ? 'dark' : 'light'));
  name();
  return button;
}

/** Charts have the width and the colours of the window. For paper both change. */
function preparePrinting(): void {
  const set = (printing: boolean) => update(() => {
    root.classList.toggle('printing', printing);
    root.dataset.theme = printing ? 'light' : theme;
  });
  addEventListener('beforeprint', () => {
    set(true);
    drawAll();
  });
  addEventListener('afterprint', () => set(false));
}

function show(report: Report): void {
  const policies = [...new Set([...report.evaluations.flatMap((e) => e.policies.map((p) => p.name)),
    ...report.episodes.flatMap((e) => e.plays.map((p) => p.policy))])];
  for (const name of [...policies, ...report.runs.map((r) => r.name)]) styleOf(name);

  document.title = report.title;
  const top = header(report);
  const sections = SECTIONS.map((make) => make(report)).filter((part) => part !== null);
  const links = sections.map((part) => h('a', { href: `#${part.id}` }, part.querySelector('h2')!.textContent));
  const bar = h('div', { class: 'bar' }, h('div', { class: 'inner' },
    h('nav', { 'aria-label': 'Sections' }, ...links), themeButton(),
    report.evaluations.length > 0 && chips('Policies', policies)));
  document.body.append(h('a', { class: 'skip', href: '#main' }, 'Skip to the results'), top, bar,
    h('main', { id: 'main', tabindex: -1 }, ...sections,
      sections.length === 0 && h('p', { class: 'lead' }, 'There are no results in this report yet.')),
    h('footer', {}, 'Made by ', report.made.program ?? 'foresight', '. This file is complete and loads nothing from the network.'));
  preparePrinting();
}

const report = readReport(document.getElementById('data')!.textContent ?? 'null');
if (typeof report === 'string') {
  document.body.append(h('main', { class: 'nodata' }, logo(), h('h1', {}, 'No data'), h('p', {}, report)));
} else {
  show(report);
}
