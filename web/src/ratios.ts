// How close each policy comes to the optimum: overview, boxes or histograms, and the table with paired differences.
import { boxesOption } from './boxes';
import { chart } from './chart';
import { choice, h, section } from './dom';
import type { Rows } from './download';
import { count } from './format';
import { histogramsOption } from './histograms';
import { instancesOption } from './instances';
import { overview } from './overview';
import { ratioTable } from './ratio_table';
import { decodeRatios, type Evaluation, type Policy, type Report } from './report';
import { baselineOf, isShown, state, update, type View } from './state';

const VIEWS: { view: View; label: string; hint: string }[] = [
  { view: 'boxes', label: 'Boxes', hint: 'Box: middle half and median. Symbol: mean with its 95 % interval. Cross: worst case.' },
  { view: 'histogram', label: 'Histograms', hint: 'How many instances reached each ratio. All rows have the same scale.' },
  { view: 'instances', label: 'Per instance', hint: 'Each point is an instance. Above the dashed line, the policy beats the compared one.' },
];

function statistics(policies: Policy[]): Rows {
  const columns = ['mean', 'ci95', 'std', 'min', 'p05', 'q1', 'median', 'q3', 'p95', 'max', 'mean_value', 'matched',
    'decisions_per_second', 'p50_us', 'p99_us'] as const;
  return { columns: ['policy', ...columns], rows: policies.map((p) => [p.name, ...columns.map((c) => p[c])]) };
}

function bins(policies: Policy[]): Rows {
  const first = policies.find((p) => p.histogram)?.histogram;
  if (!first) return { columns: [], rows: [] };
  const step = (first.high - first.low) / first.counts.length;
  return {
    columns: ['from', 'to', ...policies.map((p) => p.name)],
    rows: first.counts.map((_, i) =>
      [first.low + i * step, first.low + (i + 1) * step, ...policies.map((p) => p.histogram?.counts[i])]),
  };
}

function instances(policies: Policy[], stride: number): Rows {
  const ratios = policies.map((p) => decodeRatios(p.ratios));
  return {
    columns: ['instance', ...policies.map((p) => p.name)],
    rows: Array.from({ length: ratios[0]?.length ?? 0 }, (_, i) => [i * stride, ...ratios.map((r) => r[i])]),
  };
}

function evaluationBlock(evaluation: Evaluation): HTMLElement {
  const { name, policies } = evaluation;
  const stride = evaluation.ratio_stride ?? 1;
  const shown = () => policies.filter(isShown);
  const best = policies.reduce((a, b) => ((b.mean ?? 0) > (a.mean ?? 0) ? b : a));
  const { element } = chart({
    title: name,
    summary: `Optimality ratios of ${policies.length} policies on ${name}; the best mean is ${best.name}'s.`,
    height: () => (state.view === 'instances' ? 420 : Math.max(1, shown().length) * (state.view === 'boxes' ? 46 : 64) + 54),
    option: (t, width) => {
      if (shown().length === 0) return null;
      if (state.view === 'instances') return instancesOption(shown(), baselineOf(evaluation), stride, t);
      return (state.view === 'boxes' ? boxesOption : histogramsOption)(shown(), t, width);
    },
    rows: () => (state.view === 'boxes' ? statistics(shown())
      : state.view === 'histogram' ? bins(shown()) : instances(shown().filter((p) => p.ratios), stride)),
  });
  const facts = [evaluation.problem, `${count(evaluation.instances)} instances`, `seed ${evaluation.seed ?? '–'}`,
    evaluation.horizon ? `number of arrivals: ${evaluation.horizon}` : '',
    evaluation.unproven ? `${count(evaluation.unproven)} optima not proven` : ''].filter(Boolean).join(' · ');
  element.querySelector('figcaption')!.after(h('p', { class: 'facts' }, facts));
  const [advice, ...notes] = evaluation.remarks ?? [];
  return h('article', { class: 'card' }, advice ? h('p', { class: 'advice' }, advice) : null,
    element, ratioTable(evaluation), ...notes.map((note) => h('p', { class: 'note' }, note)));
}

export function ratios({ evaluations }: Report): HTMLElement | null {
  if (evaluations.length === 0) return null;
  const names = [...new Set(evaluations.flatMap((e) => e.policies.map((p) => p.name)))];
  state.baseline = names[0]!;

  const kept = evaluations.some((e) => e.policies.filter((p) => p.ratios).length > 1);
  const hint = h('p', { class: 'note' }, VIEWS[0]!.hint);
  const views = h('fieldset', { class: 'segments' }, h('legend', { class: 'unseen' }, 'View'),
    ...VIEWS.filter((v) => v.view !== 'instances' || kept).map(({ view, label, hint: text }) => h('label', {},
      h('input', { type: 'radio', name: 'view', value: view, checked: view === state.view,
        change: () => update(() => { state.view = view; hint.textContent = text; }) }),
      h('span', {}, label))));
  const compared = choice('Compare with', names, 0, (i) => update(() => { state.baseline = names[i]!; }));

  return section('ratios', 'Optimality ratios',
    'Every policy plays the same instances, so differences are paired, and luck with the instances cancels out.',
    h('div', { class: 'controls' }, views, compared.element), hint,
    evaluations.length > 1 && h('article', { class: 'card' }, overview(evaluations)),
    ...evaluations.map(evaluationBlock));
}
