import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { launchBrowser, type TestBrowser, whyNoBrowser } from '../../../test/support/browser.ts';
import { assertAccessible, openPage } from '../../../test/support/browser-page.ts';
import { highlightCode, highlightStyles } from './index.ts';

const CODE: readonly (readonly [language: string, text: string])[] = [
  ['ts', readFileSync(new URL('line-writer.ts', import.meta.url), 'utf8')],
  ['html', '<!doctype html>\n<p class="a">&amp;</p><style>a:hover, #b[c] { color: red }</style>'],
  ['diff', '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n'],
  ['markdown', '# Title\n\n- *one* **two** [three](https://a.example/) `four`\n\n> quote\n'],
  ['bash', 'for a in "$@"; do echo "${a%/}" > /dev/null; done # note'],
  ['django', '{% if a %}{{ b|c }}{% endif %}'],
];

describe('highlighted code in a browser', { skip: whyNoBrowser() ?? false }, () => {
  let browser: TestBrowser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`can be read by everybody in ${colorScheme} colours`, async (t) => {
      const blocks = await Promise.all(CODE.map(([language, text]) => highlightCode(text, language)));
      const style = `:root{color-scheme:light dark}pre{background:light-dark(#f6f8fa,#161b22);white-space:pre-wrap}${highlightStyles}`;
      const tab = await openPage(t, browser, { colorScheme });
      await tab.page.setContent(
        `<!doctype html><html lang="en"><head><title>Code</title><style>${style}</style></head><body><main><h1>Code</h1>${blocks.map((html) => `<pre>${html}</pre>`).join('')}</main></body></html>`,
      );
      await assertAccessible(tab);
      await tab.assertNoProblems();
    });
  }
});
