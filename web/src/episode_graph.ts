// The picture of one step: arrivals on the left, fixed nodes on the right, and the policy's probability of each offer.
import { styleOf } from './colours';
import { s, type Child } from './dom';
import { labelRows, layoutOf, type Layout } from './episode_layout';
import { arrivalName, isSingle, nodeName, nodesBefore, SKIP, type NodeState, type Step } from './episode_steps';
import { arrivalWords, standing, worth } from './episode_words';
import { percent, short } from './format';
import { fitted, plainText } from './names';
import type { Episode, Play } from './report';

/** Above this, the name of an arrival is below its circle. */
const HIGH = 60;

const STAR = 'M0-7L2-2.2L7-2.2L3 1L4.5 6L0 3L-4.5 6L-3 1L-7-2.2L-2-2.2Z';

const curve = (x1: number, y1: number, x2: number, y2: number) => {
  const bend = (x2 - x1) * 0.5;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
};

export function drawEpisode(svg: SVGSVGElement, episode: Episode, play: Play, steps: Step[], index: number, width: number): void {
  const step = steps[index]!;
  const layout = layoutOf(episode, width);
  const nodes = nodesBefore(episode, play, index);
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
  svg.style.setProperty('--policy', `var(--p${styleOf(play.policy).index})`);
  svg.replaceChildren(...[
    s('text', { class: 'head', x: 4, y: 14 }, 'arrivals'),
    s('text', { class: 'head', x: nodeX, y: 14, 'text-anchor': 'middle' }, !episode.capacities ? 'waiting' : episode.takes === 'gain' ? 'budgets' : 'capacities'),
    step.skipShare !== null && s('text', { class: 'head', x: layout.barX, y: 14 }, 'probability'),
    ...band(layout, step, episode), ...past, ...gone, ...offered, chosen, best,
    ...arrivals(layout, episode, steps, index),
    ...nodes.map((node, i) => fixedNode(episode, node, i, nodeX, nodeY(i), radius)),
    skipNode(nodeX, nodeY(SKIP)),
    ...!compact ? step.offers.map((o) => s('text', { class: 'weight', x: reach - 5, y: nodeY(o.node) - 6, 'text-anchor': 'end' }, layout.narrow ? short(o.gain) : worth(o))) : [],
    ...labelRows(layout, episode, step).flatMap(({ node, y }) => row(layout, episode, step, nodes, node, y, radius)),
  ].filter((part): part is SVGElement => part instanceof SVGElement));
}

function band(layout: Layout, step: Step, episode: Episode): SVGElement[] {
  const y = labelRows(layout, episode, step).find((r) => r.node === step.choice)?.y;
  if (y === undefined) return [];
  const height = layout.compact ? layout.label - 2 : Math.min(30, layout.pitch - 2);
  return [s('rect', { class: 'band', x: layout.nameX - 4, y: y - height / 2, width: layout.width - layout.nameX + 4, height, rx: 6 })];
}

function arrivals({ arrivalX, arrivalY, nodeX, narrow }: Layout, episode: Episode, steps: Step[], index: number): SVGElement[] {
  const gap = arrivalY(1) - arrivalY(0);
  const tip = (i: number) => s('title', {}, plainText(arrivalWords(episode, i)));
  const dots = steps.filter((p) => p.index !== index && Math.abs(arrivalY(p.index) - arrivalY(index)) > 13).map((p) => {
    const kind = p.index > index ? 'future' : p.choice === SKIP ? 'skipped' : 'matched';
    return s('circle', { class: `arrival ${kind}`, cx: arrivalX, cy: arrivalY(p.index), r: Math.max(1, Math.min(4, gap / 3)) },
      tip(p.index));
  });
  const name = narrow ? '' : arrivalName(episode, index);
  const y = arrivalY(index);
  const label = name ? [s('text', { class: 'arrival-name', x: arrivalX + 16, y: y < HIGH ? y + 26 : y - 17 },
    s('title', {}, name), fitted(name, nodeX - arrivalX - 90))] : [];
  return [...dots, ...label,
    s('circle', { class: 'arrival now', cx: arrivalX, cy: y, r: 14 }, tip(index)),
    s('text', { class: 'arrival-number', x: arrivalX, y, 'text-anchor': 'middle', 'dominant-baseline': 'central' }, index + 1)];
}

function fixedNode(episode: Episode, node: NodeState, i: number, x: number, y: number, r: number): SVGElement {
  const { capacity, left, takenBy } = node;
  const single = isSingle(episode, node);
  const taken = single && takenBy >= 0;
  const kind = capacity === 0 ? 'absent' : taken ? 'taken' : 'free';
  const parts: Child[] = [s('title', {}, `${nodeName(episode, i)}: ${standing(episode, node)}`), s('circle', { class: `node ${kind}`, cx: x, cy: y, r })];
  if (!single && left > 0) {
    // What is left as the filled lower part of the circle.
    const level = r * (1 - 2 * Math.min(1, left / capacity));
    const half = Math.sqrt(Math.max(0, r * r - level * level));
    parts.push(left >= capacity ? s('circle', { class: 'remaining', cx: x, cy: y, r: r - 1 })
      : s('path', { class: 'remaining', d: `M${x - half} ${y + level}A${r} ${r} 0 ${level < 0 ? 1 : 0} 0 ${x + half} ${y + level}Z` }));
  }
  if (taken && r > 8) {
    parts.push(s('text', { class: 'node-number', x, y, 'text-anchor': 'middle', 'dominant-baseline': 'central' }, takenBy + 1));
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
  const tall = episode.capacities !== undefined && node !== SKIP;
  const gain = compact && offer ? worth(offer) : '';
  const detail = gain && !tall ? ` ${gain}` : '';
  const open = node === SKIP || offer !== undefined;
  const taken = !tall && !open && !narrow && nodes[node]!.takenBy >= 0;
  // Without probabilities the names have the place of their bars.
  const room = (step.skipShare === null && !taken ? tagX : barX) - nameX - 6;
  const middle = { y, 'dominant-baseline': 'central' };
  const parts: Child[] = [];
  if (compact && node !== SKIP) parts.push(s('path', { class: 'leader', d: `M${nodeX + radius + 2} ${nodeY(node)}L${nameX - 4} ${y}` }));
  parts.push(s('text', { class: open ? 'name' : 'name closed', x: nameX, ...middle, y: tall ? y - 6 : y },
    s('title', {}, name), fitted(name, 0.93 * room - 7 * detail.length), detail && s('tspan', { class: 'weight' }, detail)));
  if (tall) {
    const state = standing(episode, nodes[node]!);
    parts.push(s('text', { class: 'left', x: nameX, y: y + 9, 'dominant-baseline': 'central' },
      fitted(gain && !narrow ? `${gain} · ${state}` : state, tagX - nameX)));
  }
  if (share !== null) {
    parts.push(s('rect', { class: 'track', x: barX, y: y - 5, width: barWidth, height: 10, rx: 3 }),
      s('rect', { class: 'share', x: barX, y: y - 5, width: Math.max(1.5, barWidth * share), height: 10, rx: 3 }),
      s('text', { class: 'percent', x: barX + barWidth + 6, ...middle }, percent(share)));
  } else if (taken) {
    parts.push(s('text', { class: 'left', x: barX, ...middle }, standing(episode, nodes[node]!)));
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
