// Ratios: hover, hide, sort, compare, change the view.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withReport } from './browser.mjs';
import { report } from './fixture.mjs';

const data = report();
const { policies } = data.evaluations[0];
const names = policies.map((p) => p.name);
const block = (page) => page.locator('#ratios > article').nth(1);
const shownNames = (page) => block(page).locator('tbody .tag').allTextContents();
const signed = (x) => (x > 0 ? '+' : '−') + Math.abs(x).toFixed(4);

async function chartOf(page) {
  const chart = block(page).locator('.chart');
  await chart.scrollIntoViewIfNeeded();
  await chart.locator('svg').waitFor();
  return chart;
}

/** Where a ratio of a policy is on the screen, by the labels of the axes. */
async function place(page, name, ratio) {
  await block(page).evaluate((e) => e.scrollIntoView({ block: 'center', behavior: 'instant' }));
  const centre = async (text) => {
    const box = await block(page).locator('.chart text').getByText(text, { exact: true }).first().boundingBox();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const [a, b, row] = [await centre('0.7'), await centre('0.9'), await centre(name)];
  return { x: a.x + ((ratio - 0.7) / 0.2) * (b.x - a.x), y: row.y };
}

test('hovering the box at its mean shows the statistics', () => withReport(data, async (page) => {
  const chart = await chartOf(page);
  for (const policy of [policies[0], policies[3]]) {
    const { x, y } = await place(page, policy.name, policy.mean);
    await page.mouse.move(x, y);
    const text = await chart.locator('.tip').textContent();
    assert.ok(text.startsWith(policy.name), text);
    for (const value of [policy.mean, policy.ci95, policy.median, policy.q1, policy.min]) assert.ok(text.includes(value.toFixed(4)), text);
  }
}));

test('hiding a policy removes it from charts and tables, showing brings it back', () => withReport(data, async (page) => {
  const chart = await chartOf(page);
  const labels = () => chart.locator('text').allTextContents();
  assert.ok((await labels()).includes('random'));
  const chip = page.locator('.bar .chip', { hasText: 'random' });
  await chip.click();
  assert.equal(await chip.getAttribute('aria-pressed'), 'false');
  assert.ok(!(await labels()).includes('random'));
  assert.deepEqual(await shownNames(page), names.filter((n) => n !== 'random'));
  await chip.click();
  assert.ok((await labels()).includes('random'));
  assert.deepEqual(await shownNames(page), names);
}));

test('with every policy hidden there is a note instead of an empty chart', () => withReport(data, async (page) => {
  await chartOf(page);
  for (const chip of await page.locator('.bar .chip').all()) await chip.click();
  assert.equal(await block(page).locator('.chart').isVisible(), false);
  assert.match(await block(page).locator('figure').innerText(), /everything here is hidden/);
  await page.locator('.bar .chip', { hasText: 'random' }).click();
  const labels = await block(page).locator('.chart text').allTextContents();
  assert.ok(labels.includes('random') && !labels.includes('greedy'));
  assert.doesNotMatch(await block(page).locator('figure').innerText(), /hidden/);
}));

test('sorting by a column orders the rows both ways', () => withReport(data, async (page) => {
  const header = block(page).locator('thead button', { hasText: 'Mean' });
  const order = (key, sign) => [...policies].sort((a, b) => sign * (a[key] - b[key])).map((p) => p.name);
  await header.click();
  assert.deepEqual(await shownNames(page), order('mean', -1));
  assert.equal(await block(page).locator('th[aria-sort]').getAttribute('aria-sort'), 'descending');
  await header.click();
  assert.deepEqual(await shownNames(page), order('mean', 1));
  await block(page).locator('thead button', { hasText: 'Policy' }).press('Enter');
  assert.deepEqual(await shownNames(page), [...names].sort((a, b) => a.localeCompare(b)));
  await block(page).locator('thead button', { hasText: 'Std' }).click();
  assert.deepEqual(await shownNames(page), order('std', -1));
}));

test('the table shows the numbers of the data', () => withReport(data, async (page) => {
  const cells = await block(page).locator('tbody tr').nth(3).locator('td').allTextContents();
  const p = policies[3];
  assert.equal(cells[0], p.mean.toFixed(4));
  assert.equal(cells[1], p.ci95.toFixed(4));
  assert.equal(cells[5], String(p.against[0].wins));
  assert.equal(cells[7], p.std.toFixed(4));
  assert.equal(cells[8], p.min.toFixed(4));
  assert.equal(cells[9], p.median.toFixed(4));
}));

test('compare with another policy changes the differences and their signs', () => withReport(data, async (page) => {
  const differences = () => block(page).locator('tbody tr td:nth-child(4)').allTextContents();
  const expected = (j) => policies.map((p, i) => {
    if (i === j) return 'compared';
    const { mean, low, high } = p.against[j];
    return `${low > 0 ? '▲' : high < 0 ? '▼' : '≈'} ${signed(mean)}`;
  });
  assert.deepEqual(await differences(), expected(0));
  await page.getByLabel('Compare with').selectOption({ label: 'ff-hist' });
  assert.deepEqual(await differences(), expected(3));
  assert.ok((await differences())[0].startsWith('▼'));
  // The last evaluation has no ff-hist: there the first policy stays the compared one.
  const last = page.locator('#ratios > article').last();
  assert.equal(await last.locator('tbody tr td:nth-child(4)').first().textContent(), 'compared');
  assert.match(await last.locator('tbody tr td:nth-child(4)').nth(1).textContent(), /^≈/);
}));

test('histograms: as many bars as filled bins, and hovering one tells its count', () => withReport(data, async (page) => {
  const chart = await chartOf(page);
  await page.getByText('Histograms', { exact: true }).click();
  const filled = policies.flatMap((p) => p.histogram.counts).filter((n) => n > 0).length;
  const fills = await chart.locator('path[fill]').evaluateAll((paths) => paths.map((p) => p.getAttribute('fill')));
  const bars = fills.filter((fill) => fill !== 'none' && fill !== 'transparent').length;
  assert.ok(bars >= filled && bars <= filled + 2, `${bars} bars, ${filled} bins`);
  const { counts, low, high } = policies[0].histogram;
  const top = counts.indexOf(Math.max(...counts));
  const { x, y } = await place(page, 'greedy', low + ((top + 0.5) * (high - low)) / counts.length);
  await page.mouse.move(x, y);
  assert.ok((await chart.locator('.tip').textContent()).includes(`${counts[top]} instances`));
}));

test('per instance: one point per instance and policy', () => withReport(data, async (page) => {
  const chart = await chartOf(page);
  await page.getByText('Per instance', { exact: true }).click();
  const points = () => chart.locator('path[fill]').count();
  const all = await points();
  assert.ok(all >= 4 * 400, `${all} points`);
  await page.locator('.bar .chip', { hasText: 'random' }).click();
  assert.ok(await points() <= all - 400);
}));

test('the theme button turns the colours of page and charts', () => withReport(data, async (page) => {
  const chart = await chartOf(page);
  const ink = () => chart.locator('text').getByText('greedy', { exact: true }).getAttribute('fill');
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = [await ink(), await paper()];
  await page.getByLabel('Use dark colours').click();
  const dark = [await ink(), await paper()];
  assert.notEqual(dark[0], before[0]);
  assert.notEqual(dark[1], before[1]);
  await page.getByLabel('Use light colours').click();
  assert.deepEqual([await ink(), await paper()], before);
}));

test('a search shows its advice above the chart and its notes below the table', () => {
  const search = report();
  search.evaluations[0].remarks = ['Use value: it earns 0.9 of the optimum.', 'Note: <b>few</b> instances'];
  return withReport(search, async (page) => {
    const card = page.locator('#ratios > article').nth(1);
    assert.equal(await card.locator('.advice').textContent(), search.evaluations[0].remarks[0]);
    assert.equal(await card.locator('> .note').textContent(), search.evaluations[0].remarks[1]);
  });
});
