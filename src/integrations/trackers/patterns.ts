import { RE2JS } from 're2js';
import { base } from '../dispatch/dispatch-context.ts';

/** Settings of a tracker, as texts. */
type Text = (name: string) => string;

/** An external tracker: pattern of issue references, and URL of issues. */
interface Tracker {
  /**
   * RE2 pattern with the issue key in a group.
   * @param short whether `#1` refers to the tracker, because the project has no issues of its own
   */
  pattern(text: Text, short: boolean): string;
  /** URL of an issue, with `:id` for its key; defaults to `issues_url`. */
  url?: (text: Text) => string;
}

const NUMBERED = String.raw`\b[A-Z][A-Z0-9_]*-(\d+)\b`;
const BARE = String.raw`\B#(\d+)\b`;
const numbered: Tracker = { pattern: (_, short) => (short ? `${NUMBERED}|${BARE}` : NUMBERED) };

/** Key of a Jira issue: project key and number. */
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

/** Slugs of external trackers, of which a project has at most one. */
export const TRACKER_SLUGS: readonly string[] = [...Object.keys(TRACKERS), 'zentao'];

/** Pattern and URL of the issues of a tracker; undefined for other kinds, and for trackers without references. */
export function trackerOf(slug: string, text: Text, short: boolean): { pattern: string; url: string } | undefined {
  const tracker = Object.hasOwn(TRACKERS, slug) ? TRACKERS[slug] : undefined;
  if (tracker === undefined) return undefined;
  return { pattern: tracker.pattern(text, short), url: tracker.url?.(text) ?? text('issues_url') };
}

/** An issue key in a text. */
export interface IssueKeyMatch {
  key: string;
  start: number;
  end: number;
}

/** Maximum number of keys in a text, and of characters to read. */
const MAX_KEYS = 20;
const MAX_READ = 10_000;

/** Finds Jira issue keys in a text, with their positions; at most 20 different ones. */
export function jiraKeysIn(words: string, text: Text): IssueKeyMatch[] {
  const matcher = RE2JS.compile(jiraPattern(text)).matcher(words.slice(0, MAX_READ));
  const keys: IssueKeyMatch[] = [];
  const known = new Set<string>();
  while (matcher.find() && known.size < MAX_KEYS) {
    const key = matcher.group(1);
    if (!key) continue;
    known.add(key);
    keys.push({ key, start: matcher.start(), end: matcher.end() });
  }
  return keys;
}
