import { RE2JS } from 're2js';
import { base } from '../dispatch/dispatch-context.ts';

/** What was set up of a tracker, as texts. */
type Text = (name: string) => string;

/** A tracker elsewhere: how its issues are named in texts, and where they are. */
interface Tracker {
  /**
   * In the syntax of RE2, the key of the issue in a group.
   * @param short whether `#1` is an issue there: where the project has none of its own
   */
  pattern(text: Text, short: boolean): string;
  /** Address of an issue, with `:id` for its key; `issues_url` where it is left out. */
  url?: (text: Text) => string;
}

const NUMBERED = String.raw`\b[A-Z][A-Z0-9_]*-(\d+)\b`;
const BARE = String.raw`\B#(\d+)\b`;
const numbered: Tracker = { pattern: (_, short) => (short ? `${NUMBERED}|${BARE}` : NUMBERED) };

/** A key of an issue of Jira: that of its project and a number. */
const JIRA_KEY = String.raw`[A-Z][A-Z_0-9]+-\d+\b`;
export const jiraPattern = (text: Text): string =>
  String.raw`\b(?:${text('jira_issue_prefix')})(${text('jira_issue_regex') || JIRA_KEY})`;

const TRACKERS: Readonly<Record<string, Tracker>> = {
  bugzilla: numbered,
  clickup: { pattern: () => String.raw`(?:\B#|\bCU-)([a-z0-9]+)\b|\b([A-Z0-9_]{2,10}-\d+)\b` },
  'custom-issue-tracker': numbered,
  ewm: { pattern: () => String.raw`(?i)\b(?:bug|task|work item|workitem|rtcwi|defect)\s+(\d+)\b` },
  jira: { pattern: jiraPattern, url: (text) => `${base(text('url'))}/browse/:id` },
  linear: {
    pattern: () => String.raw`\b([A-Za-z][A-Za-z0-9]{0,6}-\d+)\b`,
    url: (text) => `${base(text('workspace_url'))}/issue/:id`,
  },
  phorge: { pattern: () => String.raw`\bT(\d+)\b` },
  redmine: numbered,
  youtrack: {
    pattern: (_, short) => {
      const named = String.raw`\b([A-Za-z][A-Za-z0-9_]*-\d+)\b`;
      return short ? `${named}|${BARE}` : named;
    },
  },
};

/** Kinds that keep issues elsewhere: a project has one of them. */
export const TRACKER_SLUGS: readonly string[] = [...Object.keys(TRACKERS), 'zentao'];

/** How texts name issues of a tracker, and where these are; undefined for what is none, or names none. */
export function trackerOf(slug: string, text: Text, short: boolean): { pattern: string; url: string } | undefined {
  const tracker = Object.hasOwn(TRACKERS, slug) ? TRACKERS[slug] : undefined;
  if (tracker === undefined) return undefined;
  return { pattern: tracker.pattern(text, short), url: tracker.url?.(text) ?? text('issues_url') };
}

/** A key of an issue in a text. */
export interface FoundKey {
  key: string;
  start: number;
  end: number;
}

/** Keys that one text names at most, and characters that are read of it. */
const MAX_KEYS = 20;
const MAX_READ = 10_000;

/** Keys of Jira's issues that a text names, each where it stands, at most 20 different ones. */
export function jiraKeysIn(words: string, text: Text): FoundKey[] {
  const matcher = RE2JS.compile(jiraPattern(text)).matcher(words.slice(0, MAX_READ));
  const found: FoundKey[] = [];
  const known = new Set<string>();
  while (matcher.find() && known.size < MAX_KEYS) {
    const key = matcher.group(1);
    if (!key) continue;
    known.add(key);
    found.push({ key, start: matcher.start(), end: matcher.end() });
  }
  return found;
}
