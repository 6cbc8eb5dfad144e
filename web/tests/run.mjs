// Builds the page into a temporary folder and runs every test file on it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tests = dirname(fileURLToPath(import.meta.url));
const chromium = process.env.CHROMIUM || '/usr/bin/chromium';
if (!existsSync(chromium)) {
  console.error(`FAILED: no Chromium at ${chromium}. Install it (apt-get install chromium), or name it in the variable CHROMIUM.`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'foresight-report-'));
const node = (...args) => spawnSync(process.execPath, args,
  { stdio: 'inherit', env: { ...process.env, CHROMIUM: chromium, PAGE_FOLDER: folder } }).status ?? 1;
try {
  const files = readdirSync(tests).filter((name) => name.endsWith('.test.mjs')).map((name) => join(tests, name));
  process.exitCode = node(join(tests, '..', 'build.mjs'), join(folder, 'page.html'))
    || node('--test', '--test-reporter=spec', ...files);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
