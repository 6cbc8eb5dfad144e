// Opens reports in a real browser, from file://, and collects whatever goes wrong.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const FOLDER = process.env.PAGE_FOLDER;
const MARKER = '<script type="application/json" id="data">null</script>';
const PATIENCE = 240_000;  // milliseconds: a busy machine is no failure
let browser;
let files = 0;

before(async () => {
  if (!FOLDER) throw new Error('run the tests with `npm test`: it builds the page first');
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, timeout: PATIENCE, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
});
after(async () => { await browser?.close(); });

export const template = () => readFileSync(join(FOLDER, 'page.html'), 'utf8');

/** The page with the data in it, escaped as the program does. */
export function fill(data) {
  const json = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return template().replace(MARKER, () => MARKER.replace('null', () => json));
}

export async function openFile(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const problems = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => problems.push(`page: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file:|data:|blob:)/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(path).href);
  return { page, problems, close: () => context.close() };
}

export function write(data) {
  const path = join(FOLDER, `report-${process.pid}-${files++}.html`);
  writeFileSync(path, fill(data));
  return path;
}

/** Opens `data`, runs `body`, and fails if the page reported any error, warning or request. */
export async function withReport(data, body, options) {
  const { page, problems, close } = await openFile(write(data), options);
  try {
    await body(page);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
}

/** Scrolls through the page, so that every chart is drawn. */
export async function drawAllCharts(page) {
  for (const chart of await page.locator('.chart:not(.empty)').all()) {
    await chart.scrollIntoViewIfNeeded();
    await chart.locator('svg').first().waitFor();
  }
}

export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

export async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}
