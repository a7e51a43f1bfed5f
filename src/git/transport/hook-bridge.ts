import type { Socket } from 'node:net';
import { normalize } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeBytes, encodeBytes, GitError, isValidRefName } from '../common/index.ts';
import { encodePacket, FLUSH, readPackets, readUntilFlush } from './packet-line.ts';
import type { PushedRef } from './transport.push.ts';

/** Pipes between the server and the two hooks, which inherit them (see the folder `hooks`). */
export interface HookPipes {
  question: Socket;
  verdict: Socket;
  commands: Socket;
  report: Socket;
  notice: Socket;
}

/** Number of pipes of a push in addition to the three standard ones. */
export const HOOK_PIPES = 5;

/** Maximum size of the refs and options of one push: enough for a hundred thousand refs. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_REASON = 1_000;
/** Number of refs read or reported before yielding. */
const BATCH_SIZE = 500;

/** Maps the pipes in the order of their descriptors, from 3 on. */
export function hookPipes(pipes: readonly Socket[]): HookPipes {
  const [question, verdict, commands, report, notice] = pipes;
  if (!question || !verdict || !commands || !report || !notice) throw new GitError('failed', 'a hook pipe is missing');
  return { question, verdict, commands, report, notice };
}

export interface Question {
  quarantine: string;
  pushOptions: readonly string[];
  updates: readonly PushedRef[];
}

function parseOid(text: string): string | null {
  return /^0+$/.test(text) ? null : text;
}

function parseUpdate(line: string): PushedRef {
  const match = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/s.exec(line);
  if (!match || !isValidRefName(match[3]!)) throw new GitError('invalid', 'a push contains an invalid ref name');
  return Object.freeze({ ref: match[3]!, old: parseOid(match[1]!), new: parseOid(match[2]!) });
}

async function parseUpdates(lines: readonly string[]): Promise<readonly PushedRef[]> {
  const updates: PushedRef[] = [];
  for (const line of lines) {
    if (updates.length % BATCH_SIZE === BATCH_SIZE - 1) await nextTurn();
    updates.push(parseUpdate(line));
  }
  return Object.freeze(updates);
}

/** Reads NUL-terminated fields until `enough` returns true; null if the pipe ends first. */
async function readFields(input: Readable, enough: (fields: Buffer[]) => boolean): Promise<Buffer[] | null> {
  const fields: Buffer[] = [];
  let parts: Buffer[] = [];
  let total = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total > MAX_BYTES) throw new GitError('invalid', 'a push contains too many refs');
    let from = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, from)) {
      fields.push(Buffer.concat([...parts, chunk.subarray(from, end)]));
      parts = [];
      from = end + 1;
      if (enough(fields)) return fields;
    }
    parts.push(chunk.subarray(from));
  }
  return null;
}

/**
 * Reads the question of the pre-receive hook.
 * @returns the push, or null if git exited before the hook
 * @throws GitError `invalid` for a push with an invalid ref name or too many refs
 */
export async function readQuestion(pipes: HookPipes): Promise<Question | null> {
  const count = (fields: Buffer[]) => Number.parseInt(fields[1]?.toString('latin1') ?? '', 10);
  const fields = await readFields(pipes.question, (have) => have.length >= 2 && have.length === count(have) + 3);
  if (fields === null) return null;
  const quarantine = fields[0]!.toString('utf8');
  const lines = decodeBytes(fields.at(-1)!).split('\n');
  return {
    quarantine: quarantine === '' ? '' : normalize(quarantine),
    pushOptions: Object.freeze(fields.slice(2, -1).map((field) => field.toString('utf8'))),
    updates: await parseUpdates(lines.filter((line) => line !== '')),
  };
}

/** Lets the pre-receive hook accept or decline the push; the message becomes `remote:` lines. */
export function answerQuestion(pipes: HookPipes, accepted: boolean, message = ''): void {
  pipes.verdict.end(`${accepted ? 'accept' : 'decline'}\n${asLines(message)}`);
}

export interface Commands {
  atomic: boolean;
  updates: readonly PushedRef[];
}

/**
 * Reads the refs that git passes to the proc-receive hook.
 * @returns the refs, or null if git exited before the hook
 * @throws GitError `invalid` for a violation of the hook's protocol
 */
export async function readCommands(pipes: HookPipes): Promise<Commands | null> {
  const packets = readPackets(pipes.commands, MAX_BYTES);
  const hello = await readUntilFlush(packets);
  if (hello === null) return null;
  const [version, features = ''] = (hello[0] ?? Buffer.alloc(0)).toString('latin1').trimEnd().split('\0');
  if (version !== 'version=1') throw new GitError('invalid', 'unsupported proc-receive protocol version');
  pipes.report.write(Buffer.concat([encodePacket('version=1\n'), FLUSH]));
  const lines = await readUntilFlush(packets);
  if (lines === null) return null;
  const updates = await parseUpdates(lines.map((line) => decodeBytes(line).replace(/\n$/, '')));
  return { atomic: features.split(' ').includes('atomic'), updates };
}

/**
 * Reports the result of each ref to git, in batches.
 * @param reasons in the order of `updates`: null for a moved ref, else the reason
 */
export async function reportResults(
  pipes: HookPipes,
  updates: readonly PushedRef[],
  reasons: readonly (string | null)[],
  message = '',
): Promise<void> {
  for (let at = 0; at < updates.length; at += BATCH_SIZE) {
    if (at > 0) await nextTurn();
    const lines = updates.slice(at, at + BATCH_SIZE).map(({ ref }, index) => {
      const outcome = reasons[at + index];
      const reason = outcome === undefined ? 'failed to update ref' : outcome;
      return encodePacket(encodeBytes(reason === null ? `ok ${ref}\n` : `ng ${ref} ${oneLine(reason)}\n`));
    });
    pipes.report.write(Buffer.concat(lines));
  }
  pipes.report.end(FLUSH);
  pipes.notice.end(asLines(message));
}

/** Converts a reason to a single line without control characters; never empty, since git requires one. */
function oneLine(text: string): string {
  return (
    text
      .slice(0, MAX_REASON)
      .replace(/\p{Cc}+/gu, ' ')
      .trim() || 'failed to update ref'
  );
}

/** Removes control characters except line feeds from text for a terminal. */
function asLines(text: string): string {
  const clean = text.replace(/[^\P{Cc}\n]/gu, '').replace(/\n+$/, '');
  return clean === '' ? '' : `${clean}\n`;
}
