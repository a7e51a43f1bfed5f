import { decodeBytes } from './bytes.ts';
import { GitError } from './errors.ts';

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
  /** The line that opens this change's patch. */
  header: Buffer;
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };
const LINE = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/;
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
function withPrefix(prefix: string, name: Buffer): Buffer {
  if (name[0] !== 0x22) return Buffer.concat([Buffer.from(prefix), name]);
  return Buffer.concat([Buffer.from(`"${prefix}`), name.subarray(1)]);
}

function headerOf(oldName: Buffer, newName: Buffer): Buffer {
  const space = Buffer.from(' ');
  return Buffer.concat([Buffer.from('diff --git '), withPrefix('a/', oldName), space, withPrefix('b/', newName)]);
}

function splitTabs(line: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (let tab = line.indexOf(9); tab >= 0; tab = line.indexOf(9, at)) {
    parts.push(line.subarray(at, tab));
    at = tab + 1;
  }
  parts.push(line.subarray(at));
  return parts;
}

/**
 * Reads one raw line. A change of type (a file that becomes a symbolic link) is a deletion and an addition, as in the
 * patch.
 * @throws GitError `corrupt` where the line is none
 */
export function parseRawLine(line: Buffer): RawChange[] {
  const [meta, oldName, lastName] = splitTabs(line);
  const match = LINE.exec(meta!.toString('latin1'));
  if (match === null || oldName === undefined) throw new GitError('corrupt', 'git diff-tree: not a raw line');
  const newName = lastName ?? oldName;
  const [, oldMode = '', newMode = '', oldOid = '', newOid = '', letter] = match;
  const oldPath = decodeBytes(unquoteName(oldName));
  const newPath = decodeBytes(unquoteName(newName));
  const header = headerOf(oldName, newName);
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
