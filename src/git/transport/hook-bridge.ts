import type { Socket } from 'node:net';
import { normalize } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeBytes, encodeBytes } from '../git.bytes.ts';
import { GitError } from '../git.errors.ts';
import { isValidRefName } from '../ref-name.ts';
import { encodePacket, FLUSH, readPackets, readUntilFlush } from './packet-line.ts';
import type { PushedRef } from './transport.push.ts';

/** What the server says and hears over the pipes our two hooks inherit (see the folder `hooks`). */
export interface HookPipes {
  question: Socket;
  verdict: Socket;
  commands: Socket;
  report: Socket;
  notice: Socket;
}

/** How many pipes a push needs beside the three standard ones. */
export const HOOK_PIPES = 5;

/** What one push may name in refs and options: a hundred thousand refs fit. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_REASON = 1_000;
/** Refs that are read or reported before others have their turn. */
const BATCH_SIZE = 500;

/** Names the pipes in the order of their descriptors, 3 onwards. */
export function hookPipes(pipes: readonly Socket[]): HookPipes {
  const [question, verdict, commands, report, notice] = pipes;
  if (!question || !verdict || !commands || !report || !notice)
    throw new GitError('failed', 'a pipe of the hooks is missing');
  return { question, verdict, commands, report, notice };
}

export interface Question {
  quarantine: string;
  pushOptions: string[];
  updates: PushedRef[];
}

function parseOid(text: string): string | null {
  return /^0+$/.test(text) ? null : text;
}

function parseUpdate(line: string): PushedRef {
  const match = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/s.exec(line);
  if (!match || !isValidRefName(match[3]!)) throw new GitError('invalid', 'a push names a ref that cannot be one');
  return { ref: match[3]!, old: parseOid(match[1]!), new: parseOid(match[2]!) };
}

async function parseUpdates(lines: readonly string[]): Promise<PushedRef[]> {
  const updates: PushedRef[] = [];
  for (const line of lines) {
    if (updates.length % BATCH_SIZE === BATCH_SIZE - 1) await nextTurn();
    updates.push(parseUpdate(line));
  }
  return updates;
}

/** Takes fields that end with NUL until `enough` says so; null when the pipe ends first. */
async function readFields(input: Readable, enough: (fields: Buffer[]) => boolean): Promise<Buffer[] | null> {
  const fields: Buffer[] = [];
  let parts: Buffer[] = [];
  let total = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total > MAX_BYTES) throw new GitError('invalid', 'a push names too many refs');
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
 * Hears what the pre-receive hook asks.
 * @returns the push, or null when git ended before it came to the hook
 * @throws GitError `invalid` for a push with an impossible ref name or with too many
 */
export async function readQuestion(pipes: HookPipes): Promise<Question | null> {
  const count = (fields: Buffer[]) => Number.parseInt(fields[1]?.toString('latin1') ?? '', 10);
  const fields = await readFields(pipes.question, (have) => have.length >= 2 && have.length === count(have) + 3);
  if (fields === null) return null;
  const quarantine = fields[0]!.toString('utf8');
  const lines = decodeBytes(fields.at(-1)!).split('\n');
  return {
    quarantine: quarantine === '' ? '' : normalize(quarantine),
    pushOptions: fields.slice(2, -1).map((field) => field.toString('utf8')),
    updates: await parseUpdates(lines.filter((line) => line !== '')),
  };
}

/** Lets the pre-receive hook go, or stop; the message becomes `remote:` lines. */
export function answerQuestion(pipes: HookPipes, accepted: boolean, message = ''): void {
  pipes.verdict.end(`${accepted ? 'accept' : 'decline'}\n${asLines(message)}`);
}

export interface Commands {
  atomic: boolean;
  updates: PushedRef[];
}

/**
 * Hears which refs git leaves to the proc-receive hook.
 * @returns the refs, or null when git ended before it came to the hook
 * @throws GitError `invalid` for anything but the protocol of that hook
 */
export async function readCommands(pipes: HookPipes): Promise<Commands | null> {
  const packets = readPackets(pipes.commands, MAX_BYTES);
  const hello = await readUntilFlush(packets);
  if (hello === null) return null;
  const [version, features = ''] = (hello[0] ?? Buffer.alloc(0)).toString('latin1').trimEnd().split('\0');
  if (version !== 'version=1') throw new GitError('invalid', 'git speaks another version of the proc-receive protocol');
  pipes.report.write(Buffer.concat([encodePacket('version=1\n'), FLUSH]));
  const lines = await readUntilFlush(packets);
  if (lines === null) return null;
  const updates = await parseUpdates(lines.map((line) => decodeBytes(line).replace(/\n$/, '')));
  return { atomic: features.split(' ').includes('atomic'), updates };
}

/**
 * Reports to git what became of each ref, some hundreds before others have their turn.
 * @param reasons in the order of `updates`: null for a ref that was moved, else the reason
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
      const told = reasons[at + index];
      const reason = told === undefined ? 'failed to update ref' : told;
      return encodePacket(encodeBytes(reason === null ? `ok ${ref}\n` : `ng ${ref} ${oneLine(reason)}\n`));
    });
    pipes.report.write(Buffer.concat(lines));
  }
  pipes.report.end(FLUSH);
  pipes.notice.end(asLines(message));
}

/** A reason on one line, without control characters; never empty, for git needs one. */
function oneLine(text: string): string {
  return (
    text
      .slice(0, MAX_REASON)
      .replace(/\p{Cc}+/gu, ' ')
      .trim() || 'failed to update ref'
  );
}

/** Text for a terminal: no control character but the line feed. */
function asLines(text: string): string {
  const clean = text.replace(/[^\P{Cc}\n]/gu, '').replace(/\n+$/, '');
  return clean === '' ? '' : `${clean}\n`;
}
