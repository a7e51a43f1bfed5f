import { checkOids, decodeBytes } from '../common/index.ts';
import { COMPARE_CHILD_MEMORY, recordBatches } from '../process/index.ts';
import type { RepositoryPath } from './service.ts';

/** A commit that no branch or tag of the repository reaches yet. */
export interface NewCommit {
  kind: 'commit';
  oid: string;
  authorName: string;
  authorEmail: string;
  committerName: string;
  committerEmail: string;
  /** Truncated to `MAX_MESSAGE` bytes. */
  message: string;
  /** Full length of the message in bytes. */
  messageLength: number;
}

/** A file in the version of the preceding commit in the stream, which differs from that of all parents. */
export interface NewFile {
  kind: 'file';
  /** Id of the commit. */
  commit: string;
  path: string;
  blob: string;
  /** Whether no parent has a file at this path. */
  added: boolean;
}

export type NewCommitOrFile = NewCommit | NewFile;

/** Maximum number of bytes read of a message, and of a path. */
export const MAX_MESSAGE = 1024 * 1024;
const MESSAGE = 5;
const FORMAT = '%H%x00%an%x00%ae%x00%cn%x00%ce%x00%B';
const SUBMODULE = '160000';
/** Processor time for one push in milliseconds. Hours of it would block others. */
const CPU_MS = 300_000;

/** Options of `newCommits`. */
export interface NewCommitsOptions {
  /** Environment of the quarantine; empty for objects in the repository. */
  env: Readonly<Record<string, string>>;
  /** Complete ids of further commits that are not new. */
  known: readonly string[];
  /** Whether to read the files, which is expensive. */
  files: boolean;
}

/**
 * Streams the commits that no branch or tag reaches, each followed by its files. A single git command with
 * back-pressure; memory holds one chunk of its output.
 * @param heads complete ids of commits, or of tags of commits
 * @throws GitError `failed` if an object is missing; `timeout`, `busy`
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

/** Input for git that selects the commits. @throws GitError `invalid` for an incomplete id */
export function rangeOf(heads: readonly string[], known: readonly string[]): string {
  checkOids([...heads, ...known]);
  return [...heads, ...known.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('');
}

/** Parses `FORMAT` followed by the output of `--raw`, field by field. */
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

/** `:<mode> <mode> <id> <id> <status>`; for a merge, a colon, a mode, an id and a status letter for each parent. */
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
