import type { Page, PageContext } from '../core/page.ts';
import { type Html, html, type Part, trusted } from '../core/template.ts';
import { stylePath } from './assets.ts';

/** What the layout needs of a request. */
export interface DocumentFacts {
  context: Pick<PageContext, 'user' | 'at' | 'formToken'>;
  /** Rules for colours of this page. */
  colors: string;
  nonce: string;
  requestId: string;
}

const tabsOf = (at: PageContext['at'], tabs: Page['tabs']): Part =>
  tabs === undefined
    ? null
    : html`<nav aria-label="Sections"><ul class="tabs">${tabs.map(
        ({ text, path, isCurrent, count }) =>
          html`<li><a href="${at(path)}"${isCurrent ? trusted(' aria-current="page"') : null}>${text}${
            count === undefined || count === null ? null : html` <span class="count">${count}</span>`
          }</a></li>`,
      )}</ul></nav>`;

function whoIsThere({ user, at, formToken }: DocumentFacts['context']): Html {
  if (user === null) return html`<a href="${at('/users/sign_in')}">Sign in</a>`;
  return html`<a href="${at(`/${user.username}`)}">${user.name}</a>
    <a href="${at('/-/user_settings/active_sessions')}">Sessions</a>
    <form class="inline" method="post" action="${at('/users/sign_out')}">${formToken}<button class="link">Sign out</button></form>`;
}

/** A page in the layout that all have. */
export function documentOf({ title, body, trail = [], tabs, styles = [] }: Page, facts: DocumentFacts): Html {
  const { context, colors, nonce, requestId } = facts;
  const { at } = context;
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Stithy</title>
${['base', ...styles].map((name) => html`<link rel="stylesheet" href="${at(stylePath(name))}">`)}
${colors === '' ? null : html`<style nonce="${nonce}">${trusted(colors)}</style>`}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<a class="name" href="${at('/')}">Stithy</a>
<nav aria-label="Everything"><a href="${at('/explore')}">Explore</a></nav>
<div class="right">${whoIsThere(context)}</div>
</header>
<main id="content" tabindex="-1">
${
  trail.length === 0
    ? null
    : html`<nav aria-label="Place"><ol class="trail">${trail.map(
        ({ text, path }) => html`<li><a href="${at(path)}">${text}</a></li>`,
      )}</ol></nav>`
}
${tabsOf(at, tabs)}
${body}
</main>
<footer><a href="${at('/help')}">Help</a> · <a href="${at('/-/api')}">API</a> · <span>Request ${requestId}</span></footer>
</body>
</html>
`;
}
