/** Pages in the browser of `browser.ts`, and what is wrong with them. */
import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import type { TestBrowser } from './browser.ts';
import type { Test } from './git-fixture.ts';

const TIMEOUT_MS = 30_000;
const MAX_PROBLEMS = 100;
const MAX_HTML = 200;

/** Sizes of a window: a phone, and a computer. */
export const SCREENS = {
  narrow: { width: 360, height: 740 },
  wide: { width: 1280, height: 800 },
} as const;

export interface PageOptions {
  screen?: keyof typeof SCREENS;
  colorScheme?: 'light' | 'dark';
  /** Whether scripts of the page run. */
  javaScript?: boolean;
  /** Root of relative addresses. */
  baseUrl?: string;
}

/** A page in a profile of its own: no cookies, no storage. */
export interface TestPage {
  page: Page;
  context: BrowserContext;
  /**
   * What went wrong since it was opened: errors in the console and in scripts, failed requests, and violations of its
   * content security policy, reported or enforced.
   */
  problems: readonly string[];
  /** Fails if anything went wrong so far. */
  assertNoProblems(): Promise<void>;
}

/** Opens a page, which is closed after the test; by default on a computer, light, with scripts. */
export async function openPage(t: Test, browser: TestBrowser, options: PageOptions = {}): Promise<TestPage> {
  const { screen = 'wide', colorScheme = 'light', javaScript = true, baseUrl } = options;
  const context = await browser.browser.newContext({
    viewport: SCREENS[screen],
    colorScheme,
    javaScriptEnabled: javaScript,
    reducedMotion: 'reduce',
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
  });
  t.after(() => context.close());
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  const add = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  };
  page.on('console', (message) => {
    if (message.type() === 'error') add(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => add(`script: ${error.message}`));
  page.on('requestfailed', (request) => add(`request: ${request.url()}: ${request.failure()?.errorText}`));
  // The browser itself tells of violations, also where the page runs no scripts.
  const session = await context.newCDPSession(page);
  session.on('Audits.issueAdded', ({ issue: { details } }) => {
    const issue = details.contentSecurityPolicyIssueDetails;
    if (issue === undefined) return;
    const where = issue.sourceCodeLocation === undefined ? '' : ` in line ${issue.sourceCodeLocation.lineNumber + 1}`;
    add(
      `policy: ${issue.violatedDirective} forbids ${issue.blockedURL ?? issue.contentSecurityPolicyViolationType}${where}`,
    );
  });
  await session.send('Audits.enable');
  return {
    page,
    context,
    problems,
    assertNoProblems: async () => {
      // Events come in order: after an answer all earlier ones are here.
      await session.send('Runtime.evaluate', { expression: '0' });
      assert.deepEqual(problems, [], `${page.url()} has problems`);
    },
  };
}

/**
 * Fails, with a list, if a page breaks rules of accessibility that a program can check, in the colours and the size it is
 * shown in. Its scripts must be allowed to run.
 * @param without ids of rules that do not apply, with the reason beside the call
 */
export async function assertAccessible({ page }: TestPage, without: readonly string[] = []): Promise<void> {
  await page.evaluate(axe.source);
  const rules = Object.fromEntries(without.map((id) => [id, { enabled: false }]));
  const { violations } = await page.evaluate<axe.AxeResults>(
    `axe.run(document, ${JSON.stringify({ rules, resultTypes: ['violations'] })})`,
  );
  const list = violations.map(({ id, impact, help, nodes }) => {
    const places = nodes.map(({ target, html, failureSummary = '' }) => {
      const why = failureSummary
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
      return `    ${target.join(' ')}: ${html.slice(0, MAX_HTML)}\n      ${why.join('\n      ')}`;
    });
    return `  ${id} (${impact}): ${help}\n${places.join('\n')}`;
  });
  assert.equal(violations.length, 0, `${page.url()} is not accessible:\n${list.join('\n')}`);
}
