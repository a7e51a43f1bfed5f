import { checkOids } from '../arguments.ts';
import { COMPARE_CHILD_MEMORY } from '../diff-commands.ts';
import { decodeBytes } from '../git.bytes.ts';
import { recordBatches } from '../records.ts';
import type { RepositoryPath } from './service.ts';

/** A commit that no branch and no tag of the repository leads to yet. */
export interface NewCommit {
  kind: 'commit';
  oid: string;
  authorName: string;
  authorEmail: string;
  committerName: string;
  committerEmail: string;
  /** Cut where it is longer than `MAX_MESSAGE` bytes. */
  message: string;
  /** Bytes of the message. */
  messageLength: number;
}

/** A file as the commit before it in the stream leaves it, where it is not so in any of its parents. */
export interface NewFile {
  kind: 'file';
  /** The commit. */
  commit: string;
  path: string;
  blob: string;
  /** Whether no parent has a file of this name. */
  added: boolean;
}

export type NewCommitOrFile = NewCommit | NewFile;

/** Bytes of a message, and of a path, that are read. */
export const MAX_MESSAGE = 1024 * 1024;
const MESSAGE = 5;
const FORMAT = '%H%x00%an%x00%ae%x00%cn%x00%ce%x00%B';
const SUBMODULE = '160000';
/** How much is read of one push at most; hours of it would keep others waiting. */
const CPU_MS = 300_000;

/** What is to be read. */
export interface NewCommitsOptions {
  /** Environment of the quarantine; empty for objects that the repository has. */
  env: Readonly<Record<string, string>>;
  /** Complete ids of commits that are not new either. */
  known: readonly string[];
  /** Whether the files are wanted, which are dear. */
  files: boolean;
}

/**
 * What some commits bring that no branch and no tag leads to: each commit, followed by its files. One git command,
 * however many they are, that waits for its reader; memory holds one chunk of its output.
 * @param heads complete ids of commits, or of tags that lead to them
 * @throws GitError `failed`, where an object is missing; `timeout`, `busy`
 */
export async function* newCommits(
  repository: RepositoryPath,
  heads: readonly string[],
  { env, known, files }: NewCommitsOptions,
): AsyncGenerator<NewCommitOrFile[], void> {
  const args = ['log', '--stdin', '-z', '--no-notes', '--no-color', '--no-show-signature', '--no-mailmap'];
  args.push('--encoding=UTF-8', `--format=${FORMAT}`);
  if (files) args.push('--raw', '--no-abbrev', '--no-renames', '-c');
  args.push('--not', '--branches', '--tags');
  const input = rangeOf(heads, known);
  const options = {
    gitDir: repository.dir,
    env,
    separator: 0,
    maxRecord: MAX_MESSAGE,
    cpuMs: CPU_MS,
    memory: COMPARE_CHILD_MEMORY,
    input,
  };
  const reader = new LogReader();
  for await (const batch of recordBatches(args, options)) {
    const things: NewCommitOrFile[] = [];
    for (const { record, length } of batch) {
      const thing = reader.take(record, length);
      if (thing !== null) things.push(thing);
    }
    if (things.length > 0) yield things;
  }
}

/** What git reads as the commits that it lists. @throws GitError `invalid` for what is no complete id */
export function rangeOf(heads: readonly string[], known: readonly string[]): string {
  checkOids([...heads, ...known]);
  return [...heads, ...known.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('');
}

/** Reads `FORMAT` and what `--raw` adds to it, field by field. */
class LogReader {
  #fields: string[] = [];
  #commit = '';
  #file: { blob: string; added: boolean; submodule: boolean } | null = null;

  take(record: Buffer, length: number): NewCommitOrFile | null {
    if (this.#fields.length > 0) return this.#takeField(record, length);
    if (this.#file !== null) return this.#takePath(record);
    const text = record.toString('latin1', record[0] === 10 ? 1 : 0);
    if (text === '') return null;
    if (text.startsWith(':')) this.#file = readRaw(text);
    else this.#fields = [text];
    return null;
  }

  #takeField(record: Buffer, length: number): NewCommit | null {
    const text = record.toString('utf8');
    if (this.#fields.length < MESSAGE) {
      this.#fields.push(text);
      return null;
    }
    const [oid, authorName, authorEmail, committerName, committerEmail] = this.#fields as [string, ...string[]];
    this.#fields = [];
    this.#commit = oid;
    return {
      kind: 'commit',
      oid,
      authorName: authorName!,
      authorEmail: authorEmail!,
      committerName: committerName!,
      committerEmail: committerEmail!,
      message: text,
      messageLength: length,
    };
  }

  #takePath(record: Buffer): NewFile | null {
    const { blob, added, submodule } = this.#file!;
    this.#file = null;
    if (submodule || /^0+$/.test(blob)) return null;
    return { kind: 'file', commit: this.#commit, path: decodeBytes(record), blob, added };
  }
}

/** `:<mode> <mode> <id> <id> <status>`; of a merge with a colon, a mode, an id and a letter of the status for each parent. */
function readRaw(text: string): { blob: string; added: boolean; submodule: boolean } {
  const parents = /^:+/.exec(text)![0].length;
  const words = text.slice(parents).split(' ');
  const status = words.at(-1)!;
  return {
    blob: words.at(-2)!,
    added: /^A+$/.test(status),
    submodule: words[parents] === SUBMODULE,
  };
}
