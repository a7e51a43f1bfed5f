import type { Cache } from '../pipeline-config.ts';
import { WHEN_SAVED } from './artifacts.keyword.ts';
import { BOOLEAN, type Check, isMap, isString, isStrings, must, STRING, STRINGS, tooMany } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { anyEntry, checked, config, entry, exactlyOne, field, keys, type Reader, readEach } from './reader.ts';

const MAX_CACHES = 4;
const MAX_FALLBACKS = 5;
const MAX_FILES = 2;
const POLICIES = ['pull-push', 'push', 'pull'];

/** Keys become part of a path. */
const KEY: Check = (value) => {
  if (!isString(value)) return 'should be a string or symbol';
  const path = value.replaceAll(/%2f/gi, '/').replaceAll(/%2e/gi, '.');
  if (path.includes('/')) return 'cannot contain the "/" character';
  return /^\.+$/.test(path) ? 'cannot be "." or ".."' : null;
};

const files: Reader<string[]> = anyEntry(
  [
    config(STRINGS),
    config(must((value) => !isStrings(value) || value.length > 0, 'requires at least 1 item')),
    config(
      must((value) => !isStrings(value) || value.length <= MAX_FILES, `has too many items (maximum is ${MAX_FILES})`),
    ),
  ],
  (value) => value as string[],
);

const keyText = checked<string>(KEY);
const flag = checked<boolean>(BOOLEAN);
const paths = checked<string[]>(STRINGS);

const keyOfFiles: Reader<Cache['key']> = entry(
  [keys('files', 'files_commits', 'prefix'), exactlyOne('files', 'files_commits')],
  (value, at) => {
    const blobs = at.read(value, 'files', files);
    const commits = at.read(value, 'files_commits', files);
    return {
      files: blobs ?? commits ?? [],
      filesCommits: commits !== null,
      prefix: at.read(value, 'prefix', keyText),
    };
  },
);

const key: Reader<Cache['key']> = (value, at) => {
  if (isString(value)) return keyText(value, at);
  return isMap(value) ? keyOfFiles(value, at) : at.says('should be a hash, a string or a symbol');
};

const POLICY = must(
  (value) => isString(value) && (POLICIES.includes(value) || /^\$\{?\w+\}?$|^%\w+%$/.test(value)),
  `should be a variable or one of: ${POLICIES.join(', ')}`,
);

const cache: Reader<Cache> = entry(
  [
    keys('key', 'untracked', 'paths', 'when', 'policy', 'unprotect', 'fallback_keys'),
    field('policy', STRING, POLICY),
    field('when', STRING, WHEN_SAVED),
    field('fallback_keys', STRINGS, (value) => {
      const text = tooMany(MAX_FALLBACKS)(value);
      return text === null ? null : `has to many entries (maximum ${MAX_FALLBACKS})`;
    }),
  ],
  (value, at) => ({
    key: at.read(value, 'key', key) ?? 'default',
    unprotect: at.read(value, 'unprotect', flag) ?? false,
    untracked: at.read(value, 'untracked', flag) ?? false,
    paths: at.read(value, 'paths', paths) ?? [],
    policy: (own(value, 'policy') as string | null) ?? 'pull-push',
    when: (own(value, 'when') as Cache['when'] | null) ?? 'on_success',
    fallbackKeys: (own(value, 'fallback_keys') as string[] | null) ?? [],
  }),
);

/** `cache`: one or several. */
export const caches: Reader<Cache[]> = anyEntry(
  [
    config((value) =>
      Array.isArray(value) && value.length > MAX_CACHES ? `no more than ${MAX_CACHES} caches can be created` : null,
    ),
  ],
  (value, at) => readEach(Array.isArray(value) ? value : [value], cache, at),
);
