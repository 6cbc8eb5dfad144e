// Searches for hyper-parameters: their history, which values did well, and the best trials.
import { h, section } from './dom';
import { count, fixed, seconds } from './format';
import type { Report, Study, Trial } from './report';
import { sortableTable } from './table';
import { history, isComplete, isPruned, parallel, valueText } from './trials';

const BEST = 10;

function bestTable(study: Study, among: () => Trial[], listen: (draw: () => void) => void): HTMLElement {
  const best = () => among().filter(isComplete).sort((a, b) => b.value! - a.value!).slice(0, BEST);
  return sortableTable<Trial>(`Best trials of ${study.name}`, () => [
    { title: 'Trial', key: (t) => t.number, cell: (t) => count(t.number) },
    { title: 'Validation ratio', key: (t) => t.value, cell: (t) => fixed(t.value) },
    ...study.parameters.map((p, i) => ({ title: p.name, text: p.choices !== undefined,
      key: (t: Trial) => (p.choices ? valueText(p, t.values[i]) : t.values[i]), cell: (t: Trial) => valueText(p, t.values[i]) })),
    { title: 'Epochs', key: (t) => t.epochs, cell: (t) => count(t.epochs) },
    { title: 'Time', key: (t) => t.seconds, cell: (t) => seconds(t.seconds) },
  ], best, listen);
}

function studyCard(study: Study): HTMLElement {
  let pruned = true;
  let selected: Trial[] | null = null;
  let drawTable = () => {};
  const shown = () => study.trials.filter((t) => isComplete(t) || (pruned && isPruned(t)));
  const says = h('p', { class: 'note', 'aria-live': 'polite' });
  const select = (trials: Trial[] | null) => {
    selected = trials;
    says.textContent = trials ? `${count(trials.length)} trials are within the marked ranges; the table shows the best of them.`
      : `Drag along an axis to mark a range. Click on the axis to remove it.${
        study.parameters.some((p) => p.importance != null) ? ' Percentages show how much of the difference a parameter explains.' : ''}`;
    drawTable();
  };
  select(null);
  const table = bestTable(study, () => selected ?? shown(), (draw) => { drawTable = draw; });
  const charts = [history(study, shown), parallel(study, shown, select)];
  const toggle = h('button', { type: 'button', class: 'chip', 'aria-pressed': 'true', click: () => {
    pruned = !pruned;
    toggle.setAttribute('aria-pressed', String(pruned));
    for (const { draw } of charts) draw();
  } }, h('span', {}, 'Pruned trials'));
  const best = study.trials.find((t) => t.number === study.best);

  return h('article', { class: 'card study' },
    h('h3', {}, study.name),
    h('p', { class: 'facts' }, `${count(study.trials.length)} trials of ${study.model ?? 'a model'} on ${study.train ?? 'its data'}: `
      + `${count(study.complete)} complete (${count(study.epochs)} epochs), ${count(study.pruned)} pruned; ${seconds(study.seconds)} of training in all.`),
    best && h('div', { class: 'winner' }, h('p', { class: 'big' }, fixed(best.value)),
      h('p', {}, `The best, trial ${count(best.number)}:`, best.trainer && h('code', {}, best.trainer))),
    ...(shown().length > 0 ? [h('div', { class: 'controls' }, toggle), ...charts.map((c) => c.element), says, table]
      : [h('p', {}, 'No trial has finished yet.')]));
}

export function tuning({ studies }: Report): HTMLElement | null {
  if (studies.length === 0) return null;
  return section('tuning', 'Hyper-parameter search', 'Each trial is a short training run with other hyper-parameters. Trials that fall behind are '
    + 'stopped early (pruned). Ratios are on the validation set.', ...studies.map(studyCard));
}
