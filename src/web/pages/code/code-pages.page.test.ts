import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../../test/support/app.ts';
import { launchBrowser, type TestBrowser, whyNoBrowser } from '../../../../test/support/browser.ts';
import { assertAccessible, openPage } from '../../../../test/support/browser-page.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { WebUser } from '../../../../test/support/web-user.ts';

const LONG = 'x'.repeat(300);

describe('pages of code in a browser', { skip: whyNoBrowser() ?? false }, () => {
  let app: TestApp;
  let browser: TestBrowser;
  before(async () => {
    [app, browser] = await Promise.all([buildTestApp(), launchBrowser()]);
  });
  after(async () => {
    await Promise.all([app.close(), browser.close()]);
  });

  test('everybody can read them, on a phone, too', async (t) => {
    const url = await app.listen();
    const project = await app.make.project();
    const base = `/${project.full_path}`;
    const { id } = await commitFiles(app, project.id, {
      'README.md': `Welcome to [the guide](docs/guide.md).\n\n${LONG}\n`,
      'docs/guide.md': 'text',
      'a.ts': `const a = '${LONG}'; // note\n`,
      'z.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>',
    });
    const change = [{ action: 'update', file_path: 'a.ts', content: `const b = '${LONG}'; // note\n` }];
    const next = await commitFiles(app, project.id, change);
    const user = await app.make.user();
    await app.make.member({ project }, user.user, 20);
    const { cookies } = await WebUser.signIn(app, user);
    const tabs = await Promise.all(
      (['narrow', 'wide'] as const).map(async (screen) => {
        const tab = await openPage(t, browser, { screen, colorScheme: screen === 'wide' ? 'dark' : 'light' });
        await tab.context.addCookies(cookies.map((cookie) => ({ ...cookie, url })));
        return tab;
      }),
    );
    const paths = [
      ...['', '/-/tree/main/docs', '/-/blob/main/a.ts#L1', '/-/blob/main/README.md', '/-/blob/main/z.svg'],
      ...['/-/commits/main', `/-/commit/${next.id}`, '/-/branches', `/-/compare/${id}...main`, '/-/blame/main/a.ts'],
    ];
    for (const [index, tab] of tabs.entries()) {
      // On a computer, in dark colours, one of each kind.
      for (const path of index === 0 ? paths : paths.filter((_, at) => at % 2 === 0)) {
        await tab.page.goto(`${url}${base}${path}`);
        await assertAccessible(tab);
        const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await tab.page.evaluate(overflow), 0, path);
      }
      await tab.assertNoProblems();
    }
  });
});
