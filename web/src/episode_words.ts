// What happens at a step, and how a node stands, in words.
import { arrivalName, isSingle, nodeName, SKIP, type NodeState, type Offer, type Step } from './episode_steps';
import { percent, short } from './format';
import { Name, type Words } from './names';
import type { Episode } from './report';

const NAMED = 4;

/** What a match gains, and what it takes of its node if edges have costs: "320 for 2.5". */
export function worth({ gain, cost }: Pick<Offer, 'gain' | 'cost'>): string {
  return cost === null ? short(gain) : `${short(gain)} for ${short(cost)}`;
}

/** "2 of 3 left", "absent", "taken by arrival 7", "free". */
export function standing(episode: Episode, node: NodeState): string {
  if (node.capacity === 0) return 'absent';
  if (!isSingle(episode, node)) return `${short(node.left)} of ${short(node.capacity)} left`;
  return node.takenBy >= 0 ? `taken by arrival ${node.takenBy + 1}` : 'free';
}

/** Why a neighbour cannot be chosen, after "is" or "are". */
function obstacle(episode: Episode, node: NodeState): string {
  if (node.capacity === 0) return 'absent';
  if (isSingle(episode, node)) return 'already taken';
  return episode.takes === 'gain' ? 'out of budget for it' : episode.takes === 'one' ? 'used up' : 'too short of capacity for it';
}

function or(parts: Words[]): Words {
  return parts.flatMap((part, i) => (i === 0 ? part : [i < parts.length - 1 ? ', ' : ' or ', ...part]));
}

/** "Arrival 3", with its name if it has one. */
export function arrivalWords(episode: Episode, index: number): Words {
  const name = arrivalName(episode, index);
  return name ? [`Arrival ${index + 1} (`, new Name(name), ')'] : [`Arrival ${index + 1}`];
}

function options(episode: Episode, nodes: NodeState[], { index, offers, gone }: Step): Words {
  const arrival = arrivalWords(episode, index);
  if (offers.length === 0) {
    if (gone.length === 0) return [...arrival, ' has no edges.'];
    const obstacles = [...new Set(gone.map(({ node }) => obstacle(episode, nodes[node]!)))].sort();
    const late = obstacles.some((why) => why !== 'absent');
    const who: Words = gone.length === 1 ? [new Name(nodeName(episode, gone[0]!.node)), ' is '] : [`all its ${gone.length} neighbours are `];
    return [...arrival, late ? ' comes too late: ' : ' cannot be matched: ', ...who, ...or(obstacles.map((why) => [why])), '.'];
  }
  const order = offers.slice().sort((a, b) => b.gain - a.gain);
  const named = order.slice(0, order.length > NAMED + 1 ? NAMED : order.length)
    .map((offer): Words => [new Name(nodeName(episode, offer.node)), ` (${worth(offer)})`]);
  if (order.length > named.length) named.push([`${order.length - named.length} others`]);
  return [...arrival, ' could go to ', ...or(named), '.'];
}

export function sentence(episode: Episode, policy: string, nodes: NodeState[], step: Step): Words {
  const { choice, best, offers, skipShare } = step;
  const share = choice === SKIP ? skipShare : offers.find((o) => o.node === choice)?.share ?? null;
  const sure = share === null ? '' : ` (${percent(share)})`;
  const act = (node: number): Words => (node === SKIP ? ['skips'] : ['takes ', new Name(nodeName(episode, node))]);
  const start = options(episode, nodes, step);
  if (offers.length === 0 && best === SKIP) return [...start, ' Nothing to decide.'];
  const does = [' ', new Name(policy), ' ', ...act(choice), sure];
  if (choice === best) return [...start, ...does, ', and so does the optimum.'];
  const lost = best !== SKIP && !offers.some((o) => o.node === best);
  const why = !lost ? '' : isSingle(episode, nodes[best]!) ? ', which this policy no longer has' : ', of which this policy has too little left';
  return [...start, ...does, '; the optimum ', ...act(best), why, '.'];
}
