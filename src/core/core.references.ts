import { blankOut, maskCode } from './reference-mask.ts';

export interface IssueReference {
  type: 'issue';
  /** Path of the project: full, or of a project in the same namespace (no slash); null for the project itself. */
  project: string | null;
  iid: number;
}

export interface MergeRequestReference {
  type: 'merge_request';
  project: string | null;
  iid: number;
}

export interface UserReference {
  type: 'user';
  username: string;
}

/** A reference in a text. */
export type Reference = IssueReference | MergeRequestReference | UserReference;

export interface ReferenceOptions {
  /** Base URL of this server; without it, URLs are not references. */
  externalUrl?: string | undefined;
}

/** Maximum number of characters read; commit messages may be longer. */
const MAX_TEXT = 1_048_576;
/** Maximum number of references in one text. */
const MAX_REFERENCES = 200;
/** Maximum number of reference marks checked in one text. */
const MAX_CANDIDATES = 5_000;
/** Longer paths belong to no project. */
const MAX_PATH = 2_000;

interface ReferenceMatch {
  reference: Reference;
  start: number;
  end: number;
}

/**
 * Finds references in a Markdown text: issues (`#1`, `group/project#1`), merge requests (`!1`), users (`@name`), each
 * also as URL. Code and comments are ignored. Each is returned once, in the order of the text; at most 200. Linear
 * time.
 */
export function findReferences(text: string, options: ReferenceOptions = {}): Reference[] {
  return unique(scan(text, options).references.map(({ reference }) => reference));
}

const PATH = /(?<![\w\\])@([a-zA-Z0-9_.][\w.-]{0,254}(?:\/[a-zA-Z0-9_.][\w.-]{0,254}){0,20})/g;

/** Names mentioned with `@name` or `@group/subgroup`, in lower case: at most 200 users, groups and `all`. */
export function mentionedNames(text: string): Set<string> {
  const names = new Set<string>();
  for (const { 1: name } of scan(text, {}).masked.matchAll(PATH)) {
    const whole = name!.replace(/\.{1,255}$/, '').toLowerCase();
    if (whole !== '') names.add(whole);
    if (names.size >= MAX_REFERENCES) break;
  }
  return names;
}

/** Mentions at the beginning of a line, after list and quotation marks. */
const ADDRESS = /^[ \t>*+-]*((?:@[\w.][\w.-]{0,254}(?:[ \t,:]+(?:and[ \t]+)?|$))+)/gm;

/** Users addressed by a text, in lower case: those mentioned at the beginning of a line. */
export function mentionedUsers(text: string): Set<string> {
  const names = new Set<string>();
  for (const { 1: head } of maskCode(text.slice(0, MAX_TEXT)).matchAll(ADDRESS)) {
    for (const { 1: name } of head!.matchAll(/@([\w.][\w.-]*)/g)) names.add(name!.replace(/\.+$/, '').toLowerCase());
    if (names.size >= MAX_REFERENCES) break;
  }
  return names;
}

const KEYWORD =
  /(?<!\w)(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?):? +(?:[Ii]ssues? +)?/g;
const BETWEEN = / *(?:, *)?(?:and +)?(?:issues? +)?/y;

/** Issues that the text closes: `Closes #1, #2 and group/project#3`, also with fix, resolve and implement. */
export function closingReferences(text: string, options: ReferenceOptions = {}): IssueReference[] {
  const { references, masked } = scan(text, options);
  const issues = references.flatMap(({ reference, ...place }) =>
    reference.type === 'issue' ? [{ reference, ...place }] : [],
  );
  return unique(closedIssuesAmong(masked, issues).map(({ reference }) => reference));
}

/** The issue references, given with their positions, that follow a closing keyword. */
export function closedIssuesAmong<I extends { start: number; end: number }>(text: string, issues: readonly I[]): I[] {
  const byStart = new Map(issues.map((issue) => [issue.start, issue]));
  const closed: I[] = [];
  for (const keyword of text.matchAll(KEYWORD)) {
    let issue = byStart.get(keyword.index + keyword[0].length);
    while (issue !== undefined) {
      closed.push(issue);
      BETWEEN.lastIndex = issue.end;
      issue = byStart.get(BETWEEN.exec(text) === null ? issue.end : BETWEEN.lastIndex);
    }
  }
  return closed;
}

/** Replaces references to issues and merge requests of the own or a neighbouring project by full paths. */
export function withFullReferences(text: string, projectPath: string): string {
  const namespace = projectPath.slice(0, projectPath.lastIndexOf('/') + 1);
  let [full, from] = ['', 0];
  for (const { reference, start } of scan(text, {}).references) {
    if (reference.type === 'user' || reference.project?.includes('/')) continue;
    full += `${text.slice(from, start)}${reference.project === null ? projectPath : namespace}`;
    from = start;
  }
  return full + text.slice(from);
}

/** All references by position, and the masked text without code and URLs. */
function scan(text: string, { externalUrl }: ReferenceOptions): { references: ReferenceMatch[]; masked: string } {
  const prose = maskCode(text.slice(0, MAX_TEXT));
  const references: ReferenceMatch[] = [];
  const masks: [number, number][] = [];
  for (const { 0: address, index } of prose.matchAll(/\bhttps?:\/\/[^\s\0<>"]+/g)) {
    const link = externalUrl === undefined ? null : readLink(address, `${externalUrl}/`);
    const end = index + (link?.length ?? address.length);
    if (link !== null && references.length < MAX_CANDIDATES)
      references.push({ reference: link.reference, start: index, end });
    masks.push([index, end]);
  }
  const masked = blankOut(prose, masks);
  for (const short of shortReferences(masked)) {
    if (references.length >= MAX_CANDIDATES) break;
    references.push(short);
  }
  return { references: references.sort((a, b) => a.start - b.start), masked };
}

const LINK = /^([\w.-]+(?:\/[\w.-]+)+?)\/(?:-\/)?(issues|work_items|merge_requests)\/(\d{1,10})(?!\w)/;

/** The reference in a URL of this server, and its length in characters. */
function readLink(address: string, base: string): { reference: Reference; length: number } | null {
  if (!address.startsWith(base)) return null;
  const match = LINK.exec(address.slice(base.length, base.length + MAX_PATH));
  if (match === null) return null;
  const [whole, project, kind, iid] = match;
  const type = kind === 'merge_requests' ? 'merge_request' : 'issue';
  const end = base.length + whole.length;
  // The rest of the URL (a tab, an anchor) is part of the reference, the punctuation of the sentence is not.
  const length = /[?#/]/.test(address[end] ?? '') ? end + trimmed(address.slice(end)).length : end;
  return { reference: { type, project: project!, iid: Number(iid) }, length };
}

function trimmed(rest: string): string {
  let end = rest.length;
  while (end > 0 && ",.;:!?)]*_'|".includes(rest[end - 1]!)) end -= 1;
  return rest.slice(0, end);
}

const MARK = /([#!])(\d{1,10})(?!\w)|(?<![\w\\])@([a-zA-Z0-9_.][a-zA-Z0-9_.-]{0,254})(?![\w.-]|\/\w)/g;

function* shortReferences(text: string): Generator<ReferenceMatch> {
  for (const match of text.matchAll(MARK)) {
    const { 0: whole, 1: sign, 2: iid, 3: name, index } = match;
    const end = index + whole.length;
    if (sign === undefined) {
      const username = name!.replace(/\.{1,255}$/, '');
      if (username !== '') yield { reference: { type: 'user', username }, start: index, end };
      continue;
    }
    const before = projectBefore(text, index);
    if (before === undefined) continue;
    const type = sign === '#' ? 'issue' : 'merge_request';
    yield { reference: { type, project: before.project, iid: Number(iid) }, start: before.start, end };
  }
}

/** The project path before a mark, null for none; undefined if the mark is part of something else. */
export function projectBefore(text: string, mark: number): { project: string | null; start: number } | undefined {
  let start = mark;
  while (start > 0 && mark - start <= MAX_PATH && isPathCharacter(text.charCodeAt(start - 1))) start -= 1;
  if (mark - start > MAX_PATH) return undefined;
  const path = text.slice(start, mark);
  const previous = text[start - 1] ?? ' ';
  // After a slash or a dash, a bare mark refers to the project itself.
  if (path === '' || path.endsWith('/') || /^[/.-]+$/.test(path)) {
    return path === '' && '\\&#'.includes(previous) ? undefined : { project: null, start: mark };
  }
  if ('\\&#!@:%$~'.includes(previous) || path.endsWith('.')) return undefined;
  return path.split('/').every((segment) => /^[\w.][\w.-]*$/.test(segment)) ? { project: path, start } : undefined;
}

/** Letters, digits, `_`, `-`, `.` and `/`. */
const isPathCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 45 && code <= 57) || code === 95;

function unique<R extends Reference>(references: readonly R[]): R[] {
  const byKey = new Map<string, R>();
  for (const reference of references) {
    const key = reference.type === 'user' ? `@${reference.username.toLowerCase()}` : keyOf(reference);
    if (!byKey.has(key)) byKey.set(key, reference);
    if (byKey.size >= MAX_REFERENCES) break;
  }
  return [...byKey.values()];
}

const keyOf = ({ type, project, iid }: IssueReference | MergeRequestReference): string =>
  `${type} ${project?.toLowerCase() ?? ''} ${iid}`;
