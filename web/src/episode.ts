// One episode, step by step.
import { chart } from './chart';
import { styleOf } from './colours';
import { choice, h, s, section } from './dom';
import type { Rows } from './download';
import { drawEpisode } from './episode_graph';
import { player } from './episode_player';
import { arrivalName, isSingle, nodeName, nodesBefore, ratioSoFar, SKIP, stepsOf, type Step } from './episode_steps';
import { sentence, worth } from './episode_words';
import { figure } from './figure';
import { fixed, short } from './format';
import { elements, plainText } from './names';
import { panelsHeight, panelsOption } from './panels';
import type { Episode, Play, Report } from './report';
import { onChange } from './state';

const BEST = 'optimum';

function stepRows(episode: Episode, play: Play, steps: Step[]): Rows {
  const name = (node: number) => (node === SKIP ? 'skip' : nodeName(episode, node));
  const named = episode.arrivals.some((_, i) => arrivalName(episode, i));
  const costs = episode.capacities !== undefined;
  return {
    columns: ['arrival', ...named ? ['name'] : [], 'offers', 'choice', 'gain', ...costs ? ['cost'] : [], 'optimum choice', 'optimum gain',
      'value', 'optimum value', 'ratio'],
    rows: steps.map((p) => [p.index + 1, ...named ? [arrivalName(episode, p.index)] : [],
      p.offers.map((o) => `${name(o.node)}: ${worth(o)}`).join('; '), name(p.choice), p.gain, ...costs ? [play.costs?.[p.index]] : [],
      name(p.best), p.bestGain, p.value, p.bestValue, ratioSoFar(p)]),
  };
}

const LEAD = 'Arrivals come one by one from the left. The nodes on the right can be used only while they last. Each arrival must be '
  + 'matched at once or never, without knowing who comes next. The optimum knew: it is what would have been best in hindsight.';

const AHEAD = 'A ratio above 1 during the episode is not a mistake: the optimum skips good offers early because it knows that better '
  + 'ones will come.';

function legend(episode: Episode): (HTMLElement | false)[] {
  const nodes = nodesBefore(episode, episode.plays[0]!, 0);
  const item = (sign: SVGElement, text: string) => h('span', {}, s('svg', { class: 'sign', width: 26, height: 14, 'aria-hidden': 'true' }, sign), text);
  const node = (kind: string) => s('circle', { class: `node ${kind}`, cx: 13, cy: 7, r: 6 });
  return [
    item(s('path', { class: 'edge offered', d: 'M2 7H24', 'stroke-width': 4 }), 'offer; thicker is worth more'),
    item(s('path', { class: 'edge chosen', d: 'M2 7H24', 'stroke-width': 4 }), 'chosen'),
    item(s('path', { class: 'edge best', d: 'M2 7H24', 'stroke-width': 1.6 }), 'the optimum’s choice'),
    item(s('path', { class: 'edge gone', d: 'M2 7H24', 'stroke-width': 1.2 }), 'not possible now'),
    item(s('path', { class: 'past', d: 'M2 7H24' }), 'earlier match'),
    nodes.some((n) => n.capacity > 0 && !isSingle(episode, n)) && item(s('g', {}, node('free'), s('path', { class: 'remaining', d: 'M7 7A6 6 0 0 0 19 7Z' })), 'filled: what is left'),
    nodes.some((n) => n.capacity === 0) && item(node('absent'), 'absent'),
    episode.arrivals.some((arrival) => arrival.costs) && h('span', {}, '“3 for 2”: gains 3, takes 2 of what is left'),
  ];
}

export function episode({ episodes }: Report): HTMLElement | null {
  if (episodes.length === 0) return null;
  let current = episodes[0]!;
  let play: Play = current.plays[0]!;
  let steps: Step[] = [];
  let index = 0;

  const figures = { value: h('b'), best: h('b'), ratio: h('b') };
  const says = h('p', { class: 'says', 'aria-live': 'polite' });
  const svg = s('svg', { class: 'graph', role: 'img' });
  const stage = h('div', { class: 'stage', tabindex: 0, role: 'group', 'aria-label': 'Episode: arrow keys step, space plays' }, svg);

  const running = chart({
    title: 'Value so far',
    summary: 'Value earned so far by the policy and by the optimum, and their ratio, per arrival.',
    height: (width) => panelsHeight(2, width, false),
    option: (t, width) => {
      const x = steps.map((p) => p.index + 1);
      return panelsOption({ x: 'arrival', from: 1, to: steps.length, mark: index + 1, panels: [
        { title: 'value', min: 0, lines: [{ name: BEST, x, y: steps.map((p) => p.bestValue), plain: true },
          { name: play.policy, x, y: steps.map((p) => p.value) }] },
        { title: 'ratio', min: 0, format: (v) => fixed(v, 3), lines: [{ name: play.policy, x, y: steps.map(ratioSoFar) }] },
      ] }, t, width);
    },
    rows: () => stepRows(current, play, steps),
  });

  const draw = () => {
    if (stage.clientWidth > 0) drawEpisode(svg, current, play, steps, index, stage.clientWidth);
  };
  const controls = player((to, playing) => {
    index = to;
    const step = steps[index]!;
    const words = sentence(current, play.policy, nodesBefore(current, play, index), step);
    says.setAttribute('aria-live', playing ? 'off' : 'polite');
    says.replaceChildren(...elements(words));
    svg.setAttribute('aria-label', plainText(words));
    figures.value.textContent = short(step.value);
    figures.best.textContent = short(step.bestValue);
    figures.ratio.textContent = fixed(ratioSoFar(step), 3);
    draw();
    running.draw();
  });

  const policies = choice('Policy', [], 0, (i) => { play = current.plays[i]!; restart(); });
  const which = choice('Episode', episodes.map((e) => e.name), 0, (i) => { current = episodes[i]!; open(); });
  const figuresRow = h('p', { class: 'figures' }, h('span', {}, 'policy ', figures.value),
    h('span', {}, 'optimum ', figures.best), h('span', {}, 'ratio so far ', figures.ratio));

  function restart(): void {
    steps = stepsOf(current, play);
    card.style.setProperty('--policy', `var(--p${styleOf(play.policy).index})`);
    controls.restart(steps.length, steps.filter((p) => p.choice !== p.best).map((p) => p.index));
  }
  function open(): void {
    play = current.plays[0]!;
    signs.replaceChildren(...legend(current).filter((sign) => sign !== false));
    policies.select.replaceChildren(...current.plays.map((p, i) =>
      h('option', { value: i }, `${p.policy} (${fixed(current.optimum.value ? (p.value ?? NaN) / current.optimum.value : null, 3)})`)));
    restart();
  }

  const signs = h('p', { class: 'note legend' });
  const card = h('article', { class: 'card episode', keydown: controls.keys },
    h('div', { class: 'controls' }, which.element, policies.element), controls.element, figuresRow, says,
    figure('The graph at this step', stage, () => stepRows(current, play, steps), signs), running.element,
    h('p', { class: 'note' }, AHEAD));
  new ResizeObserver(draw).observe(stage);
  onChange(draw);
  open();
  return section('episode', 'One episode, step by step', LEAD, card);
}
