// One episode as one policy plays it: the state before each decision, and the value after it.
import type { Episode, Num, Play } from './report';

export const SKIP = -1;

export interface Offer { node: number; gain: number; share: number | null }

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

export interface NodeState { takenBy: number; spent: number }

export function stepsOf(episode: Episode, play: Play): Step[] {
  let value = 0;
  let bestValue = 0;
  return episode.arrivals.map(({ nodes, weights }, index) => {
    const given = play.offers?.[index] ?? { nodes, gains: weights, shares: null };
    const all = given.nodes.map((node, i): Offer => ({ node, gain: given.gains[i] ?? 0, share: given.shares?.[i] ?? null }));
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
export function nodesBefore(episode: Episode, steps: Step[], index: number): NodeState[] {
  const nodes = Array.from({ length: episode.fixed }, (): NodeState => ({ takenBy: -1, spent: 0 }));
  for (const { choice, gain, index: arrival } of steps.slice(0, index)) {
    const node = nodes[choice];
    if (!node) continue;
    node.takenBy = arrival;
    node.spent += gain;
  }
  return nodes;
}

/** The ratio to the optimum's value so far. Early in an episode a policy can be ahead of the optimum. */
export function ratioSoFar({ value, bestValue }: Step): Num {
  return bestValue > 0 ? value / bestValue : null;
}

export function nodeName(episode: Episode, node: number): string {
  return episode.fixed_names?.[node] ?? `${episode.budgets ? 'ad' : 'node'} ${node + 1}`;
}
