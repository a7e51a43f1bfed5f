import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { launchBrowser, type TestBrowser, takeScreenshot, whyNoBrowser } from './browser.ts';
import { assertAccessible, openPage, SCREENS } from './browser-page.ts';
import { temporaryFolder } from './git-fixture.ts';

const STYLE = 'body{color:#222;background:#fff} @media (prefers-color-scheme: dark){body{color:#eee;background:#111}}';
const page = (body: string) =>
  `<!doctype html><html lang="en"><head><title>A page</title><link rel="stylesheet" href="/style.css"></head><body><main><h1>A page</h1>${body}</main></body></html>`;

const PAGES: Record<string, string> = {
  '/good': page('<p id="said">Said by HTML</p><script src="/script.js"></script>'),
  '/inline': page('<p>Text</p><script>document.title = "changed"</script>'),
  '/throws': page('<p>Text</p><script src="/throws.js"></script>'),
  '/missing': page('<p>Text</p><img src="/nothing.png" alt="Nothing">'),
  '/elsewhere': page('<p>Text</p><img src="http://elsewhere.example/a.png" alt="Elsewhere">'),
  '/unreadable': page('<p>Text</p><img src="/nothing.svg"><a href="/good"></a>'),
};
const FILES: Record<string, { type: string; text: string }> = {
  '/style.css': { type: 'text/css', text: STYLE },
  '/nothing.svg': { type: 'image/svg+xml', text: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
  '/script.js': { type: 'text/javascript', text: 'document.getElementById("said").textContent = "Said by a script"' },
  '/throws.js': { type: 'text/javascript', text: 'throw new Error("thrown by a script")' },
};

/** Whether a process runs; one that its parent has not asked about yet does not. */
function runs(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the browser for tests', { skip: whyNoBrowser() ?? false }, () => {
  let server: Server;
  let browser: TestBrowser;
  let baseUrl: string;

  before(async () => {
    server = createServer(({ url = '' }, response) => {
      const file = FILES[url] ?? (PAGES[url] === undefined ? undefined : { type: 'text/html', text: PAGES[url] });
      response.writeHead(file === undefined ? 404 : 200, {
        'Content-Type': file?.type ?? 'text/plain',
        'Content-Security-Policy': "default-src 'self'; img-src 'self' http://elsewhere.example",
      });
      response.end(file?.text ?? 'not found');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('shows a page in each size and colour, with scripts and without', async (t) => {
    for (const screen of ['narrow', 'wide'] as const) {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const javaScript of [true, false]) {
          const tab = await openPage(t, browser, { screen, colorScheme, javaScript, baseUrl });
          await tab.page.goto('/good');
          assert.equal(await tab.page.textContent('#said'), javaScript ? 'Said by a script' : 'Said by HTML');
          const shown = '[innerWidth, innerHeight, getComputedStyle(document.body).backgroundColor]';
          const { width, height } = SCREENS[screen];
          const color = colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(17, 17, 17)';
          assert.deepEqual(await tab.page.evaluate(shown), [width, height, color]);
          await tab.assertNoProblems();
          if (javaScript) await assertAccessible(tab);
        }
      }
    }
  });

  const problems: [path: string, javaScript: boolean, expected: RegExp][] = [
    ['/inline', true, /^policy: script-src-elem forbids kInlineViolation in line 1$/m],
    ['/throws', true, /^script: thrown by a script$/m],
    ['/missing', true, /^console: .*404.*nothing\.png/m],
    ['/missing', false, /^console: .*404.*nothing\.png/m],
    ['/elsewhere', true, /^request: http:\/\/elsewhere\.example\/a\.png: net::ERR_NAME_NOT_RESOLVED$/m],
    ['/nowhere', true, /^console: .*404/m],
  ];
  for (const [path, javaScript, expected] of problems) {
    test(`finds what is wrong with ${path} ${javaScript ? 'with' : 'without'} scripts`, async (t) => {
      const tab = await openPage(t, browser, { javaScript, baseUrl });
      await tab.page.goto(path);
      await assert.rejects(tab.assertNoProblems(), /has problems/);
      assert.match(tab.problems.join('\n'), expected);
    });
  }

  test('says what about a page is not accessible', async (t) => {
    const tab = await openPage(t, browser, { baseUrl });
    await tab.page.goto('/unreadable');
    await assert.rejects(
      assertAccessible(tab),
      /image-alt \(critical\)[\s\S]*<img src="\/nothing\.svg">[\s\S]*link-name/,
    );
    await assertAccessible(tab, ['image-alt', 'link-name']);
  });

  test('takes pictures', async (t) => {
    const tab = await openPage(t, browser, { baseUrl });
    await tab.page.goto('/good');
    const file = join(temporaryFolder(t), 'pictures/good.png');
    await takeScreenshot(tab.page, file);
    assert.equal(readFileSync(file).toString('latin1', 1, 4), 'PNG');
  });

  test('leaves no process behind, even if it does not answer', { timeout: 60_000 }, async () => {
    for (const stopped of [false, true]) {
      const other = await launchBrowser();
      const pids = await other.processes();
      assert.ok(pids.length > 1);
      if (stopped) process.kill(pids[0]!, 'SIGSTOP');
      await other.close();
      while (pids.some(runs)) await setTimeout(10);
    }
  });
});
