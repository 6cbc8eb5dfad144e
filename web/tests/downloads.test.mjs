// What the download buttons give.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { download, withReport } from './browser.mjs';
import { empty, evaluation, report } from './fixture.mjs';

const data = report();

/** RFC 4180 */
export function parseCsv(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, text.split('\r\n').length - 1);
}

const buttons = (page, section) => page.locator(`${section} figure`).first().locator('.downloads button');

for (const section of ['#ratios', '#episode', '#agreement', '#training', '#tuning', '#transfer']) {
  test(`${section}: SVG and PNG are pictures with content`, () => withReport(data, async (page) => {
    await page.locator(`${section} figure`).first().scrollIntoViewIfNeeded();
    await page.locator(`${section} figure svg path`).first().waitFor({ state: 'attached' });
    const svg = await download(page, buttons(page, section).nth(0));
    assert.match(svg.name, /^[a-z0-9-]+\.svg$/);
    const checked = await page.evaluate((text) => {
      const doc = new DOMParser().parseFromString(text, 'image/svg+xml');
      return { root: doc.documentElement.nodeName, error: doc.querySelector('parsererror')?.textContent,
        paths: doc.querySelectorAll('path').length, texts: [...doc.querySelectorAll('text')].map((t) => t.textContent) };
    }, svg.bytes.toString('utf8'));
    assert.equal(checked.error, undefined);
    assert.equal(checked.root, 'svg');
    assert.ok(checked.paths > 3 && checked.texts.length > 3);
    assert.doesNotMatch(svg.bytes.toString('utf8'), /var\(--/);

    const png = await download(page, buttons(page, section).nth(1));
    assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
    const size = [png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)];
    assert.ok(size[0] > 1500 && size[1] > 200, `${size}`);
    const colours = await page.evaluate(async (base64) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size;
    }, png.bytes.toString('base64'));
    assert.ok(colours > 20, `${colours} colours`);
  }));
}

test('CSV of the ratios in each view holds the numbers of the data', () => withReport(data, async (page) => {
  const { policies, instances } = data.evaluations[0];
  const csv = page.locator('#ratios > article').nth(1).locator('.downloads button').nth(2);
  const read = async () => parseCsv((await download(page, csv)).bytes.toString('utf8'));
  const boxes = await read();
  assert.deepEqual(boxes[0].slice(0, 3), ['policy', 'mean', 'ci95']);
  assert.deepEqual(boxes.slice(1).map((row) => [row[0], Number(row[1])]), policies.map((p) => [p.name, p.mean]));
  await page.getByText('Histograms', { exact: true }).click();
  const bins = await read();
  assert.deepEqual(bins.slice(1).map((row) => Number(row[2])), policies[0].histogram.counts);
  await page.getByText('Per instance', { exact: true }).click();
  const each = await read();
  assert.equal(each.length, 1 + instances);
  const mean = each.slice(1).reduce((total, row) => total + Number(row[4]), 0) / instances;
  assert.ok(Math.abs(mean - policies[3].mean) < 1e-6);
}));

test('CSV of agreement and episode hold every step', () => withReport(data, async (page) => {
  const agreement = page.locator('#agreement figure').nth(2).locator('.downloads button').nth(2);
  const steps = parseCsv((await download(page, agreement)).bytes.toString('utf8'));
  assert.equal(steps.length, 1 + 2500);
  assert.equal(Number(steps[2500][1]), data.evaluations[2].policies[0].agreement_optimum[2499]);
  const rows = parseCsv((await download(page, buttons(page, '#episode').nth(2))).bytes.toString('utf8'));
  assert.equal(rows.length, 1 + 30);
  assert.ok(Math.abs(Number(rows[30][6]) - data.episodes[0].plays[0].value) < 1e-9);
}));

test('CSV: formulas are defused; quotes, commas and line ends survive', async () => {
  const names = ['=cmd()', '+1', '-1', '@x', 'a,"b"\nc', 'plain'];
  const centres = Object.fromEntries(names.map((n, i) => [n, 0.7 + i / 100]));
  await withReport(empty({ evaluations: [evaluation('e', centres, { instances: 20 })] }), async (page) => {
    const { bytes } = await download(page, buttons(page, '#ratios').nth(2));
    assert.deepEqual(parseCsv(bytes.toString('utf8')).slice(1).map((row) => row[0]), ["'=cmd()", "'+1", "'-1", "'@x", 'a,"b"\nc', 'plain']);
  });
});
