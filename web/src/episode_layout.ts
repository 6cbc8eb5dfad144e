// Where things go in the picture of an episode.
import type { Step } from './episode_steps';
import { SKIP } from './episode_steps';
import type { Episode } from './report';

const TOP = 34;
const ROOMY = 24;
/** The height of a label of one line, and of two. */
const LABEL = 22;
const TALL_LABEL = 34;
const MOST_LABELS = 12;

export interface Layout {
  width: number; height: number; narrow: boolean; compact: boolean; pitch: number; label: number;
  arrivalX: number; nodeX: number; nameX: number; barX: number; barWidth: number; tagX: number;
  arrivalY: (index: number) => number;
  /** The height of a fixed node, or of skip. */
  nodeY: (node: number) => number;
}

export function layoutOf(episode: Episode, width: number): Layout {
  const { fixed, arrivals } = episode;
  const narrow = width < 600;
  const compact = fixed > ROOMY;
  const pitch = compact ? Math.max(5, 560 / fixed) : episode.capacities ? 36 : fixed > 12 ? 26 : 34;
  const bottom = TOP + Math.max(fixed * pitch, 120);
  const nodeX = Math.round(width * (narrow ? 0.3 : 0.42));
  const nameX = nodeX + (compact ? 34 : narrow ? 20 : 24);
  const tagX = width - (narrow ? 32 : 96);
  const longest = Math.max(0, ...(episode.fixed_names ?? []).map((name) => name.length));
  const barX = nameX + (narrow ? 72 : Math.round(Math.max(140, Math.min(7 * longest, 0.45 * (tagX - nameX)))));
  return {
    width, height: bottom + 46, narrow, compact, pitch, label: episode.capacities ? TALL_LABEL : LABEL, arrivalX: narrow ? 20 : 44, nodeX, nameX, barX, tagX,
    barWidth: Math.max(10, tagX - barX - (narrow ? 52 : 54)),
    arrivalY: (index) => TOP + ((index + 0.5) / arrivals.length) * (bottom - TOP),
    nodeY: (node) => (node === SKIP ? bottom + 24 : TOP + (node + 0.5) * pitch),
  };
}

/** The nodes that get a row of text, and where: all if there is room, else the most important offers, without overlap. */
export function labelRows(layout: Layout, episode: Episode, step: Step): { node: number; y: number }[] {
  const skip = { node: SKIP, y: layout.nodeY(SKIP) };
  if (!layout.compact) {
    return [...Array.from({ length: episode.fixed }, (_, node) => ({ node, y: layout.nodeY(node) })), skip];
  }
  const weight = (node: number) => {
    if (node === step.choice || node === step.best) return Infinity;
    const offer = step.offers.find((o) => o.node === node);
    return offer ? offer.share ?? offer.gain : 0;
  };
  const nodes = [...new Set([...step.offers.map((o) => o.node), step.choice, step.best])]
    .filter((node) => node !== SKIP).sort((a, b) => weight(b) - weight(a)).slice(0, MOST_LABELS).sort((a, b) => a - b);
  const { label } = layout;
  const last = layout.nodeY(SKIP) - label - 6;
  const ys: number[] = [];
  nodes.forEach((node, i) => { ys[i] = Math.max(layout.nodeY(node), (ys[i - 1] ?? 0) + label); });
  for (let i = nodes.length - 1, limit = last; i >= 0 && ys[i]! > limit; --i, limit -= label) ys[i] = limit;
  return [...nodes.map((node, i) => ({ node, y: ys[i]! })), skip];
}
