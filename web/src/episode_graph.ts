// The picture of one step: arrivals on the left, fixed nodes on the right, and the policy's probability of each offer.
import { styleOf } from './colours';
import { s, type Child } from './dom';
import { labelRows, layoutOf, type Layout } from './episode_layout';
import { nodeName, nodesBefore, SKIP, type NodeState, type Step } from './episode_steps';
import { percent, short } from './format';
import type { Episode } from './report';

const STAR = 'M0-7L2-2.2L7-2.2L3 1L4.5 6L0 3L-4.5 6L-3 1L-7-2.2L-2-2.2Z';

const curve = (x1: number, y1: number, x2: number, y2: number) => {
  const bend = (x2 - x1) * 0.5;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
};

function clipped(text: string, room: number): string {
  const most = Math.max(3, Math.floor(room / 6.7));
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}

export function drawEpisode(svg: SVGSVGElement, episode: Episode, policy: string, steps: Step[], index: number, width: number): void {
  const step = steps[index]!;
  const layout = layoutOf(episode, width);
  const nodes = nodesBefore(episode, steps, index);
  const heaviest = episode.arrivals.reduce((most, a) => Math.max(most, ...a.weights), 0) || 1;
  const { arrivalX, nodeX, arrivalY, nodeY, compact } = layout;
  const radius = compact ? Math.min(4, layout.pitch / 2 - 0.5) : 10;
  const start = arrivalY(index);
  const reach = nodeX - radius - 1;
  const edge = (node: number, kind: string, thickness: number) =>
    s('path', { class: `edge ${kind}`, d: curve(arrivalX + 15, start, node === SKIP ? nodeX - 16 : reach, nodeY(node)), 'stroke-width': thickness });
  const thick = (gain: number) => 1.5 + 6 * (gain / heaviest);

  const past = steps.slice(0, index).filter((p) => p.choice !== SKIP).map((p) =>
    s('path', { class: 'past', d: curve(arrivalX + 4, arrivalY(p.index), reach, nodeY(p.choice)) }));
  const gone = step.gone.map(({ node }) => edge(node, 'gone', 1.2));
  const offered = step.offers.filter((o) => o.node !== step.choice).map((o) => edge(o.node, 'offered', thick(o.gain)));
  const chosen = edge(step.choice, 'chosen', step.choice === SKIP ? 2.5 : thick(step.gain));
  const best = edge(step.best, 'best', 1.6);

  svg.classList.toggle('compact', compact);
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(layout.height));
  svg.style.setProperty('--policy', `var(--p${styleOf(policy).index})`);
  svg.replaceChildren(...[
    s('text', { class: 'head', x: 4, y: 14 }, 'arrivals'),
    s('text', { class: 'head', x: nodeX, y: 14, 'text-anchor': 'middle' }, episode.budgets ? 'budgets' : 'waiting'),
    step.skipShare !== null && s('text', { class: 'head', x: layout.barX, y: 14 }, 'probability'),
    ...band(layout, step, episode), ...past, ...gone, ...offered, chosen, best,
    ...arrivals(layout, steps, index),
    ...nodes.map((node, i) => fixedNode(episode, node, i, nodeX, nodeY(i), radius)),
    skipNode(nodeX, nodeY(SKIP)),
    ...!compact ? step.offers.map((o) => s('text', { class: 'weight', x: reach - 5, y: nodeY(o.node) - 6, 'text-anchor': 'end' }, short(o.gain))) : [],
    ...labelRows(layout, episode, step).flatMap(({ node, y }) => row(layout, episode, step, nodes, node, y, radius)),
  ].filter((part): part is SVGElement => part instanceof SVGElement));
}

function band(layout: Layout, step: Step, episode: Episode): SVGElement[] {
  const y = labelRows(layout, episode, step).find((r) => r.node === step.choice)?.y;
  if (y === undefined) return [];
  const height = layout.compact ? 20 : Math.min(30, layout.pitch - 2);
  return [s('rect', { class: 'band', x: layout.nameX - 4, y: y - height / 2, width: layout.width - layout.nameX + 4, height, rx: 6 })];
}

function arrivals({ arrivalX, arrivalY }: Layout, steps: Step[], index: number): SVGElement[] {
  const gap = arrivalY(1) - arrivalY(0);
  const dots = steps.filter((p) => p.index !== index && Math.abs(arrivalY(p.index) - arrivalY(index)) > 13).map((p) => {
    const kind = p.index > index ? 'future' : p.choice === SKIP ? 'skipped' : 'matched';
    return s('circle', { class: `arrival ${kind}`, cx: arrivalX, cy: arrivalY(p.index), r: Math.max(1, Math.min(4, gap / 3)) });
  });
  return [...dots,
    s('circle', { class: 'arrival now', cx: arrivalX, cy: arrivalY(index), r: 14 }),
    s('text', { class: 'arrival-number', x: arrivalX, y: arrivalY(index), 'text-anchor': 'middle', 'dominant-baseline': 'central' }, index + 1)];
}

function fixedNode(episode: Episode, node: NodeState, i: number, x: number, y: number, r: number): SVGElement {
  const budget = episode.budgets?.[i];
  const left = budget === undefined ? null : Math.max(0, budget - node.spent);
  const name = nodeName(episode, i);
  const taken = left === null && node.takenBy >= 0;
  const state = left !== null ? `${short(left)} of ${short(budget)} left` : taken ? `taken by arrival ${node.takenBy + 1}` : 'free';
  const parts: Child[] = [s('title', {}, `${name}: ${state}`),
    s('circle', { class: `node ${taken ? 'taken' : 'free'}`, cx: x, cy: y, r })];
  if (left !== null && budget! > 0 && left > 0) {
    // The remaining budget as the filled lower part of the circle.
    const level = r * (1 - 2 * Math.min(1, left / budget!));
    const half = Math.sqrt(Math.max(0, r * r - level * level));
    parts.push(left >= budget! ? s('circle', { class: 'budget', cx: x, cy: y, r: r - 1 })
      : s('path', { class: 'budget', d: `M${x - half} ${y + level}A${r} ${r} 0 ${level < 0 ? 1 : 0} 0 ${x + half} ${y + level}Z` }));
  }
  if (taken && r > 8) {
    parts.push(s('text', { class: 'node-number', x, y, 'text-anchor': 'middle', 'dominant-baseline': 'central' }, node.takenBy + 1));
  }
  return s('g', {}, ...parts);
}

function skipNode(x: number, y: number): SVGElement {
  return s('g', {}, s('rect', { class: 'node free', x: x - 15, y: y - 10, width: 30, height: 20, rx: 10 }),
    s('path', { class: 'skip-sign', d: `M${x - 6} ${y}h12` }));
}

function row(layout: Layout, episode: Episode, step: Step, nodes: NodeState[], node: number, y: number, radius: number): Child[] {
  const { nameX, barX, barWidth, tagX, narrow, compact, nodeX, nodeY } = layout;
  const offer = step.offers.find((o) => o.node === node);
  const share = node === SKIP ? step.skipShare : offer?.share ?? null;
  const name = node === SKIP ? 'skip' : nodeName(episode, node);
  const budget = episode.budgets?.[node];
  const detail = compact && offer ? ` ${short(offer.gain)}` : '';
  const room = barX - nameX - 6;
  const open = node === SKIP || offer !== undefined;
  const middle = { y, 'dominant-baseline': 'central' };
  const parts: Child[] = [];
  if (compact && node !== SKIP) parts.push(s('path', { class: 'leader', d: `M${nodeX + radius + 2} ${nodeY(node)}L${nameX - 4} ${y}` }));
  const low = budget !== undefined && !compact;
  parts.push(s('text', { class: open ? 'name' : 'name closed', x: nameX, ...middle, y: low ? y - 6 : y },
    s('title', {}, name), clipped(name, room - 7 * detail.length), detail && s('tspan', { class: 'weight' }, detail)));
  if (low) {
    const left = Math.max(0, budget - nodes[node]!.spent);
    parts.push(s('text', { class: 'left', x: nameX, y: y + 9, 'dominant-baseline': 'central' },
      clipped(`${short(left)} of ${short(budget)} left`, room + 20)));
  }
  if (share !== null) {
    parts.push(s('rect', { class: 'track', x: barX, y: y - 5, width: barWidth, height: 10, rx: 3 }),
      s('rect', { class: 'share', x: barX, y: y - 5, width: Math.max(1.5, barWidth * share), height: 10, rx: 3 }),
      s('text', { class: 'percent', x: barX + barWidth + 6, ...middle }, percent(share)));
  } else if (!open && !narrow && nodes[node] && nodes[node]!.takenBy >= 0 && budget === undefined) {
    parts.push(s('text', { class: 'left', x: barX, ...middle }, `taken by arrival ${nodes[node]!.takenBy + 1}`));
  }
  if (node === step.choice) {
    parts.push(s('circle', { class: 'choice-mark', cx: tagX + 7, cy: y, r: 5.5 }));
    if (!narrow && node !== step.best) parts.push(s('text', { class: 'mark', x: tagX + 18, ...middle }, 'choice'));
  }
  if (node === step.best) {
    parts.push(s('path', { class: 'best-mark', d: STAR, transform: `translate(${tagX + 24} ${y})` }));
    if (!narrow) parts.push(s('text', { class: 'mark', x: tagX + 34, ...middle }, node === step.choice ? 'both' : 'optimum'));
  }
  return parts;
}
