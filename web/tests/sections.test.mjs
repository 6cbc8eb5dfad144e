// Every section shows what the data says, without errors and without the network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawAllCharts, template, withReport } from './browser.mjs';
import { report } from './fixture.mjs';

const data = report();
const texts = (page, selector) => page.locator(selector).allTextContents();

test('the template holds the data marker once, a strict policy, and no address to load from', () => {
  const html = template();
  assert.equal(html.split('<script type="application/json" id="data">null</script>').length, 2);
  assert.match(html, /Content-Security-Policy" content="default-src 'none';/);
  assert.doesNotMatch(html, /<(script|img|link)[^>]*\s(src|href)=["']?http/);
  assert.ok(html.length < 1.2e6, `${html.length} bytes`);
});

test('every section and every chart is drawn', () => withReport(data, async (page) => {
  await drawAllCharts(page);
  assert.deepEqual(await texts(page, 'h2'), ['Optimality ratios', 'One episode, step by step', 'Agreement over time', 'Training',
    'Hyper-parameter search', 'Transfer', 'Tables', 'How this was made']);
  assert.deepEqual(await texts(page, 'nav a'), await texts(page, 'h2'));
  assert.equal(await page.locator('.chart').count(), 1 + 3 + 1 + 3 + 1 + 2 + 1);
  for (const chart of await page.locator('.chart').all()) {
    assert.ok(await chart.locator('svg path').count() > 3, 'a chart without lines');
    assert.ok((await chart.getAttribute('aria-label')).length > 20);
  }
  assert.equal(await page.title(), data.title);
  assert.equal(await page.locator('h1').textContent(), data.title);
}));

test('the headline names the best policy and what it gains over the first', () => withReport(data, async (page) => {
  const { policies } = data.evaluations[0];
  const best = policies.reduce((a, b) => (b.mean > a.mean ? b : a));
  const text = await page.locator('.headline').first().textContent();
  for (const part of [best.name, best.mean.toFixed(3), `+${best.against[0].mean.toFixed(3)}`, `over greedy (${policies[0].mean.toFixed(3)})`]) {
    assert.ok(text.includes(part), `"${part}" in "${text}"`);
  }
}));

test('the transfer map writes every value into its cell, with the reference row', () => withReport(data, async (page) => {
  await drawAllCharts(page);
  const cells = await texts(page, '#transfer .chart text');
  const { mean, reference } = data.transfers[0];
  for (const value of [...mean.flat(), ...reference.mean]) {
    const text = value === null ? '–' : value.toFixed(3);
    assert.ok(cells.includes(text), `${text} in ${cells}`);
  }
  assert.ok(cells.includes('greedy (reference)'));
}));

test('tables are shown as given, with their note', () => withReport(data, async (page) => {
  const table = data.tables[0];
  assert.deepEqual(await texts(page, '#tables thead th'), table.columns);
  assert.deepEqual(await texts(page, '#tables tbody tr > *'), table.rows.flat());
  assert.ok((await page.locator('#tables').textContent()).includes(table.note));
}));

test('how it was made can be unfolded: commands, machine, seeds, inputs', () => withReport(data, async (page) => {
  const command = page.getByText(data.made.commands[0]);
  assert.equal(await command.isVisible(), false);
  await page.locator('#made summary').click();
  assert.equal(await command.isVisible(), true);
  const text = await page.locator('#made').textContent();
  for (const part of ['AMD EPYC 7763 · 2 cores', '24 GiB', '1001 for', 'r.json', 'foresight 0.2.0']) assert.ok(text.includes(part), part);
}));

test('a chart has its data as a table', () => withReport(data, async (page) => {
  await page.locator('#training .alternative summary').click();
  const row = page.locator('#training .alternative tbody tr').first();
  const { columns } = data.runs[0];
  assert.equal(await row.locator('td').first().textContent(), 'gmission-inv-ff-hist');
  assert.equal(await row.locator('td').nth(2).textContent(), String(Number(columns.reward[0].toPrecision(3))));
}));

test('hovering a curve tells the epoch and the values of all runs', () => withReport(data, async (page) => {
  const chart = page.locator('#training .chart');
  await chart.scrollIntoViewIfNeeded();
  await chart.locator('svg').waitFor();
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + 300, box.y + 100);
  const text = await chart.locator('.tip').textContent();
  const epoch = Number(text.match(/^epoch (\d+)/)[1]);
  for (const run of data.runs) {
    assert.ok(text.includes(`${run.name}, reward${Number(run.columns.reward[epoch - 1].toPrecision(3))}`), text);
  }
}));

test('long agreement series are thinned but downloaded in full', () => withReport(data, async (page) => {
  await drawAllCharts(page);
  const commands = await page.locator('#agreement .chart').nth(2).locator('path').evaluateAll((paths) =>
    Math.max(...paths.map((p) => (p.getAttribute('d') ?? '').split(/[LC]/).length)));
  assert.ok(commands > 100 && commands <= 600, `${commands} points drawn of 2500`);
}));
