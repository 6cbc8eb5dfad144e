// A study: what it shows, marking ranges, hiding pruned trials, and odd ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawAllCharts, overflow, withReport } from './browser.mjs';
import { empty, study } from './fixture.mjs';

const made = study('night');
const data = empty({ studies: [made] });
const complete = made.trials.filter((t) => t.state === 'complete').sort((a, b) => b.value - a.value);
const pruned = made.trials.filter((t) => t.state === 'pruned');
const cells = (page) => page.locator('#tuning .study > .scroll tbody tr > :first-child').allTextContents();
const history = (page) => page.locator('#tuning .chart').first();
const lines = (page) => page.locator('#tuning .chart').nth(1);
const dots = (page) => history(page).locator('svg path').evaluateAll((all) => all.length);

/** The places of the axes: x from left to right, and their two ends. */
async function axis(page, dim) {
  const chart = lines(page);
  await chart.scrollIntoViewIfNeeded();
  await chart.locator('svg').waitFor();
  const box = await chart.boundingBox();
  return { x: box.x + 44 + (dim * (box.width - 102)) / made.parameters.length, top: box.y + 46, bottom: box.y + box.height - 16 };
}

async function mark(page, dim, from, to) {
  const { x, top, bottom } = await axis(page, dim);
  const at = (share) => bottom + (top - bottom) * share;
  await page.mouse.move(x, at(from));
  await page.mouse.down();
  for (let i = 1; i <= 8; ++i) await page.mouse.move(x, at(from + ((to - from) * i) / 8));
  await page.mouse.up();
}

test('the best trial, its spec and the best ten are shown', () => withReport(data, async (page) => {
  await drawAllCharts(page);
  const best = complete[0];
  const text = await page.locator('#tuning .winner').textContent();
  assert.ok(text.includes(best.value.toFixed(4)) && text.includes(`trial ${best.number}`) && text.includes(best.trainer), text);
  assert.deepEqual(await cells(page), complete.slice(0, 10).map((t) => String(t.number)));
  const facts = await page.locator('#tuning .facts').textContent();
  assert.ok(facts.includes(`60 trials of ff-hist on gmission(u=10,v=30): ${complete.length} complete (20 epochs), ${pruned.length} pruned`), facts);
  const names = await lines(page).locator('text').allTextContents();
  for (const name of ['lr · 71 %', 'decay · 20 %', 'batch', 'baseline · 9 %', 'validation ratio', '0.00001', '0.1', 'rollout']) assert.ok(names.includes(name), `${name} in ${names}`);
}));

test('marking a range on an axis shows the best trials within it, and a click takes it back', () => withReport(data, async (page) => {
  await drawAllCharts(page);
  await mark(page, 0, 0.02, 0.5);
  const says = page.locator('#tuning .study > .note');
  await page.waitForFunction((e) => /marked ranges/.test(e.textContent), await says.elementHandle());
  const numbers = (await cells(page)).map(Number);
  assert.ok(numbers.length > 0);
  for (const n of numbers) assert.ok(made.trials[n].values[0] < 1.2e-3, `lr ${made.trials[n].values[0]} of trial ${n}`);
  assert.ok(!numbers.includes(complete[0].number));
  const { x, top } = await axis(page, 0);
  await page.mouse.click(x, top + 8);
  await page.waitForFunction((e) => !/marked ranges/.test(e.textContent), await says.elementHandle());
  assert.deepEqual(await cells(page), complete.slice(0, 10).map((t) => String(t.number)));
}));

test('pruned trials can be hidden', () => withReport(data, async (page) => {
  await drawAllCharts(page);
  const before = await dots(page);
  const toggle = page.getByRole('button', { name: 'Pruned trials' });
  await toggle.click();
  assert.equal(await toggle.getAttribute('aria-pressed'), 'false');
  assert.equal(await dots(page), before - pruned.length);
  await toggle.click();
  assert.equal(await dots(page), before);
}));

test('hovering a trial tells what it tried', () => withReport(data, async (page) => {
  await drawAllCharts(page);
  const chart = history(page);
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  const tips = new Set();
  for (let i = 0; i <= 60; ++i) {
    const trial = made.trials[i];
    if (trial?.state !== 'pruned') continue;
    // Those below the scale lie on its foot.
    await page.mouse.move(box.x + 52 + ((box.width - 70) * trial.number) / 59, box.y + box.height - 46);
    for (const text of await chart.locator('.tip').allTextContents()) tips.add(text);
  }
  assert.ok([...tips].some((t) => /^trial \d+, stopped after 4 epochs/.test(t) && t.includes('baseline')), [...tips].join());
}));

test('hovering a line tells its trial', () => withReport(data, async (page) => {
  await drawAllCharts(page);
  const { x, top, bottom } = await axis(page, 0);
  const seen = [];
  for (let i = 1; i < 60 && seen.length === 0; ++i) {
    await page.mouse.move(x + 60, top + ((bottom - top) * i) / 60);
    seen.push(...await lines(page).locator('.tip').allTextContents());
  }
  assert.match(seen[0] ?? '', /^trial \d+, /);
}));

for (const width of [1280, 360]) {
  test(`odd studies are shown without an error at ${width} px`, () => withReport(empty({ studies: [
    { ...study('one', { trials: 1 }) },
    { ...study('all failed'), trials: study('x').trials.map((t) => ({ ...t, state: 'failed', value: null, best: null })), best: undefined },
    { ...study('only pruned'), trials: study('x').trials.filter((t) => t.state === 'pruned').map((t) => ({ ...t, best: null })), best: undefined },
    { ...study('equal'), trials: study('x').trials.map((t) => ({ ...t, state: 'complete', value: 0.5, best: 0.5 })) },
    { ...study('one value'), parameters: [{ name: 'lr', low: 0.1, high: 0.1, log: true }], trials: study('x').trials.map((t) => ({ ...t, values: [0.1] })) },
    { ...study('x'.repeat(300)), parameters: Array.from({ length: 14 }, (_, i) => ({ name: `${'long'.repeat(30)}${i}`, low: 0, high: 1 })),
      trials: study('x').trials.map((t) => ({ ...t, values: Array.from({ length: 14 }, (_, i) => (t.number * (i + 1)) % 7 / 7) })) },
    { ...study('no trial'), trials: [] },
  ] }), async (page) => {
    await drawAllCharts(page);
    assert.equal(await page.locator('#tuning .study').count(), 6);
    assert.equal(await page.locator('#tuning .chart').count(), 2 * 5);
    assert.ok((await page.locator('#tuning .study').nth(1).textContent()).includes('No trial has finished yet.'));
    assert.equal(await overflow(page), 0);
  }, { viewport: { width, height: 800 } }));
}
