import { decodeBytes, GitError } from '../common/index.ts';

/** A line of `git diff-tree --raw`: a changed path. */
export interface RawChange {
  oldMode: string;
  newMode: string;
  oldOid: string;
  newOid: string;
  /** A(dded), D(eleted), M(odified), R(enamed). */
  status: 'A' | 'D' | 'M' | 'R';
  oldPath: string;
  newPath: string;
  /** First line of this change's patch, bytes as Latin-1. */
  header: string;
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };
const LINE = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/;
/** An unquoted ASCII name. */
const PLAIN = /^(?!")[ -~]*$/;
const ABSENT = '000000';

/** Decodes a printed name: unquoted, or in double quotes with C escapes. */
export function unquoteName(name: Buffer): Buffer {
  if (name[0] !== 0x22) return name;
  const text = name.toString('latin1', 1, name.length - 1);
  const plain = text.replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, letter: string) =>
    String.fromCharCode(octal === undefined ? (ESCAPES[letter] ?? 0) : Number.parseInt(octal, 8)),
  );
  return Buffer.from(plain, 'latin1');
}

/** Adds a side's prefix to a printed name, inside the quotes if there are any. */
const withPrefix = (prefix: string, name: string): string =>
  name.startsWith('"') ? `"${prefix}${name.slice(1)}` : prefix + name;

/** Path of a printed name, given as bytes in Latin-1. */
function pathOf(name: string): string {
  return PLAIN.test(name) ? name : decodeBytes(unquoteName(Buffer.from(name, 'latin1')));
}

/**
 * Parses a raw line. A change of type (such as from a file to a symbolic link) becomes a deletion and an addition, as
 * in the patch.
 * @throws GitError `corrupt` for an invalid line
 */
export function parseRawLine(line: Buffer): RawChange[] {
  const [meta, oldName, lastName] = line.toString('latin1').split('\t', 3);
  const match = LINE.exec(meta!);
  if (match === null || oldName === undefined) throw new GitError('corrupt', 'git diff-tree: not a raw line');
  const newName = lastName ?? oldName;
  const [, oldMode = '', newMode = '', oldOid = '', newOid = '', letter] = match;
  const oldPath = pathOf(oldName);
  const newPath = newName === oldName ? oldPath : pathOf(newName);
  const header = `diff --git ${withPrefix('a/', oldName)} ${withPrefix('b/', newName)}`;
  const none = '0'.repeat(oldOid.length);
  const change: RawChange = { oldMode, newMode, oldOid, newOid, status: 'M', oldPath, newPath, header };
  if (letter === 'T') {
    return [
      { ...change, status: 'D', newMode: ABSENT, newOid: none },
      { ...change, status: 'A', oldMode: ABSENT, oldOid: none },
    ];
  }
  if (letter !== 'A' && letter !== 'D' && letter !== 'M' && letter !== 'R') {
    throw new GitError('corrupt', `git diff-tree: unknown status ${letter}`);
  }
  return [{ ...change, status: letter }];
}
