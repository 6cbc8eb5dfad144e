// Learning curves of one or several runs.
import { chart } from './chart';
import { chips } from './chips';
import { tag } from './colours';
import { h, section } from './dom';
import { compact, count, fixed, seconds } from './format';
import { panelsHeight, panelsOption, type Panel } from './panels';
import type { Report, Run } from './report';
import { isShown } from './state';
import { sortableTable } from './table';

const CURVES = [
  { key: 'reward', title: 'reward' },
  { key: 'ratio', title: 'optimality ratio' },
  { key: 'entropy', title: 'entropy' },
  { key: 'learning_rate', title: 'learning rate' },
  { key: 'loss', title: 'loss' },
  { key: 'decisions_per_second', title: 'decisions per second' },
];

const measured = (run: Run, key: string) => (run.columns[key] ?? []).some((v) => typeof v === 'number');

export function training({ runs }: Report): HTMLElement | null {
  if (runs.length === 0) return null;
  const curves = CURVES.filter(({ key }) => runs.some((run) => measured(run, key)));
  const last = Math.max(...runs.map((run) => run.columns.epoch!.at(-1) ?? 1));
  const panels = (): Panel[] => curves.map(({ key, title }) => ({
    title,
    lines: runs.filter((run) => isShown(run) && measured(run, key))
      .map((run) => ({ name: run.name, x: run.columns.epoch!, y: run.columns[key]! })),
  }));

  const curvesChart = curves.length > 0 && chart({
    title: 'Learning curves',
    summary: `${curves.map((c) => c.title).join(', ')} per epoch of ${runs.map((r) => r.name).join(', ')}.`,
    height: (width) => panelsHeight(curves.length, width, true),
    option: (t, width) => runs.some(isShown)
      ? panelsOption({ panels: panels(), x: 'epoch', from: 1, to: last, zoom: true }, t, width) : null,
    rows: () => ({
      columns: ['run', 'epoch', ...curves.map((c) => c.title)],
      rows: runs.filter(isShown).flatMap((run) =>
        run.columns.epoch!.map((epoch, i) => [run.name, epoch, ...curves.map((c) => run.columns[c.key]?.[i])])),
    }),
  }).element;

  const table = sortableTable<Run>('Training runs', () => [
    { title: 'Run', text: true, key: (r) => r.name, cell: (r) => h('span', { class: 'policy' }, tag(r.name),
      r.trainer && h('small', { title: r.trainer }, r.trainer)) },
    { title: 'Model', text: true, key: (r) => r.model, cell: (r) => r.model ?? '–' },
    { title: 'Trained on', text: true, key: (r) => r.train, cell: (r) => r.train ?? '–' },
    { title: 'Best ratio', key: (r) => r.best_ratio, cell: (r) => fixed(r.best_ratio) },
    { title: 'at epoch', key: (r) => r.best_epoch, cell: (r) => count(r.best_epoch) },
    { title: 'Epochs', key: (r) => r.epochs, cell: (r) => count(r.epochs) },
    { title: 'Decisions', key: (r) => r.decisions, cell: (r) => compact(r.decisions) },
    { title: 'Time', key: (r) => r.seconds, cell: (r) => seconds(r.seconds) },
  ], () => runs.filter(isShown));

  return section('training', 'Training', 'Drag the ends of the bar below the curves to zoom, or hold Ctrl and turn the wheel.',
    runs.length > 1 && chips('Runs', runs.map((r) => r.name)),
    h('article', { class: 'card' }, curvesChart, table));
}
