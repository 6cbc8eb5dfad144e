// Widths, themes, keyboard, paper.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawAllCharts, overflow, withReport } from './browser.mjs';
import { report } from './fixture.mjs';

const data = report();

for (const width of [360, 768, 1280]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`${width} px, ${colorScheme}: nothing is wider than the page`, () => withReport(data, async (page) => {
      await drawAllCharts(page);
      assert.equal(await overflow(page), 0);
      for (const card of await page.locator('.card').all()) {
        const { inner, outer } = await card.evaluate((e) => ({ inner: e.scrollWidth, outer: e.clientWidth }));
        assert.ok(inner <= outer, `${inner} in ${outer}`);
      }
      await page.locator('#episode select').first().selectOption('2');
      assert.equal(await overflow(page), 0);
    }, { viewport: { width, height: 800 }, colorScheme }));
  }
}

test('charts follow the width of the window', () => withReport(data, async (page) => {
  await drawAllCharts(page);
  await page.setViewportSize({ width: 500, height: 800 });
  assert.equal(await overflow(page), 0);
  for (const chart of await page.locator('.chart, .stage').all()) {
    await chart.scrollIntoViewIfNeeded();
    await page.waitForFunction((e) => e.querySelector('svg').clientWidth <= e.clientWidth, await chart.elementHandle());
  }
}));

test('text has AA contrast in both themes', () => withReport(data, async (page) => {
  const contrasts = () => page.evaluate(() => {
    const luminance = (colour) => {
      const canvas = document.createElement('canvas').getContext('2d');
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255)
        .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
    };
    const css = getComputedStyle(document.documentElement);
    const of = (a, b) => {
      const [x, y] = [a, b].map((name) => luminance(css.getPropertyValue(`--${name}`))).sort((p, q) => q - p);
      return (x + 0.05) / (y + 0.05);
    };
    const text = ['ink', 'muted', 'accent', 'better', 'worse'].flatMap((c) => [[c, 'card'], [c, 'paper']]).map((pair) => [...pair, of(...pair), 4.5]);
    const marks = Array.from({ length: 8 }, (_, i) => [`p${i}`, 'card', of(`p${i}`, 'card'), 3]);
    return [...text, ...marks].filter(([, , value, least]) => !(value >= least));
  });
  assert.deepEqual(await contrasts(), []);
  await page.getByLabel('Use dark colours').click();
  assert.deepEqual(await contrasts(), []);
}));

test('every control has a name, and the keyboard reaches it', () => withReport(data, async (page) => {
  const unnamed = await page.locator('button, select, input, a').evaluateAll((all) => all.filter((e) =>
    !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim())).map((e) => e.outerHTML));
  assert.deepEqual(unnamed, []);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the results');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Optimality ratios');
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, 'solid');
}));

test('headings go down one level at a time, landmarks are there', () => withReport(data, async (page) => {
  const levels = await page.locator('h1, h2, h3').evaluateAll((all) => all.map((e) => Number(e.tagName[1])));
  assert.equal(levels.filter((l) => l === 1).length, 1);
  for (const mark of ['header', 'nav', 'main', 'footer']) assert.equal(await page.locator(mark).count(), 1);
}));

test('prints with every chart, within the paper', () => withReport(data, async (page) => {
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.locator('.chart').count(), await page.locator('.chart:has(svg)').count());
  const widest = await page.locator('.chart svg, .graph').evaluateAll((all) => Math.max(...all.map((e) => e.clientWidth)));
  assert.ok(widest <= 680, `${widest}`);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.equal(await page.evaluate(() => document.documentElement.className), '');
  assert.ok((await page.pdf()).length > 50_000);
}));
