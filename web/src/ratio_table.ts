// The numbers of one evaluation, with paired differences to the compared policy.
import { tag } from './colours';
import { h, s } from './dom';
import { compact, count, fixed, probability, short, signed } from './format';
import type { Against, Evaluation, Policy } from './report';
import { baselineOf, isShown } from './state';
import { sortableTable, type Column } from './table';

const WIDTH = 88;
const HEIGHT = 16;

/** What a paired difference says. It is clear only if its interval excludes zero. */
export function verdict({ low, high }: Against): { sign: string; words: string; kind: string } {
  if ((low ?? 0) > 0) return { sign: '▲', words: 'better', kind: 'better' };
  if ((high ?? 0) < 0) return { sign: '▼', words: 'worse', kind: 'worse' };
  return { sign: '≈', words: 'no clear difference', kind: 'same' };
}

function interval(difference: Against, reach: number): SVGSVGElement {
  const at = (v: number | null | undefined) => WIDTH / 2 + ((v ?? 0) / reach) * (WIDTH / 2 - 5);
  const { words, kind } = verdict(difference);
  const text = `${signed(difference.low)} to ${signed(difference.high)}: ${words}`;
  return s('svg', { class: `interval ${kind}`, width: WIDTH, height: HEIGHT, role: 'img', 'aria-label': text },
    s('title', {}, text),
    s('line', { class: 'zero', x1: WIDTH / 2, x2: WIDTH / 2, y1: 0, y2: HEIGHT }),
    s('line', { class: 'stem', x1: WIDTH / 2, x2: at(difference.mean), y1: HEIGHT / 2, y2: HEIGHT / 2 }),
    s('rect', { x: at(difference.low) - 1, width: at(difference.high) - at(difference.low) + 2, y: 3, height: HEIGHT - 6, rx: 1 }));
}

export function ratioTable(evaluation: Evaluation): HTMLElement {
  const { policies } = evaluation;
  const statistic = (title: string, key: (p: Policy) => number | null | undefined, text: (p: Policy) => string, hint?: string) =>
    ({ title, hint, key, cell: text });

  const columns = (): Column<Policy>[] => {
    const base = baselineOf(evaluation);
    const index = policies.indexOf(base);
    const against = (p: Policy) => p.against?.[index] ?? null;
    const reach = Math.max(1e-9, ...policies.flatMap((p) =>
      [against(p)?.low, against(p)?.high].map((v) => Math.abs(v ?? 0))));
    return [
      { title: 'Policy', text: true, key: (p) => p.name, cell: (p) => h('span', { class: 'policy' }, tag(p.name),
        p.detail && p.detail !== p.name && h('small', { title: p.detail }, p.detail)) },
      statistic('Mean', (p) => p.mean, (p) => fixed(p.mean), 'Mean optimality ratio'),
      statistic('±95 %', (p) => p.ci95, (p) => fixed(p.ci95), 'Half width of the 95 % confidence interval of the mean'),
      { title: 'Difference', hint: `Mean paired difference to ${base.name}`, key: (p) => against(p)?.mean, cell: (p) => {
        const difference = against(p);
        if (!difference) return h('span', { class: 'muted' }, p === base ? 'compared' : '–');
        const { sign, words, kind } = verdict(difference);
        return h('span', { class: `difference ${kind}`, title: words },
          h('span', { role: 'img', 'aria-label': words }, sign), ' ', signed(difference.mean));
      } },
      { title: '95 % interval', hint: 'Confidence interval of the difference; the line in the middle is zero', text: true,
        key: (p) => against(p)?.low, cell: (p) => against(p) && interval(against(p)!, reach) },
      statistic('p', (p) => against(p)?.p, (p) => probability(against(p)?.p), 'Paired test of no difference'),
      statistic('Wins', (p) => against(p)?.wins, (p) => count(against(p)?.wins), 'Instances on which the policy is better'),
      statistic('Ties', (p) => against(p)?.ties, (p) => count(against(p)?.ties), 'Instances on which both are equal'),
      ...(policies.some((p) => p.gap_closed != null) ? [statistic('Gap closed', (p) => p.gap_closed,
        (p) => (p.gap_closed == null || p.gap_closed < 0 ? '–' : `${(100 * p.gap_closed).toFixed(1)} %`),
        `Share of the gap between ${evaluation.gap_reference ?? 'greedy'} and the best possible online policy`)] : []),
      statistic('Std', (p) => p.std, (p) => fixed(p.std), 'Standard deviation over the instances'),
      statistic('Worst', (p) => p.min, (p) => fixed(p.min), 'Lowest ratio of all instances'),
      statistic('Median', (p) => p.median, (p) => fixed(p.median)),
      statistic('Matched', (p) => p.matched, (p) => short(p.matched), 'Matched arrivals per instance'),
      statistic('Dec./s', (p) => p.decisions_per_second, (p) => compact(p.decisions_per_second), 'Decisions per second'),
      statistic('p50 µs', (p) => p.p50_us, (p) => short(p.p50_us), 'Median time of a decision, microseconds'),
      statistic('p99 µs', (p) => p.p99_us, (p) => short(p.p99_us), '99th percentile of the time of a decision, microseconds'),
    ];
  };
  return sortableTable(`Policies on ${evaluation.name}`, columns, () => policies.filter(isShown));
}
