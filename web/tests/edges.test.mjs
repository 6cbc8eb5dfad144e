// Nothing, little, much, and holes in the data.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { drawAllCharts, openFile, withReport, write } from './browser.mjs';
import { empty, episode, evaluation, report, run } from './fixture.mjs';

const sections = (page) => page.locator('section').evaluateAll((all) => all.map((e) => e.id));

test('without data there is a friendly text', () => withReport(null, async (page) => {
  assert.match(await page.locator('main').textContent(), /No data.*foresight report fills it/);
  assert.equal(await page.locator('section').count(), 0);
}));

test('data of another kind or version is named, not guessed at', async () => {
  await withReport({ hello: 1 }, async (page) => assert.match(await page.locator('main').textContent(), /not a Foresight report/));
  await withReport({ format: 'foresight-report', version: 2 }, async (page) => assert.match(await page.locator('main').textContent(), /has version 2/));
});

test('an empty report has a title and no section', () => withReport(empty(), async (page) => {
  assert.deepEqual(await sections(page), []);
  assert.match(await page.locator('main').textContent(), /no results/);
}));

test('lists may be absent', () => withReport({ format: 'foresight-report', version: 1, title: 'x' }, async (page) => {
  assert.equal(await page.locator('h1').textContent(), 'x');
}));

test('only runs', () => withReport(empty({ runs: [run('one')] }), async (page) => {
  await drawAllCharts(page);
  assert.deepEqual(await sections(page), ['training']);
  assert.equal(await page.locator('.chip').count(), 0);
  assert.equal(await page.locator('#training tbody th').first().locator('.tag').textContent(), 'one');
}));

test('only episodes', () => withReport(empty({ episodes: [episode('e')] }), async (page) => {
  await drawAllCharts(page);
  assert.deepEqual(await sections(page), ['episode']);
  assert.match(await page.locator('.says').textContent(), /^Arrival 1 /);
}));

test('a run with few columns and holes shows just these', () => withReport(
  empty({ runs: [{ name: 'r', columns: { epoch: [1, 2, 3], ratio: [null, 0.5, null], loss: [null, null, null] } }] }), async (page) => {
    await drawAllCharts(page);
    const texts = await page.locator('#training .chart text').allTextContents();
    assert.ok(texts.includes('optimality ratio') && !texts.includes('loss') && !texts.includes('reward'));
    assert.ok((await page.locator('#training tbody').textContent()).includes('–'));
  }));

test('undefined numbers are dashes, everywhere', () => {
  const data = report();
  const holes = (value) => {
    if (Array.isArray(value)) return value.map(holes);
    if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, holes(v)]));
    return typeof value === 'number' ? null : value;
  };
  const evaluations = data.evaluations.map((e) => ({ ...e, policies: e.policies.map((p) => ({ ...holes(p), histogram: null, outliers: [], ratios: undefined, against: [null, null] })) }));
  return withReport({ ...data, evaluations, transfers: holes(data.transfers), made: { machine: null } }, async (page) => {
    await drawAllCharts(page);
    assert.equal(await page.locator('.headline .big').first().textContent(), '–');
    const text = await page.locator('main').innerText();
    assert.doesNotMatch(text, /NaN|undefined|null|Infinity/);
    await page.getByText('Histograms', { exact: true }).click();
    assert.deepEqual((await page.locator('#ratios tbody').first().locator('tr').first().locator('td').allTextContents()).slice(0, 2), ['–', '–']);
  });
});

test('a policy with one instance, an episode with one arrival', () => withReport(empty({
  evaluations: [evaluation('one', { a: 0.9, b: 0.8 }, { instances: 2, steps: 1 })],
  episodes: [{ ...episode('tiny', { fixed: 1, arrivals: 1 }), arrivals: [{ nodes: [0], weights: [1] }],
    optimum: { value: 1, choices: [0], gains: [1] }, plays: [{ policy: 'a', choices: [0], gains: [1], value: 1 }] }],
}), async (page) => {
  await drawAllCharts(page);
  assert.equal(await page.locator('.says').textContent(), 'Arrival 1 could go to worker 2 (1). a takes worker 2, and so does the optimum.');
  assert.equal(await page.getByLabel('Next arrival').isDisabled(), true);
}));

test('50,000 instances of 6 policies: below 5 MB, few elements, and it answers', async () => {
  const centres = { greedy: 0.7, 'greedy-t': 0.75, random: 0.68, ff: 0.8, 'ff-hist': 0.85, 'inv-ff-hist': 0.88 };
  const path = write(empty({ evaluations: [evaluation('large', centres, { instances: 50_000 })] }));
  assert.ok(statSync(path).size < 5e6, `${statSync(path).size} bytes`);
  const { page, problems, close } = await openFile(path);
  await drawAllCharts(page);
  await page.getByText('Per instance', { exact: true }).click();
  await page.locator('.bar .chip').nth(2).click();
  assert.equal(await page.locator('#ratios tbody tr').count(), 5);
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  assert.ok(elements > 1000 && elements < 10_000, `${elements} elements`);
  assert.deepEqual(problems, []);
  await close();
});

test('100,000 time steps are drawn as some hundred points', () => withReport(
  empty({ evaluations: [evaluation('long', { greedy: 0.7, ff: 0.8 }, { instances: 10, steps: 100_000 })] }), async (page) => {
    await drawAllCharts(page);
    const longest = await page.locator('#agreement path').evaluateAll((paths) => Math.max(...paths.map((p) => p.getAttribute('d').length)));
    assert.ok(longest > 2000 && longest < 20_000, `${longest} characters`);
  }));
