import type { StateCore } from 'markdown-it';
import { RE2JS } from 're2js';
import { patternSize } from '../core/pattern-size.ts';
import { changeTexts, SplitText } from './text-tokens.ts';

/** Pattern and URL of issues in an external issue tracker. */
export interface IssueLinks {
  /** RE2 pattern; its first matching group is the key of the issue. */
  pattern: string;
  /** URL of an issue; `:id` stands for its key. */
  url: string;
  /** Name of the tracker. */
  tracker: string;
}

/** Maximum number of links in one text. */
const MAX_LINKS = 1_000;
/** Maximum of pattern instructions times characters of the text. */
const MAX_STEPS = 20_000_000;

/** A reference to an issue in a text. */
interface Named {
  start: number;
  end: number;
  key: string;
}

function* namedIn(text: string, pattern: RE2JS): Generator<Named> {
  const matcher = pattern.matcher(text);
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (end === start) continue;
    let key: string | null = null;
    for (let group = 1; group <= matcher.groupCount() && key === null; group += 1) key = matcher.group(group);
    yield { start, end, key: key ?? text.slice(start, end) };
  }
}

/** Tells whether a name is of an issue of the tracker. */
export function isIssueOf({ pattern }: IssueLinks): (name: string) => boolean {
  const compiled = RE2JS.compile(pattern);
  return (name) => compiled.matcher(name).matches();
}

/** Turns issue references in a text into links. Code and existing links are not changed. */
export function linkIssues(state: StateCore, { pattern: source, url, tracker }: IssueLinks): void {
  const pattern = RE2JS.compile(source);
  let links = MAX_LINKS;
  let steps = MAX_STEPS;
  const size = patternSize(source);

  changeTexts(state, (token) => {
    const { content } = token;
    steps -= content.length * size;
    if (steps < 0) return [token];
    const split = new SplitText(state, content);
    for (const { start, end, key } of namedIn(content, pattern)) {
      if (links === 0) break;
      links -= 1;
      const href = state.md.normalizeLink(url.replaceAll(':id', encodeURIComponent(key)));
      if (!state.md.validateLink(href)) break;
      const open = new state.Token('link_open', 'a', 1);
      open.attrs = [
        ['href', href],
        ['title', `Issue in ${tracker}`],
        ['class', 'gfm gfm-issue'],
        ['data-reference-type', 'external_issue'],
        ['data-external-issue', key],
      ];
      const words = new state.Token('text', '', 0);
      words.content = content.slice(start, end);
      split.put(start, end, open, words, new state.Token('link_close', 'a', -1));
    }
    return split.finish(token);
  });
}
