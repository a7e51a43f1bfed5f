import { Readable } from 'node:stream';
import { archiveMemory, MAX_ENTRIES } from '../git.archive.ts';
import { GitError } from '../git.errors.ts';
import type { Repository } from '../git.repository.ts';
import { resolveRevision } from '../revision.ts';
import { treeSize } from '../tree-size.ts';
import { encodePacket, FLUSH, readPackets, readUntilFlush } from './packet-line.ts';
import { IDLE_MS, startSession, type TransportOptions, type TransportSession } from './session.ts';

/** Of all that a client asks for; git itself takes 64 arguments. */
const MAX_REQUEST = 64 * 1024;
const WITH_VALUE = ['--format', '--prefix', '--mtime'];
const ALONE = /^(?:-v|--verbose|-l|--list|-[0-9])$/;

/** What somebody wants of `git archive --remote`. */
interface Request {
  options: string[];
  /** What is packed: a commit, and a folder of it; undefined where only the formats are asked for. */
  tree: string | undefined;
  paths: string[];
}

/** What an archive may take. */
export interface ArchiveBounds {
  /** Bytes that its files may have together. */
  maxBytes: number;
  /** Waits until so many bytes of memory may be used. @returns what gives them back */
  room(bytes: number): Promise<() => void>;
}

/** What is packed, by its name, and the memory that it takes. */
interface Checked {
  name: string;
  memory: number;
}

/**
 * Serves `git archive --remote` over a whole SSH session.
 * @param input what the client sends
 * @throws GitError `invalid` for what git does not send, options that are not taken, refs that are not there and archives that would be too large, and where nothing is asked for in time; else as `startSession` and `room`
 */
export async function uploadArchive(
  repository: Repository,
  input: Readable,
  { maxBytes, room }: ArchiveBounds,
  options: TransportOptions,
): Promise<TransportSession> {
  const { options: wanted, tree, paths } = await requestOf(input, options);
  const checked = tree === undefined ? undefined : await checkedTree(repository, tree, maxBytes);
  const place = checked === undefined ? [] : [checked.name, ...paths];
  const words = [...wanted, ...(place.length === 0 ? [] : ['--', ...place])];
  const request = Buffer.concat([...words.map((word) => encodePacket(`argument ${word}\n`)), FLUSH]);
  const leave = await room(checked?.memory ?? archiveMemory(0, 0));
  try {
    const plan = { args: ['upload-archive', '.'], gitDir: repository.dir, env: {}, maxInputBytes: request.length };
    const session = await startSession({ ...plan, input: Readable.from([request]) }, options);
    void session.done.then(leave);
    return session;
  } catch (error) {
    leave();
    throw error;
  }
}

/** What a client asks for. @throws GitError `invalid`, `aborted` where the client has left */
async function requestOf(input: Readable, { signal, idleMs = IDLE_MS }: TransportOptions): Promise<Request> {
  const expire = () => input.destroy(new GitError('invalid', 'Nothing was asked for, for too long.'));
  const timer = setTimeout(expire, idleMs).unref();
  try {
    return parseRequest(await readUntilFlush(readPackets(input, MAX_REQUEST)));
  } catch (error) {
    throw signal?.aborted ? new GitError('aborted', 'The client has left.') : error;
  } finally {
    clearTimeout(timer);
  }
}

function parseRequest(lines: Buffer[] | null): Request {
  const words = (lines ?? []).map((line) => /^argument ([^\n]*)\n?$/.exec(line.toString())?.[1]);
  const request: Request = { options: [], tree: undefined, paths: [] };
  let isOption = true;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined || word.includes('\0'))
      throw new GitError('invalid', 'The request is not one that git sends.');
    if (isOption && word === '--') isOption = false;
    else if (!isOption || !word.startsWith('-')) {
      if (request.tree === undefined) request.tree = word;
      else request.paths.push(word);
    } else if (WITH_VALUE.includes(word) && words[at + 1] !== undefined) {
      at += 1;
      request.options.push(`${word}=${words[at]}`);
    } else if (ALONE.test(word) || WITH_VALUE.some((name) => word.startsWith(`${name}=`))) request.options.push(word);
    else throw new GitError('invalid', `The option ${word.slice(0, 100)} is not taken from afar.`);
  }
  if (request.tree === undefined && !request.options.some((word) => /^(?:-l|--list)$/.test(word))) {
    throw new GitError('invalid', 'Name what to pack: a branch or a tag.');
  }
  return request;
}

/** The full name of a branch or tag, with the folder. Nothing else can be packed: commits that no ref names stay unread. */
async function checkedTree(repository: Repository, text: string, maxBytes: number): Promise<Checked> {
  const [name = '', ...rest] = text.split(':');
  const names =
    name === 'HEAD' || /^refs\/(?:heads|tags)\//.test(name) ? [name] : [`refs/tags/${name}`, `refs/heads/${name}`];
  const path = rest.join(':').replace(/^\/|\/$/g, '');
  for (const ref of names) {
    const revision = await resolveRevision(repository, ref);
    if (revision === null || (ref !== 'HEAD' && revision.ref !== ref)) continue;
    const size = await treeSize(repository, revision.oid, { entries: MAX_ENTRIES, bytes: maxBytes }, { path });
    if (size.exceeded === null) {
      return { name: path === '' ? ref : `${ref}:${path}`, memory: archiveMemory(size.largest, size.entries) };
    }
    throw new GitError('invalid', 'The archive would be too large: ask for a folder of it, or clone the repository.');
  }
  throw new GitError('invalid', `no such ref: ${name.slice(0, 200)}`);
}
