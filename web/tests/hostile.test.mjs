// Text from the data is text, whatever it says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawAllCharts, overflow, withReport } from './browser.mjs';
import { empty, episode, evaluation, report } from './fixture.mjs';

const HOSTILE = ['<script>window.hacked=1</script>', '"><img src=x onerror="window.hacked=1">', '=cmd()', '__proto__', '</script><b>bold</b>',
  '🦊🚀 emoji', 'constructor', 'x'.repeat(500), '{a|{b}} {value}', "';window.hacked=1;//", 'line\u2028and\u2029ends', '<!--', '&lt;b&gt;'];

/** Names of nodes and arrivals: they may also turn the direction of text, say nothing, or be endless. */
const NAMES = [...HOSTILE, '\u202eoverridden', '\u2069\u202eescaped', 'שלום (1)', '', '   ', 'very long '.repeat(1000), '東京都千代田区丸の内一丁目九番一号', '\u0000\u0007', '\ud800'];

function poisoned() {
  let next = 0;
  const name = () => HOSTILE[next++ % HOSTILE.length];
  const data = report();
  const poison = (value, key) => {
    if (Array.isArray(value)) return value.map((v) => poison(v, key));
    if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, poison(v, k)]));
    return typeof value === 'string' && !['problem', 'format', 'ratios', 'state'].includes(key) ? name() : value;
  };
  const centres = new Map(HOSTILE.map((n, i) => [n, 0.6 + 0.02 * i]));
  const hostileEvaluation = (title) => {
    const made = evaluation(title, Object.fromEntries(HOSTILE.map((_, i) => [`p${i}`, 0.6 + 0.02 * i])), { instances: 50 });
    made.policies.forEach((p, i) => { p.name = [...centres.keys()][i]; p.detail = HOSTILE[(i + 1) % HOSTILE.length]; });
    return made;
  };
  const hostileEpisode = episode('plain', { fixed: HOSTILE.length });
  hostileEpisode.fixed_names = HOSTILE;
  hostileEpisode.plays.forEach((p, i) => { p.policy = HOSTILE[i]; });
  return { ...poison(data), format: 'foresight-report', version: 1, title: HOSTILE[0],
    evaluations: [hostileEvaluation(HOSTILE[1]), hostileEvaluation(HOSTILE[4])],
    episodes: [{ ...hostileEpisode, name: HOSTILE[0] }, ...poison(data.episodes)] };
}

const data = poisoned();
const injected = (page) => page.evaluate(() => ({ hacked: window.hacked, polluted: ({}).polluted, images: document.images.length,
  scripts: document.scripts.length, bold: [...document.querySelectorAll('b')].filter((b) => b.textContent === 'bold').length }));
const CLEAN = { hacked: undefined, polluted: undefined, images: 0, scripts: 2, bold: 0 };

for (const width of [1280, 360]) {
  test(`hostile names inject nothing and break nothing at ${width} px`, () => withReport(data, async (page) => {
    await drawAllCharts(page);
    assert.equal(await page.locator('section').count(), 8);
    assert.deepEqual(await injected(page), CLEAN);
    assert.equal(await overflow(page), 0);
    assert.equal(await page.locator('h1').textContent(), HOSTILE[0]);
    assert.deepEqual(await page.locator('#ratios > article').nth(1).locator('tbody .tag').allTextContents(), HOSTILE);
    assert.deepEqual(await page.locator('.bar .chip').allTextContents(), HOSTILE);
    assert.ok(await page.locator('#ratios .chart text').getByText('__proto__', { exact: true }).count() >= 2);
  }, { viewport: { width, height: 800 } }));
}

test('hostile names in tooltips, views, comparison and the player stay text', () => withReport(data, async (page) => {
  await drawAllCharts(page);
  for (const chart of await page.locator('.chart').all()) {
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    for (const y of [0.12, 0.3, 0.5]) await page.mouse.move(box.x + 0.62 * box.width, box.y + y * box.height);
  }
  const tips = await page.locator('.tip').allTextContents();
  assert.ok(tips.length >= 3 && tips.some((t) => HOSTILE.some((name) => t.includes(name))), `${tips.length} tooltips`);
  for (const view of ['Histograms', 'Per instance']) await page.getByText(view, { exact: true }).click();
  for (const name of ['1', '3', '7']) await page.getByLabel('Compare with').selectOption(name);
  for (const chip of (await page.locator('.bar .chip').all()).slice(0, 4)) await chip.click();
  for (let step = 0; step < 12; ++step) await page.getByLabel('Next arrival').click();
  assert.deepEqual(await injected(page), CLEAN);
}));

test('the same name has the same colour everywhere, and hostile names differ', () => withReport(data, async (page) => {
  const colour = (selector) => page.locator(selector).evaluateAll((all) => Object.fromEntries(
    all.map((e) => [e.textContent, e.querySelector('.swatch').getAttribute('style')])));
  const chips = await colour('.bar .chip');
  const tags = await colour('#ratios tbody .tag');
  assert.equal(Object.keys(tags).length, Object.keys(chips).length);
  for (const [name, style] of Object.entries(tags)) assert.equal(style, chips[name]);
  assert.notEqual(chips['=cmd()'], chips.constructor);
}));

function hostileMarket(fixed, takes) {
  const market = episode('plain', { fixed, arrivals: NAMES.length, degree: 6, takes });
  market.fixed_names = Array.from({ length: fixed }, (_, i) => NAMES[i % NAMES.length]);
  market.arrivals.forEach((arrival, t) => { arrival.name = NAMES[t]; });
  return market;
}

/** What the player says at every step, and how far its texts reach beyond the picture. */
const walk = (page) => page.evaluate(() => {
  const slider = document.querySelector('#episode input[type=range]');
  return Array.from({ length: Number(slider.max) }, (_, t) => {
    slider.value = String(t + 1);
    slider.dispatchEvent(new Event('input'));
    const svg = document.querySelector('.graph');
    const boxes = [...svg.querySelectorAll('text')].map((e) => e.getBBox());
    return { says: document.querySelector('.says').textContent, beyond: Math.max(...boxes.map((b) => Math.max(-b.x, b.x + b.width - svg.clientWidth))) };
  });
});

for (const [fixed, takes] of [[NAMES.length, undefined], [NAMES.length, 'cost'], [60, 'one']]) {
  for (const width of [1280, 700, 360]) {
    test(`names of ${fixed} nodes (${takes ?? 'once'}) and of arrivals stay text in their places at ${width} px`, () => withReport(
      empty({ episodes: [hostileMarket(fixed, takes)] }), async (page) => {
        for (const policy of ['0', '1']) {
          await page.getByLabel('Policy', { exact: true }).selectOption(policy);
          const steps = await walk(page);
          assert.equal(steps.length, NAMES.length);
          steps.forEach(({ says, beyond }, t) => {
            assert.ok(says.length < 500, `${says.length} characters`);
            assert.doesNotMatch(says, /[\u202a-\u202e]| \(\s*\)|undefined/);
            assert.ok(beyond < 1, `${beyond} pixels beyond the picture at arrival ${t + 1}`);
          });
          for (const name of ['=cmd()', '__proto__', '<!--', '\u2068שלום (1)\u2069']) {
            const t = NAMES.indexOf(name.replace(/[\u2068\u2069]/g, ''));
            assert.ok(steps[t].says.startsWith(`Arrival ${t + 1} (${name}) `), steps[t].says);
          }
          assert.ok(steps[NAMES.indexOf('')].says.startsWith(`Arrival ${NAMES.indexOf('') + 1} c`));
          assert.equal(await overflow(page), 0);
        }
        assert.deepEqual(await injected(page), CLEAN);
      }, { viewport: { width, height: 800 } }));
  }
}

test('a long name is shortened in the sentence, and its tip has all of it', () => {
  const market = hostileMarket(4);
  market.arrivals[0] = { name: 'very long '.repeat(1000), nodes: [0], weights: [1] };
  return withReport(empty({ episodes: [market] }), async (page) => {
    const name = page.locator('.says .named').first();
    assert.match(await name.textContent(), /^very long very long …/);
    assert.equal(await name.getAttribute('title'), market.arrivals[0].name.trim());
  });
});
