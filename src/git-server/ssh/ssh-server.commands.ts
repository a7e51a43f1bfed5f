import type { Service } from '../../git/transport/service.ts';

/** What somebody wants over SSH. */
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
 * Reads the line that an SSH client sends as the command.
 * @param line null where it wants a shell
 */
export function parseCommand(line: string | null): SshCommand {
  if (line === null || line.trim() === '') return { kind: 'welcome' };
  const words = line.length > MAX_LINE ? undefined : shellWords(line);
  if (words === undefined) return { kind: 'invalid', line: line.slice(0, 200) };
  // Newer clients say `git upload-pack`.
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

/** Path of a repository without what surrounds it in an address; undefined for what can be none. */
function repositoryPath(word: string): string | undefined {
  const path = word
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return path === '' || path.length > MAX_PATH ? undefined : path;
}

/** Words as a shell tells them apart; undefined where a quote does not end. */
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
