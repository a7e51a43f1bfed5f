import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launchBrowser, type TestBrowser, whyNoBrowser } from '../../../test/support/browser.ts';
import { assertAccessible, openPage } from '../../../test/support/browser-page.ts';
import { jobLogStyles, logAfter, renderLog } from './index.ts';

/** Every colour and font on the page itself, sections, a long line, and a link. */
const LOG = [
  ...Array.from({ length: 256 }, (_, color) => `\x1b[38;5;${color}mcolour ${color}\x1b[0m`),
  ...['1', '3', '4', '7', '9'].map((code) => `\x1b[${code}mfont ${code}\x1b[0m`),
  ...Array.from({ length: 256 }, (_, color) => `\x1b[48;5;${color}mground ${color}\x1b[0m`),
  'section_start:100:a\r\x1b[0K\x1b[36;1mOpen section\x1b[0m http://a.example/',
  'inside, see https://a.example/',
  'section_start:100:b[collapsed=true]\r\x1b[0KClosed section',
  'hidden',
  'section_end:190:b\r\x1b[0Ksection_end:200:a\r\x1b[0K',
  `2026-01-02 ${'long '.repeat(100)}${'x'.repeat(1_000)}`,
].join('\n');

describe('a log in a browser', { skip: whyNoBrowser() ?? false }, () => {
  let browser: TestBrowser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  const { html, state } = renderLog(Buffer.from(LOG));
  const document = `<!doctype html><html lang="en"><head><title>Log</title><meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}body{margin:0}${jobLogStyles}</style></head><body><main><h1>Log</h1><div class="log">${html}${logAfter(state)}</div></main></body></html>`;

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`can be read by everybody in ${colorScheme} colours, on a phone, too`, async (t) => {
      const tab = await openPage(t, browser, { screen: 'narrow', colorScheme });
      await tab.page.setContent(document);
      await assertAccessible(tab);
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.equal(await tab.page.evaluate(overflow), 0);
      await tab.assertNoProblems();
    });
  }

  test('has sections that open and close without a script', async (t) => {
    const tab = await openPage(t, browser, { javaScript: false });
    await tab.page.setContent(document);
    const isShown = (text: string) => tab.page.getByText(text, { exact: true }).isVisible();
    assert.deepEqual([await isShown('hidden'), await isShown('01:30'), await isShown('01:40')], [false, true, true]);
    await tab.page.getByText('Closed section').click();
    assert.equal(await isShown('hidden'), true);
    await tab.page.getByText('Open section').click();
    assert.equal(await isShown('hidden'), false);
  });
});
