import { decodeBytes } from './git.bytes.ts';
import { GitError } from './git.errors.ts';

/** One line of `git diff-tree --raw`: a changed path. */
export interface RawChange {
  oldMode: string;
  newMode: string;
  oldOid: string;
  newOid: string;
  /** A(dded), D(eleted), M(odified), R(enamed). */
  status: 'A' | 'D' | 'M' | 'R';
  oldPath: string;
  newPath: string;
  /** The line that opens this change's patch, its bytes as Latin-1. */
  header: string;
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };
const LINE = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/;
/** A name without quotes, of ASCII alone. */
const PLAIN = /^(?!")[ -~]*$/;
const ABSENT = '000000';

/** The bytes of a name as git prints it: as it is, or in double quotes with the escapes of C. */
export function unquoteName(name: Buffer): Buffer {
  if (name[0] !== 0x22) return name;
  const text = name.toString('latin1', 1, name.length - 1);
  const plain = text.replace(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, letter: string) =>
    String.fromCharCode(octal === undefined ? (ESCAPES[letter] ?? 0) : Number.parseInt(octal, 8)),
  );
  return Buffer.from(plain, 'latin1');
}

/** A printed name with a side's prefix before it, within the quotes where it has some. */
const withPrefix = (prefix: string, name: string): string =>
  name.startsWith('"') ? `"${prefix}${name.slice(1)}` : prefix + name;

/** What a printed name, its bytes as Latin-1, stands for. */
function pathOf(name: string): string {
  return PLAIN.test(name) ? name : decodeBytes(unquoteName(Buffer.from(name, 'latin1')));
}

/**
 * Reads one raw line. A change of type (a file that becomes a symbolic link) is a deletion and an addition, as in the
 * patch.
 * @throws GitError `corrupt` where the line is none
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
