// Bundles the report page into one HTML file that loads nothing else: node build.mjs OUT.html
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const out = process.argv[2];
if (process.argv.length !== 3 || !out) {
  console.error('usage: node build.mjs OUT.html');
  process.exit(2);
}

const src = join(dirname(fileURLToPath(import.meta.url)), 'src');

async function bundle(entry) {
  const { outputFiles, warnings } = await build({
    entryPoints: [join(src, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2022'],
    legalComments: 'eof',
    logLevel: 'warning',
  });
  if (warnings.length > 0) process.exit(1);
  return outputFiles[0].text.trim();
}

const [page, script, style] = await Promise.all([
  readFile(join(src, 'page.html'), 'utf8'),
  bundle('main.ts'),
  bundle('style.css'),
]);
const html = page.replace('/*style*/', () => style).replace('/*script*/', () => script);

const marker = '<script type="application/json" id="data">null</script>';
if (html.split(marker).length !== 2) throw new Error(`page.html must contain ${marker} exactly once`);

await mkdir(dirname(out), { recursive: true });
await writeFile(out, html);
console.log(`${out}: ${(html.length / 1024).toFixed(0)} KiB`);
