// What happens at a step, in words.
import { nodeName, SKIP, type Step } from './episode_steps';
import { percent, short } from './format';
import type { Episode } from './report';

const NAMED = 4;

const or = (parts: string[]) =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;

function options(episode: Episode, { index, offers, gone }: Step): string {
  const arrival = `Arrival ${index + 1}`;
  if (offers.length === 0) {
    if (gone.length === 0) return `${arrival} has no edges.`;
    const why = episode.budgets ? 'out of budget for it' : 'already taken';
    return `${arrival} comes too late: ${gone.length === 1 ? nodeName(episode, gone[0]!.node) + ' is' : `all its ${gone.length} neighbours are`} ${why}.`;
  }
  const order = offers.slice().sort((a, b) => b.gain - a.gain);
  const named = order.slice(0, order.length > NAMED + 1 ? NAMED : order.length)
    .map(({ node, gain }) => `${nodeName(episode, node)} (${short(gain)})`);
  if (order.length > named.length) named.push(`${order.length - named.length} others`);
  return `${arrival} could go to ${or(named)}.`;
}

export function sentence(episode: Episode, policy: string, step: Step): string {
  const { choice, best, offers, skipShare } = step;
  const share = choice === SKIP ? skipShare : offers.find((o) => o.node === choice)?.share ?? null;
  const sure = share === null ? '' : ` (${percent(share)})`;
  const does = choice === SKIP ? `skips${sure}` : `takes ${nodeName(episode, choice)}${sure}`;
  if (offers.length === 0 && best === SKIP) return `${options(episode, step)} Nothing to decide.`;
  if (choice === best) return `${options(episode, step)} ${policy} ${does}, and so does the optimum.`;
  const lost = best !== SKIP && !offers.some((o) => o.node === best) ? ', which this policy no longer has' : '';
  return `${options(episode, step)} ${policy} ${does}; the optimum ${best === SKIP ? 'skips' : `takes ${nodeName(episode, best)}`}${lost}.`;
}
