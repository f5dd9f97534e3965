// Opens pages in Chromium: node pages.mjs PICTURES PAGE..., where BROWSER_DIR holds playwright-core, @sparticuz/chromium and axe-core.
// Fails if a page is wider than the screen, logs an error or has a fault that axe-core finds. With PICTURES it writes the
// pictures of the documentation there instead; it may be empty.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = path.resolve(process.env.BROWSER_DIR);
const require = createRequire(path.join(folder, 'package.json'));
const { chromium } = require('playwright-core');
const packed = (await import(pathToFileURL(require.resolve('@sparticuz/chromium')).href)).default;
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const [pictures, ...files] = process.argv.slice(2);

// What the documentation shows: of each page the first screen, and one on a phone in the dark.
const shown = [[1280, 'light'], [390, 'dark']];
const faults = [];
// One process for each part of the browser: all in one ends with its first page.
const args = packed.args.filter(arg => !/single-process|zygote/.test(arg));
const browser = await chromium.launch({ executablePath: await packed.executablePath(), args, headless: true });
for (const file of files) {
  const name = path.basename(file, '.html');
  for (const width of [390, 1280, 1920]) for (const colorScheme of ['light', 'dark']) {
    const isShown = shown.some(([of, scheme]) => of === width ? scheme === colorScheme : false);
    if (pictures && !(isShown && (width === 1280 || name === 'scan'))) continue;
    const where = `${name} at ${width} pixels, ${colorScheme}`;
    // The policy of a page forbids scripts that are not its own, as axe-core is.
    const context = await browser.newContext({ viewport: { width, height: width === 390 ? 844 : 900 }, colorScheme, bypassCSP: true });
    const page = await context.newPage();
    page.on('pageerror', error => faults.push(`${where}: ${error.message}`));
    page.on('request', request => { if (!request.url().startsWith('file:')) faults.push(`${where}: it loads ${request.url()}`); });
    await page.goto(pathToFileURL(path.resolve(file)).href);
    if (pictures) {
      // The first screen is enough: a picture of everything is large.
      const clip = { x: 0, y: 0, width, height: width === 390 ? 844 : 700 };
      await page.screenshot({ path: path.join(pictures, width === 390 ? `${name}-phone.png` : `${name}.png`), clip });
      await context.close();
      continue;
    }
    for (const state of ['as it opens', 'all unfolded']) {
      if (state === 'all unfolded') {
        await page.evaluate(() => document.querySelectorAll('details').forEach(details => { details.open = true; }));
      }
      const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      if (wide > screen) faults.push(`${where}, ${state}: it is ${wide} pixels wide`);
    }
    // A browser lays out cards beyond the screen late, while axe-core looks: it would see one text over another.
    await page.addStyleTag({ content: '.card { content-visibility: visible !important; }' });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
    for (const { id, help, nodes } of violations) {
      faults.push(`${where}: ${id} (${help}), ${nodes.length} times, first ${nodes[0].html.slice(0, 160)}: ${nodes[0].failureSummary}`);
    }
    await context.close();
  }
  console.log(`${name}: ${pictures ? 'drawn' : 'looked at'}`);
}
await browser.close();
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
