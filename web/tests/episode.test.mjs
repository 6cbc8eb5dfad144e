// The episode player against values computed here from the data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withReport } from './browser.mjs';
import { empty, report } from './fixture.mjs';

const data = report();
const short = (x) => String(Number(x.toPrecision(3)));
const sum = (values) => values.reduce((a, b) => a + b, 0);
const player = (page) => page.locator('#episode');
const figures = (page) => player(page).locator('.figures b').allTextContents();
const says = (page) => player(page).locator('.says').textContent();

function expectedFigures(episode, play, t) {
  const value = sum(play.gains.slice(0, t + 1));
  const best = sum(episode.optimum.gains.slice(0, t + 1));
  return [short(value), short(best), best > 0 ? (value / best).toFixed(3) : '–'];
}

/** The parts that the sentence of a step must have. */
function expectedWords(episode, play, t) {
  const name = (u) => episode.fixed_names?.[u] ?? `${episode.takes === 'gain' ? 'ad' : 'node'} ${u + 1}`;
  const { nodes, gains, shares } = play.offers[t];
  const arrival = episode.arrivals[t];
  const words = [arrival.name ? `Arrival ${t + 1} (${arrival.name}) ` : `Arrival ${t + 1} `];
  const cost = (u) => (arrival.costs ? ` for ${short(arrival.costs[arrival.nodes.indexOf(u)])}` : '');
  nodes.forEach((u, i) => { if (u >= 0 && nodes.length <= 6) words.push(`${name(u)} (${short(gains[i])}${cost(u)})`); });
  const choice = play.choices[t];
  const best = episode.optimum.choices[t];
  if (nodes.length === 1 && best < 0) return [...words, 'Nothing to decide'];
  const share = shares ? shares[nodes.indexOf(choice)] : null;
  const sure = share === null ? '' : ` (${share > 0 && share < 0.005 ? '<1' : Math.round(100 * share)} %)`;
  words.push(`${play.policy} ${choice < 0 ? 'skips' : `takes ${name(choice)}`}${sure}`);
  words.push(choice === best ? 'and so does the optimum' : `the optimum ${best < 0 ? 'skips' : `takes ${name(best)}`}`);
  return words;
}

function checkStep(episode, play, t, { numbers, text }) {
  assert.deepEqual(numbers, expectedFigures(episode, play, t));
  for (const part of expectedWords(episode, play, t)) assert.ok(text.includes(part), `"${part}" in "${text}"`);
}

const check = async (page, episode, play, t) => checkStep(episode, play, t, { numbers: await figures(page), text: await says(page) });

/** What the player shows from the first step to the last, pressing "Next arrival" until it is disabled. */
const walk = (page) => page.evaluate(() => {
  const next = document.querySelector('#episode [aria-label="Next arrival"]');
  const steps = [];
  for (;;) {
    steps.push({ text: document.querySelector('#episode .says').textContent,
      numbers: [...document.querySelectorAll('#episode .figures b')].map((b) => b.textContent) });
    if (next.disabled) return steps;
    next.click();
  }
});

for (const [e, episode] of data.episodes.entries()) {
  test(`${episode.name}: words and running values are right at every step of every policy`, () => withReport(data, async (page) => {
    await player(page).getByLabel('Episode', { exact: true }).selectOption(String(e));
    for (const [p, play] of episode.plays.entries()) {
      await player(page).getByLabel('Policy', { exact: true }).selectOption(String(p));
      const steps = await walk(page);
      assert.equal(steps.length, episode.arrivals.length);
      steps.forEach((shown, t) => checkStep(episode, play, t, shown));
      assert.equal(steps.at(-1).numbers[2], (play.value / episode.optimum.value).toFixed(3));
    }
  }));
}

const [episode] = data.episodes;
const [play] = episode.plays;

test('buttons, slider and keys move to the same steps', () => withReport(data, async (page) => {
  const button = (label) => player(page).getByLabel(label, { exact: true });
  await button('Next arrival').click();
  await button('Next arrival').click();
  await button('Previous arrival').click();
  await check(page, episode, play, 1);
  await button('Arrival').fill('12');
  await check(page, episode, play, 11);
  await button('Arrival').press('ArrowRight');
  await check(page, episode, play, 12);
  await player(page).locator('.stage').focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await check(page, episode, play, 10);
  await page.keyboard.press('End');
  await check(page, episode, play, 29);
  await page.keyboard.press('ArrowRight');
  await check(page, episode, play, 29);
  await page.keyboard.press('Home');
  await check(page, episode, play, 0);
  await button('Last arrival').click();
  await check(page, episode, play, 29);
  await button('First arrival').click();
  await check(page, episode, play, 0);
}));

test('"Next difference" goes where the policy and the optimum part', () => withReport(data, async (page) => {
  const differing = play.choices.map((u, t) => (u === episode.optimum.choices[t] ? -1 : t)).filter((t) => t >= 0);
  assert.ok(differing.length > 2);
  for (const t of [...differing.filter((d) => d > 0), differing[0]]) {
    await player(page).getByText('Next difference').click();
    assert.ok((await says(page)).startsWith(`Arrival ${t + 1} `));
  }
}));

test('space plays and pauses, and playing stops at the end', () => withReport(data, async (page) => {
  await player(page).getByLabel('Speed').selectOption({ label: '8×' });
  await player(page).locator('.stage').focus();
  await page.keyboard.press(' ');
  await player(page).getByRole('button', { name: 'Pause' }).waitFor();
  await page.waitForFunction(() => document.querySelector('#episode .says').textContent.startsWith('Arrival 4 '));
  await page.keyboard.press(' ');
  await player(page).getByRole('button', { name: 'Play' }).waitFor();
  await player(page).getByLabel('Arrival', { exact: true }).fill('28');
  await player(page).getByRole('button', { name: 'Play' }).click();
  await page.waitForFunction(() => document.querySelector('#episode .says').textContent.startsWith('Arrival 30 '));
  await player(page).getByRole('button', { name: 'Play' }).waitFor();
  await check(page, episode, play, 29);
}));

test('the picture draws offers, choice, optimum, past matches and probabilities of the step', () => withReport(data, async (page) => {
  for (const t of [0, 7, 13, 22]) {
    await player(page).getByLabel('Arrival', { exact: true }).fill(String(t + 1));
    const count = (selector) => player(page).locator(`.graph ${selector}`).count();
    const { nodes, shares } = play.offers[t];
    const choice = play.choices[t];
    assert.equal(await count('.edge.offered'), nodes.filter((u) => u >= 0 && u !== choice).length);
    assert.equal(await count('.edge.chosen'), 1);
    assert.equal(await count('.edge.best'), 1);
    assert.equal(await count('.edge.gone'), episode.arrivals[t].nodes.filter((u) => !nodes.includes(u)).length);
    assert.equal(await count('.past'), play.choices.slice(0, t).filter((u) => u >= 0).length);
    assert.equal(await count('.node.taken'), new Set(play.choices.slice(0, t).filter((u) => u >= 0)).size);
    const bars = await player(page).locator('.graph .share').evaluateAll((rects) => rects.map((r) => r.width.baseVal.value));
    const track = await player(page).locator('.graph .track').first().evaluate((r) => r.width.baseVal.value);
    assert.deepEqual(bars.map((w) => Math.round((100 * w) / track)).sort(), nodes.map((_, i) => Math.round(100 * Math.max(1.5 / track, shares[i]))).sort());
  }
}));

/** How node u stands before step t, in words. */
function standing({ capacities, takes }, play, u, t) {
  const matches = play.choices.map((choice, i) => (choice === u && i < t ? i : -1)).filter((i) => i >= 0);
  if (capacities[u] === 0) return 'absent';
  if (takes === 'one' && capacities[u] === 1) return matches.length ? `taken by arrival ${matches[0] + 1}` : 'free';
  const spent = takes === 'one' ? matches.length : sum(matches.map((i) => (takes === 'gain' ? play.gains : play.costs)[i]));
  return `${short(Math.max(0, capacities[u] - spent))} of ${short(capacities[u])} left`;
}

for (const [e, what] of [[1, 'budgets: what is left falls by what was earned'], [3, 'capacities: what is left falls by one, and some are absent']]) {
  test(what, () => withReport(data, async (page) => {
    const episode = data.episodes[e];
    await player(page).getByLabel('Episode', { exact: true }).selectOption(String(e));
    for (const t of [0, 25]) {
      await player(page).getByLabel('Arrival', { exact: true }).fill(String(t + 1));
      const words = episode.capacities.map((_, u) => standing(episode, episode.plays[0], u, t));
      assert.deepEqual(await player(page).locator('.graph .left').allTextContents(), words);
      const tips = await player(page).locator('.graph g:has(> circle.node) > title').allTextContents();
      assert.deepEqual(tips.map((tip) => tip.replace(/^.*: /, '')), words);
    }
    const absent = episode.capacities.filter((capacity) => capacity === 0).length;
    assert.equal(await player(page).locator('.graph .node.absent').count(), absent);
    assert.equal(await player(page).locator('.legend').getByText('absent').count(), absent > 0 ? 1 : 0);
    assert.equal(await player(page).locator('.legend').getByText('what is left').count(), 1);
  }));
}

test('costs: each offer says what it gains and takes, and what its node has left', () => withReport(data, async (page) => {
  const episode = data.episodes[4];
  const [first] = episode.plays;
  await player(page).getByLabel('Episode', { exact: true }).selectOption('4');
  for (const t of [3, 30, 50]) {
    await player(page).getByLabel('Arrival', { exact: true }).fill(String(t + 1));
    const { nodes, costs } = episode.arrivals[t];
    const shown = await player(page).locator('.graph .left').allTextContents();
    const offers = first.offers[t];
    offers.nodes.forEach((u, i) => {
      if (u < 0) return;
      const text = `${short(offers.gains[i])} for ${short(costs[nodes.indexOf(u)])} · ${standing(episode, first, u, t)}`;
      assert.ok(shown.includes(text), `"${text}" in ${JSON.stringify(shown)}`);
    });
  }
  assert.match(await player(page).locator('.legend').textContent(), /“3 for 2”: gains 3, takes 2/);
}));

test('without capacities nothing is said of them', () => withReport(data, async (page) => {
  assert.equal(await player(page).locator('.graph .remaining, .graph .absent').count(), 0);
  assert.doesNotMatch(await player(page).locator('.legend').textContent(), /left|absent|takes/);
}));

const small = (change) => {
  const base = { name: 'e', problem: 'e-obm', fixed: 2, takes: 'one', capacities: [2, 0], fixed_names: ['Ana', 'Bo'], arrivals: [{ nodes: [0, 1], weights: [1, 1] }],
    optimum: { value: 0, choices: [-1], gains: [0], costs: [0] }, plays: [{ policy: 'p', choices: [-1], gains: [0], costs: [0], value: 0, offers: [{ nodes: [-1], gains: [0] }] }] };
  return empty({ episodes: [{ ...base, ...change }] });
};
for (const [change, text] of [
  [{ arrivals: [{ nodes: [1], weights: [1] }] }, 'Arrival 1 cannot be matched: Bo is absent. Nothing to decide.'],
  [{ capacities: [0, 0] }, 'Arrival 1 cannot be matched: all its 2 neighbours are absent. Nothing to decide.'],
  [{}, 'Arrival 1 comes too late: all its 2 neighbours are absent or used up. Nothing to decide.'],
  [{ takes: 'cost', arrivals: [{ name: 'roof', nodes: [0], weights: [1], costs: [3] }] }, 'Arrival 1 (roof) comes too late: Ana is too short of capacity for it. Nothing to decide.'],
  [{ optimum: { value: 1, choices: [0], gains: [1], costs: [1] } }, 'Arrival 1 comes too late: all its 2 neighbours are absent or used up. p skips; the optimum takes Ana, of which this policy has too little left.'],
]) test(`words: ${text}`, () => withReport(small(change), async (page) => assert.equal(await says(page), text)));

test('100 fixed nodes stay inside the picture, names do not overlap', () => withReport(data, async (page) => {
  await player(page).getByLabel('Episode', { exact: true }).selectOption('2');
  for (const t of [1, 40, 99]) {
    await player(page).getByLabel('Arrival', { exact: true }).fill(String(t + 1));
    assert.equal(await player(page).locator('.graph circle.node').count(), 100);
    const rows = await player(page).locator('.graph .name').evaluateAll((texts) => texts.map((e) => e.getBBox()).map((b) => [b.y, b.y + b.height]));
    rows.slice(1).forEach(([top], i) => assert.ok(top >= rows[i][1] - 1, `rows ${i} and ${i + 1} overlap`));
  }
}));
