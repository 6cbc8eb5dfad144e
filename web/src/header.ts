// Title, what the ratio means, and the headline figure of every evaluation.
import { tag } from './colours';
import { h, s } from './dom';
import { count, fixed, signed } from './format';
import { verdict } from './ratio_table';
import type { Evaluation, Report } from './report';

/** The logo: two sides of a graph, with one edge chosen. */
export function logo(): SVGSVGElement {
  const dot = (cx: number, cy: number) => s('circle', { cx, cy, r: 2.6 });
  return s('svg', { class: 'logo', viewBox: '0 0 28 24', width: 28, height: 24, 'aria-hidden': 'true' },
    s('path', { class: 'thin', d: 'M5 4L23 12M5 12L23 4M5 20L23 12' }), s('path', { class: 'thick', d: 'M5 12L23 20' }),
    dot(5, 4), dot(5, 12), dot(5, 20), dot(23, 4), dot(23, 12), dot(23, 20));
}

function headline({ name, instances, policies }: Evaluation): HTMLElement {
  const first = policies[0]!;
  const rivals = policies.filter((p) => !p.ceiling);
  const best = (rivals.length > 0 ? rivals : policies).reduce((a, b) => ((b.mean ?? -1) > (a.mean ?? -1) ? b : a));
  const ceiling = policies.find((p) => p.ceiling && p !== best);
  const difference = best.against?.[0];
  const at = (x: number | null | undefined) => `${Math.min(100, Math.max(0, 100 * (x ?? 0)))}%`;
  return h('article', { class: 'headline' },
    h('h3', { title: name }, name),
    h('p', { class: 'big' }, fixed(best.mean, 3)),
    h('div', { class: 'meter', 'aria-hidden': 'true' },
      h('i', { style: `width: ${at(best.mean)}` }), best !== first && h('s', { style: `left: ${at(first.mean)}` })),
    h('p', {}, tag(best.name)),
    best === first || !difference
      ? h('p', { class: 'muted' }, policies.length > 1 ? 'the first policy is the best' : `${count(instances)} instances`)
      : h('p', { class: verdict(difference).kind }, `${verdict(difference).sign} ${signed(difference.mean, 3)} `,
        h('span', { class: 'muted' }, `over ${first.name} (${fixed(first.mean, 3)})`)),
    ceiling && h('p', { class: 'muted' }, `the best possible online policy: ${fixed(ceiling.mean, 3)}`,
      best.gap_closed != null && best.gap_closed > 0 ? `; ${(100 * best.gap_closed).toFixed(1)} % of the gap closed` : ''));
}

export function header({ title, evaluations }: Report): HTMLElement {
  return h('header', { class: 'top' },
    h('p', { class: 'brand' }, logo(), 'Foresight'),
    h('h1', {}, title),
    h('p', { class: 'lead' }, h('strong', {}, 'Optimality ratio: '),
      'the value that a policy earned, divided by the most that was possible if all arrivals were known in advance. 1 is perfect.'),
    evaluations.length > 0 && h('div', { class: 'headlines' }, ...evaluations.map(headline)));
}
