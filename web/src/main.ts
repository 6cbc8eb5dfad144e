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

const SECTIONS = [ratios, episode, agreement, training, transfer, tables, made];
const root = document.documentElement;

function themeButton(): HTMLElement {
  const preference = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : preference.matches);
  const button = h('button', { type: 'button', class: 'theme', click: () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    update(name);
  } });
  const name = () => {
    button.textContent = isDark() ? '☀' : '☾';
    button.title = isDark() ? 'Use light colours' : 'Use dark colours';
    button.setAttribute('aria-label', button.title);
  };
  preference.addEventListener('change', () => update(name));
  name();
  return button;
}

/** Charts are as wide as the window and in its colours; paper is neither. */
function preparePrinting(): void {
  let theme: string | undefined;
  const set = (printing: boolean) => {
    if (printing) theme = root.dataset.theme;
    root.classList.toggle('printing', printing);
    if (printing || theme) root.dataset.theme = printing ? 'light' : theme;
    else delete root.dataset.theme;
    update(() => {});
    if (printing) drawAll();
  };
  addEventListener('beforeprint', () => set(true));
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
    h('footer', {}, 'Made by ', report.made.program ?? 'foresight', '. This file is complete in itself and loads nothing.'));
  preparePrinting();
}

const report = readReport(document.getElementById('data')!.textContent ?? 'null');
if (typeof report === 'string') {
  document.body.append(h('main', { class: 'nodata' }, logo(), h('h1', {}, 'No data'), h('p', {}, report)));
} else {
  show(report);
}
