// One episode, step by step.
import { chart } from './chart';
import { styleOf } from './colours';
import { choice, h, s, section } from './dom';
import type { Rows } from './download';
import { drawEpisode } from './episode_graph';
import { player } from './episode_player';
import { nodeName, ratioSoFar, SKIP, stepsOf, type Step } from './episode_steps';
import { sentence } from './episode_words';
import { figure } from './figure';
import { fixed, short } from './format';
import { panelsHeight, panelsOption } from './panels';
import type { Episode, Play, Report } from './report';
import { onChange } from './state';

const BEST = 'optimum';

function stepRows(episode: Episode, steps: Step[]): Rows {
  const name = (node: number) => (node === SKIP ? 'skip' : nodeName(episode, node));
  return {
    columns: ['arrival', 'offers', 'choice', 'gain', 'optimum choice', 'optimum gain', 'value', 'optimum value', 'ratio'],
    rows: steps.map((p) => [p.index + 1, p.offers.map((o) => `${name(o.node)}: ${short(o.gain)}`).join('; '),
      name(p.choice), p.gain, name(p.best), p.bestGain, p.value, p.bestValue, ratioSoFar(p)]),
  };
}

const LEAD = 'Arrivals come one by one from the left. The nodes on the right can be used only while they last. Each arrival must be '
  + 'matched at once or never, without knowing who comes next. The optimum knew: it is what would have been best in hindsight.';

const AHEAD = 'A ratio above 1 during the episode is not a mistake: the optimum skips good offers early because it knows that better '
  + 'ones will come.';

function legend(): HTMLElement {
  const item = (sign: SVGElement, text: string) => h('span', {}, s('svg', { class: 'sign', width: 26, height: 14, 'aria-hidden': 'true' }, sign), text);
  return h('p', { class: 'note legend' },
    item(s('path', { class: 'edge offered', d: 'M2 7H24', 'stroke-width': 4 }), 'offer; thicker is worth more'),
    item(s('path', { class: 'edge chosen', d: 'M2 7H24', 'stroke-width': 4 }), 'chosen'),
    item(s('path', { class: 'edge best', d: 'M2 7H24', 'stroke-width': 1.6 }), 'the optimum’s choice'),
    item(s('path', { class: 'edge gone', d: 'M2 7H24', 'stroke-width': 1.2 }), 'no longer possible'),
    item(s('path', { class: 'past', d: 'M2 7H24' }), 'earlier match'));
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
    rows: () => stepRows(current, steps),
  });

  const draw = () => {
    if (stage.clientWidth > 0) drawEpisode(svg, current, play.policy, steps, index, stage.clientWidth);
  };
  const controls = player((to, playing) => {
    index = to;
    const step = steps[index]!;
    const text = sentence(current, play.policy, step);
    says.setAttribute('aria-live', playing ? 'off' : 'polite');
    says.textContent = text;
    svg.setAttribute('aria-label', text);
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
    policies.select.replaceChildren(...current.plays.map((p, i) =>
      h('option', { value: i }, `${p.policy} (${fixed(current.optimum.value ? (p.value ?? NaN) / current.optimum.value : null, 3)})`)));
    restart();
  }

  const card = h('article', { class: 'card episode', keydown: controls.keys },
    h('div', { class: 'controls' }, which.element, policies.element), controls.element, figuresRow, says,
    figure('The graph at this step', stage, () => stepRows(current, steps), legend()), running.element,
    h('p', { class: 'note' }, AHEAD));
  new ResizeObserver(draw).observe(stage);
  onChange(draw);
  open();
  return section('episode', 'One episode, step by step', LEAD, card);
}
