/** A real browser for tests of pages; loaded by these tests alone. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { browserProgram } from './browser-program.ts';

export { whyNoBrowser } from './browser-program.ts';

const START_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
/** As root in a container there is no sandbox and no graphics; nothing outside of this machine is reached. */
const ARGUMENTS = [
  '--no-zygote',
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
];

/** A browser with a process of its own. */
export interface TestBrowser {
  browser: Browser;
  /** Ids of its processes, its main process first. */
  processes(): Promise<number[]>;
  /** Ends it, if necessary with SIGKILL. */
  close(): Promise<void>;
}

/**
 * Starts the browser. One in `before`, closed in `after`, serves a file: `test(..., { skip: whyNoBrowser() ?? false })`.
 * @throws Error if it does not start within a minute
 */
export async function launchBrowser(): Promise<TestBrowser> {
  const { path, env } = await browserProgram();
  const browser = await chromium.launch({
    executablePath: path,
    env,
    args: ARGUMENTS,
    chromiumSandbox: false,
    timeout: START_TIMEOUT_MS,
    // The signals of a test process are its runner's; it ends with the process in any case.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const session = await browser.newBrowserCDPSession();
  const processes = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.sort((a, b) => Number(b.type === 'browser') - Number(a.type === 'browser')).map(({ id }) => id);
  };
  const [pid = 0] = await processes();
  const close = async () => {
    // Ended by force, it closes, too.
    const timer = setTimeout(() => killGroup(pid), CLOSE_TIMEOUT_MS);
    await browser.close();
    clearTimeout(timer);
    killGroup(pid);
  };
  return { browser, processes, close };
}

/** Ends a process and those of its group, if there are any left. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Writes what a page shows, in its whole length, to a PNG file. */
export async function takeScreenshot(page: Page, file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  await page.screenshot({ path: file, fullPage: true, animations: 'disabled' });
}
