import type { Service } from '../../git/transport/index.ts';

/** A parsed SSH command. */
export type SshCommand =
  | { kind: 'welcome' }
  | { kind: 'git'; service: Service; path: string }
  | { kind: 'archive'; path: string }
  | { kind: 'lfs'; path: string; operation: 'download' | 'upload' }
  | { kind: 'recovery-codes' }
  | { kind: 'access-token'; words: string[] }
  | { kind: 'disallowed' }
  | { kind: 'invalid'; line: string };

const MAX_LINE = 4_096;
const MAX_PATH = 1_024;

/**
 * Parses the command line of an SSH client.
 * @param line null if the client requests a shell
 */
export function parseCommand(line: string | null): SshCommand {
  if (line === null || line.trim() === '') return { kind: 'welcome' };
  const words = line.length > MAX_LINE ? undefined : shellWords(line);
  if (words === undefined) return { kind: 'invalid', line: line.slice(0, 200) };
  // Newer clients send `git upload-pack`.
  const [name, ...rest] = words[0] === 'git' && words.length > 1 ? [`git-${words[1]}`, ...words.slice(2)] : words;
  const path = repositoryPath(rest[0] ?? '');
  if (rest.length === 1 && path !== undefined) {
    if (name === 'git-upload-pack') return { kind: 'git', service: 'upload-pack', path };
    if (name === 'git-receive-pack') return { kind: 'git', service: 'receive-pack', path };
    if (name === 'git-upload-archive') return { kind: 'archive', path };
  }
  const operation = rest[1];
  if (name === 'git-lfs-authenticate' && path !== undefined && (rest.length === 2 || rest.length === 3)) {
    if (operation === 'download' || operation === 'upload') return { kind: 'lfs', path, operation };
  }
  if (name === '2fa_recovery_codes' && rest.length === 0) return { kind: 'recovery-codes' };
  if (name === 'personal_access_token') return { kind: 'access-token', words: rest };
  return { kind: 'disallowed' };
}

/** Repository path of an argument; undefined if it is invalid. */
function repositoryPath(word: string): string | undefined {
  const path = word
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return path === '' || path.length > MAX_PATH ? undefined : path;
}

/** Splits a line into words by shell quoting rules; undefined for an unterminated quote. */
export function shellWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at]!;
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word ??= '';
    if (char === '\\') {
      at += 1;
      if (at === line.length) return undefined;
      word += line[at];
    } else if (char === "'") {
      const end = line.indexOf("'", at + 1);
      if (end === -1) return undefined;
      word += line.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      const [, text] = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(line.slice(at)) ?? [];
      if (text === undefined) return undefined;
      word += text.replace(/\\(["\\$`])/g, '$1');
      at += text.length + 1;
    } else {
      word += char;
    }
  }
  return word === undefined ? words : [...words, word];
}
