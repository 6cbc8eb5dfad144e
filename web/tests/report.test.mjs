// A real report, named by REPORT; SCREENSHOT=FILE.png also takes pictures of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawAllCharts, openFile, overflow } from './browser.mjs';
import { resolve } from 'node:path';

const { REPORT, SCREENSHOT } = process.env;

test('a real report renders every section it has data for', { skip: REPORT ? false : 'REPORT is not set' }, async () => {
  const { page, problems, close } = await openFile(resolve(REPORT), { deviceScaleFactor: SCREENSHOT ? 1.5 : 1 });
  await drawAllCharts(page);
  const data = JSON.parse(await page.locator('#data').textContent());
  assert.notEqual(data, null);
  const has = (key) => (data[key] ?? []).length > 0;
  const expected = [['ratios', has('evaluations')], ['episode', has('episodes')], ['training', has('runs')], ['tuning', has('studies')], ['transfer', has('transfers')],
    ['tables', has('tables')], ['agreement', (data.evaluations ?? []).some((e) => e.policies.some((p) => p.agreement_optimum?.length))]];
  for (const [id, there] of expected) assert.equal(await page.locator(`section#${id}`).count(), there ? 1 : 0, id);
  assert.equal(await overflow(page), 0);
  if (has('episodes')) {
    const steps = data.episodes[0].arrivals.length;
    await page.getByLabel('Arrival', { exact: true }).fill(String(Math.ceil(steps / 3)));
    assert.match(await page.locator('.says').textContent(), new RegExp(`^Arrival ${Math.ceil(steps / 3)} `));
  }
  assert.deepEqual(problems, []);
  if (SCREENSHOT) {
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    await page.setViewportSize({ width: 1280, height: 1180 });
    await page.screenshot({ path: SCREENSHOT });
    if (has('episodes')) {
      await page.addStyleTag({ content: '.bar { position: static !important; } #episode { padding: 24px !important; background: var(--paper); }' });
      await page.evaluate(() => [...document.querySelectorAll('#episode .player button')].at(-1).click());
      await page.evaluate(() => document.activeElement.blur());
      await page.locator('#episode').screenshot({ path: SCREENSHOT.replace(/(\.png)?$/, '-episode.png') });
    }
  }
  await close();
});
