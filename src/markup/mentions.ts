import { projectBefore } from '../core/core.references.ts';

/** Kinds of objects that texts can name. */
export type MentionKind = 'issue' | 'merge_request' | 'snippet' | 'milestone' | 'label' | 'user' | 'commit' | 'range';

/** Something that a text names, such as `group/project#1`. Plain data. */
export interface Mention {
  kind: MentionKind;
  /** Path of a project: full, or of one in the same namespace (no slash); null for that of the text. */
  project: string | null;
  /** Number, name or path, or id of a commit; `from..to` or `from...to` for a range. */
  value: string;
}

/** What a mention leads to, for a reader who may see it. */
export interface MentionLink {
  href: string;
  title: string;
  /** Shown instead of what was written, if that was no more than an address or a name in quotation marks. */
  text: string;
  /** Further attributes, by their names after `data-`. */
  data: Record<string, string | number>;
}

/** Links of what a text names, by the keys of the mentions; what is not there stays text. */
export type MentionLinks = Readonly<Record<string, MentionLink>>;

/** A mention in a text. */
export interface FoundMention {
  mention: Mention;
  start: number;
  end: number;
}

/** Maximum number of different objects that a text can lead to. */
export const MAX_MENTIONS = 300;
/** Longer addresses lead to nothing here. */
const MAX_ADDRESS = 2_000;

export const mentionKey = ({ kind, project, value }: Mention): string => `${kind} ${project ?? ''} ${value}`;

const KINDS: Record<string, MentionKind> = {
  '#': 'issue',
  '!': 'merge_request',
  $: 'snippet',
  '%': 'milestone',
  '~': 'label',
};

const COMMIT = '[0-9a-f]{7,40}';
const MARK = new RegExp(
  [
    String.raw`(?<sign>[#!$])(?<number>\d{1,10})(?!\w)`,
    String.raw`(?<named>[%~])(?:"(?<quoted>[^"\n]{1,255})"|(?<bare>[\p{L}\p{N}_](?:[\p{L}\p{N}_:&?.-]{0,253}[\p{L}\p{N}_])?))`,
    String.raw`@(?<commit>${COMMIT})(?:(?<to>\.{2,3}${COMMIT}))?(?![\w@/-]|\.\w)`,
    String.raw`(?<![\w\\.])@(?<user>[a-zA-Z0-9_.][\w.-]{0,254}(?:\/[a-zA-Z0-9_.][\w.-]{0,254}){0,20})`,
    String.raw`(?<![\w./@#!$%~&-])(?<bareCommit>${COMMIT})(?:(?<bareTo>\.{2,3}${COMMIT}))?(?![\w@/-]|\.\w)`,
  ].join('|'),
  'gu',
);

/** Finds what a text names, in its order; the text is that of one token, without code and links. Linear time. */
export function* mentionsIn(text: string): Generator<FoundMention> {
  let from = 0;
  for (const match of text.matchAll(MARK)) {
    const found = read(text, match);
    if (found === undefined || found.start < from) continue;
    from = found.end;
    yield found;
  }
}

function read(text: string, match: RegExpExecArray): FoundMention | undefined {
  const { sign, number, named, quoted, bare, commit, to, user, bareCommit, bareTo } = match.groups!;
  const end = match.index + match[0].length;
  if (bareCommit !== undefined) return ofCommit(bareCommit, bareTo, null, match.index, end);
  if (commit !== undefined) {
    const before = projectBefore(text, match.index);
    if (before?.project) return ofCommit(commit, to, before.project, before.start, end);
    // A user may be called like a commit.
    if (to !== undefined || /\w/.test(text[match.index - 1] ?? ' ')) return undefined;
    return { mention: { kind: 'user', project: null, value: commit }, start: match.index, end };
  }
  if (user !== undefined) {
    const value = user.replace(/\.{1,255}$/, '');
    return value === ''
      ? undefined
      : { mention: { kind: 'user', project: null, value }, start: match.index, end: match.index + 1 + value.length };
  }
  const before = projectBefore(text, match.index);
  if (before === undefined) return undefined;
  const value = number ?? quoted ?? bare!;
  return { mention: { kind: KINDS[sign ?? named!]!, project: before.project, value }, start: before.start, end };
}

const ofCommit = (
  id: string,
  to: string | undefined,
  project: string | null,
  start: number,
  end: number,
): FoundMention | undefined =>
  // Digits alone are numbers.
  to === undefined && project === null && /^\d+$/.test(id)
    ? undefined
    : { mention: { kind: to === undefined ? 'commit' : 'range', project, value: id + (to ?? '') }, start, end };

const PAGE =
  /^([\w.-]+(?:\/[\w.-]+)+?)\/(?:-\/)?(issues|work_items|merge_requests|snippets|milestones|commit|compare)\/([\w.]+)(?:#note_(\d{1,15}))?$/;
const PAGES: Record<string, [kind: MentionKind, value: RegExp]> = {
  issues: ['issue', /^\d{1,10}$/],
  work_items: ['issue', /^\d{1,10}$/],
  merge_requests: ['merge_request', /^\d{1,10}$/],
  snippets: ['snippet', /^\d{1,10}$/],
  milestones: ['milestone', /^\d{1,10}$/],
  commit: ['commit', /^[0-9a-f]{7,40}$/],
  compare: ['range', /^[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}$/],
};

/** What the address of a page of this server names, and the comment that it leads to; undefined for other addresses. */
export function mentionOfAddress(address: string, server: string): { mention: Mention; note?: string } | undefined {
  if (address.length > MAX_ADDRESS || !address.startsWith(`${server}/`)) return undefined;
  const [, project, page, value, note] = PAGE.exec(address.slice(server.length + 1)) ?? [];
  if (project === undefined) return undefined;
  const [kind, form] = PAGES[page!]!;
  if (!form.test(value!)) return undefined;
  return { mention: { kind, project, value: value! }, ...(note === undefined ? {} : { note }) };
}
