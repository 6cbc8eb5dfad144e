// How often each policy chooses the same as the optimum, or as greedy, at each time step.
import { chart } from './chart';
import { h, section } from './dom';
import { percent } from './format';
import { panelsHeight, panelsOption, type Panel } from './panels';
import type { Evaluation, Policy, Report } from './report';
import { isShown } from './state';

const KINDS = [
  { key: 'agreement_optimum', title: 'with the optimum' },
  { key: 'agreement_greedy', title: 'with greedy' },
] as const;

const series = (p: Policy, key: (typeof KINDS)[number]['key']) => p[key] ?? [];

function agreementChart({ name, policies }: Evaluation): HTMLElement | null {
  const kinds = KINDS.filter(({ key }) => policies.some((p) => series(p, key).length > 0));
  if (kinds.length === 0) return null;
  const steps = policies.reduce((most, p) => Math.max(most, ...KINDS.map(({ key }) => series(p, key).length)), 0);
  const x = Array.from({ length: steps }, (_, i) => i + 1);
  const panels = (): Panel[] => kinds.map(({ key, title }) => ({
    title, min: 0, max: 1, format: percent,
    lines: policies.filter((p) => isShown(p) && series(p, key).length > 0).map((p) => ({ name: p.name, x, y: series(p, key) })),
  }));
  return h('article', { class: 'card' }, chart({
    title: `Agreement on ${name}`,
    summary: `Share of decisions per time step that agree ${kinds.map((k) => k.title).join(' and ')}, ${steps} steps.`,
    height: (width) => panelsHeight(kinds.length, width, true),
    option: (t, width) => policies.some(isShown)
      ? panelsOption({ panels: panels(), x: 'time step', from: 1, to: steps, zoom: true }, t, width) : null,
    rows: () => {
      const lines = panels().flatMap((panel) => panel.lines.map((line) => ({ title: `${line.name} ${panel.title}`, y: line.y })));
      return { columns: ['step', ...lines.map((l) => l.title)], rows: x.map((step, i) => [step, ...lines.map((l) => l.y[i])]) };
    },
  }).element);
}

export function agreement({ evaluations }: Report): HTMLElement | null {
  const charts = evaluations.map(agreementChart).filter((c) => c !== null);
  if (charts.length === 0) return null;
  return section('agreement', 'Agreement over time',
    'The share of instances in which a policy decides like the optimum, or like greedy, at that step. Each plays with its own past.', ...charts);
}
