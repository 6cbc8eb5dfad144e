// One episode as one policy plays it: the state before each decision, and the value after it.
import type { Episode, Num, Play } from './report';

export const SKIP = -1;

/** `cost` is null where no edge has one of its own. */
export interface Offer { node: number; gain: number; cost: number | null; share: number | null }

export interface Step {
  index: number;
  /** What could be chosen, without skipping. */
  offers: Offer[];
  skipShare: number | null;
  /** Neighbours that are taken or spent, with their weights. */
  gone: { node: number; weight: number }[];
  choice: number;
  gain: number;
  best: number;
  bestGain: number;
  /** Earned up to and including this step, by the policy and by the optimum. */
  value: number;
  bestValue: number;
}

/** A fixed node before a step. `capacity` is 1 where the data has none. */
export interface NodeState { capacity: number; left: number; takenBy: number }

export function stepsOf(episode: Episode, play: Play): Step[] {
  let value = 0;
  let bestValue = 0;
  return episode.arrivals.map(({ nodes, weights, costs }, index) => {
    const cost = (node: number) => costs?.[nodes.indexOf(node)] ?? null;
    const given = play.offers?.[index] ?? { nodes, gains: weights, shares: null };
    const all = given.nodes.map((node, i): Offer => ({ node, gain: given.gains[i] ?? 0, cost: cost(node), share: given.shares?.[i] ?? null }));
    const offers = all.filter((offer) => offer.node !== SKIP);
    const offered = new Set(offers.map((offer) => offer.node));
    const gain = play.gains[index] ?? 0;
    const bestGain = episode.optimum.gains[index] ?? 0;
    value += gain;
    bestValue += bestGain;
    return {
      index, offers, gain, bestGain, value, bestValue,
      skipShare: all.find((offer) => offer.node === SKIP)?.share ?? null,
      gone: nodes.map((node, i) => ({ node, weight: weights[i] ?? 0 })).filter(({ node }) => !offered.has(node)),
      choice: play.choices[index] ?? SKIP,
      best: episode.optimum.choices[index] ?? SKIP,
    };
  });
}

/** The fixed nodes just before step `index`. */
export function nodesBefore(episode: Episode, play: Play, index: number): NodeState[] {
  const nodes = Array.from({ length: episode.fixed }, (_, i): NodeState => {
    const capacity = episode.capacities?.[i] ?? 1;
    return { capacity, left: capacity, takenBy: -1 };
  });
  for (let arrival = 0; arrival < index; ++arrival) {
    const node = nodes[play.choices[arrival] ?? SKIP];
    if (!node) continue;
    node.takenBy = arrival;
    node.left = Math.max(0, node.left - (play.costs?.[arrival] ?? 1));
  }
  return nodes;
}

/** Can the node be matched at most once, so that it is free or taken, and nothing in between? */
export function isSingle(episode: Episode, { capacity }: NodeState): boolean {
  return !episode.capacities || (episode.takes === 'one' && capacity === 1);
}

/** The ratio to the optimum's value so far. Early in an episode a policy can be ahead of the optimum. */
export function ratioSoFar({ value, bestValue }: Step): Num {
  return bestValue > 0 ? value / bestValue : null;
}

export function nodeName(episode: Episode, node: number): string {
  return episode.fixed_names?.[node]?.trim() || `${episode.takes === 'gain' ? 'ad' : 'node'} ${node + 1}`;
}

/** Empty if it has none. */
export function arrivalName(episode: Episode, index: number): string {
  return episode.arrivals[index]?.name?.trim() ?? '';
}
