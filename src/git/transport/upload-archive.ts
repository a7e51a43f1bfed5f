import { Readable } from 'node:stream';
import { GitError } from '../common/index.ts';
import { type Repository, resolveRevision } from '../repository/index.ts';
import { archiveMemory, MAX_ENTRIES, treeSize } from '../trees/index.ts';
import { encodePacket, FLUSH, readPackets, readUntilFlush } from './packet-line.ts';
import { IDLE_MS, startSession, type TransportOptions, type TransportSession } from './session.ts';

/** Maximum size of a request; git itself accepts 64 arguments. */
const MAX_REQUEST = 64 * 1024;
const WITH_VALUE = ['--format', '--prefix', '--mtime'];
const ALONE = /^(?:-v|--verbose|-l|--list|-[0-9])$/;

/** Arguments of `git archive --remote`. */
interface Request {
  options: string[];
  /** Commit and folder to archive; undefined if only the list of formats is requested. */
  tree: string | undefined;
  paths: string[];
}

/** Limits of an archive. */
export interface ArchiveBounds {
  /** Maximum total size of its files in bytes. */
  maxBytes: number;
  /** Waits until this many bytes of memory are available. @returns a function that releases them */
  room(bytes: number): Promise<() => void>;
}

/** The tree to archive by name, and the required memory. */
interface Checked {
  name: string;
  memory: number;
}

/**
 * Serves `git archive --remote` over a whole SSH session.
 * @param input data of the client
 * @throws GitError `invalid` for malformed requests, unsupported options, missing refs, archives above the limits,
 *   and timeouts; else as `startSession` and `room`
 */
export async function uploadArchive(
  repository: Repository,
  input: Readable,
  { maxBytes, room }: ArchiveBounds,
  options: TransportOptions,
): Promise<TransportSession> {
  const { options: archiveOptions, tree, paths } = await requestOf(input, options);
  const checked = tree === undefined ? undefined : await checkedTree(repository, tree, maxBytes);
  const place = checked === undefined ? [] : [checked.name, ...paths];
  const words = [...archiveOptions, ...(place.length === 0 ? [] : ['--', ...place])];
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

/** Reads the request. @throws GitError `invalid`, `aborted` if the client has disconnected */
async function requestOf(input: Readable, { signal, idleMs = IDLE_MS }: TransportOptions): Promise<Request> {
  const expire = () => input.destroy(new GitError('invalid', 'The request timed out.'));
  const timer = setTimeout(expire, idleMs).unref();
  try {
    return parseRequest(await readUntilFlush(readPackets(input, MAX_REQUEST)));
  } catch (error) {
    throw signal?.aborted ? new GitError('aborted', 'The client closed the connection.') : error;
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
      throw new GitError('invalid', 'The request is not a valid git request.');
    if (isOption && word === '--') isOption = false;
    else if (!isOption || !word.startsWith('-')) {
      if (request.tree === undefined) request.tree = word;
      else request.paths.push(word);
    } else if (WITH_VALUE.includes(word) && words[at + 1] !== undefined) {
      at += 1;
      request.options.push(`${word}=${words[at]}`);
    } else if (ALONE.test(word) || WITH_VALUE.some((name) => word.startsWith(`${name}=`))) request.options.push(word);
    else throw new GitError('invalid', `The option ${word.slice(0, 100)} is not allowed in remote requests.`);
  }
  if (request.tree === undefined && !request.options.some((word) => /^(?:-l|--list)$/.test(word))) {
    throw new GitError('invalid', 'No ref was given. Name a branch or a tag.');
  }
  return request;
}

/**
 * Resolves a branch or tag and a folder in it. Nothing else can be archived, so that commits without a ref stay
 * unreadable.
 */
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
    throw new GitError('invalid', 'The archive would be too large. Request a single folder or clone the repository.');
  }
  throw new GitError('invalid', `no such ref: ${name.slice(0, 200)}`);
}
