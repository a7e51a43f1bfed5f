import { Readable } from 'node:stream';
import { GitError } from '../errors.ts';
import type { Repository } from '../repository.ts';
import { resolveRevision } from '../revision.ts';
import { treeSize } from '../tree-size.ts';
import { encodePacket, FLUSH, readPackets, readUntilFlush } from './packet-line.ts';
import { startSession, type TransportOptions, type TransportSession } from './session.ts';

/** Of all that a client asks for; git itself takes 64 arguments. */
const MAX_REQUEST = 64 * 1024;
const MAX_ENTRIES = 1_000_000;
const WITH_VALUE = ['--format', '--prefix', '--mtime'];
const ALONE = /^(?:-v|--verbose|-l|--list|-[0-9])$/;

/** What somebody wants of `git archive --remote`. */
interface Request {
  options: string[];
  /** What is packed: a commit, and a folder of it; undefined where only the formats are asked for. */
  tree: string | undefined;
  paths: string[];
}

/**
 * Serves `git archive --remote` over a whole SSH session.
 * @param input what the client sends
 * @param maxBytes that the files of the archive may have together
 * @throws GitError `invalid` for what git does not send, options that are not taken, refs that are not there and archives that would be too large; else as `startSession`
 */
export async function uploadArchive(
  repository: Repository,
  input: Readable,
  maxBytes: number,
  options: TransportOptions,
): Promise<TransportSession> {
  const { options: wanted, tree, paths } = await readRequest(input);
  const place = tree === undefined ? [] : [await checkedTree(repository, tree, maxBytes), ...paths];
  const words = [...wanted, ...(place.length === 0 ? [] : ['--', ...place])];
  const request = Buffer.concat([...words.map((word) => encodePacket(`argument ${word}\n`)), FLUSH]);
  return startSession(
    {
      args: ['upload-archive', '.'],
      gitDir: repository.dir,
      env: {},
      input: Readable.from([request]),
      maxInputBytes: request.length,
    },
    options,
  );
}

async function readRequest(input: Readable): Promise<Request> {
  const lines = await readUntilFlush(readPackets(input, MAX_REQUEST));
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
async function checkedTree(repository: Repository, text: string, maxBytes: number): Promise<string> {
  const [name = '', ...rest] = text.split(':');
  const names =
    name === 'HEAD' || /^refs\/(?:heads|tags)\//.test(name) ? [name] : [`refs/tags/${name}`, `refs/heads/${name}`];
  const path = rest.join(':').replace(/^\/|\/$/g, '');
  for (const ref of names) {
    const revision = await resolveRevision(repository, ref);
    if (revision === null || (ref !== 'HEAD' && revision.ref !== ref)) continue;
    const size = await treeSize(repository, revision.oid, { entries: MAX_ENTRIES, bytes: maxBytes }, { path });
    if (size.exceeded === null) return path === '' ? ref : `${ref}:${path}`;
    throw new GitError('invalid', 'The archive would be too large: ask for a folder of it, or clone the repository.');
  }
  throw new GitError('invalid', `no such ref: ${name.slice(0, 200)}`);
}
