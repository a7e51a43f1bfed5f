import { EntryCache } from '../../../core/cache/index.ts';
import { type LanguageData, type LanguageDetector, languageDetector } from '../../../core/language-detection.ts';
import { cacheKey, checkOids, decodeBytes, GitError, ResultCache } from '../../common/index.ts';
import { readRecords } from '../../process/index.ts';
import type { Repository } from '../../repository/index.ts';
import { treeOf } from '../git.tree.ts';
import { changesBetween } from '../tree-changes.ts';
import { treeSize } from '../tree-size.ts';
import { isDocumentationPath, isGeneratedPath, isVendoredPath } from './language-paths.ts';

export interface LanguageShare {
  name: string;
  bytes: number;
}

const CPU_MS = 30_000;
/** Maximum number of files, since a few small folders can expand to billions. */
const MAX_FILES = 1_000_000;
/** Bounds on entries: files and their folders. */
const MAX = { entries: 2 * MAX_FILES, bytes: Number.POSITIVE_INFINITY };
/** Most repositories have fewer files than this. */
const FILES_BEFORE_LOOK = 20_000;
const NUL = 0;
/** A file in `git ls-tree --long`; links and submodules have other modes. */
const FILE = /^100\d{3} blob [0-9a-f]+ +(\d+)\t(.+)$/s;
/** Maximum number of changed files that are measured one by one; with more, all files are counted again. */
const MAX_CHANGES = 1_000;
const results = new ResultCache<Counter>('git_languages', (counter) => counter.size * 100 + 500);
/** The last requested tree, by repository. */
const latest = new EntryCache<string, string>('git_latest_languages');

function isLeftOut(path: string): boolean {
  return isVendoredPath(path) || isDocumentationPath(path) || isGeneratedPath(path);
}

function add(totals: Map<string, number>, key: string, bytes: number): void {
  totals.set(key, (totals.get(key) ?? 0) + bytes);
}

/**
 * Counts bytes by language. Files of ambiguous languages count for the most frequent one in the repository, else the
 * first.
 */
class Counter {
  readonly #detector: LanguageDetector;
  readonly #certain: Map<string, number>;
  readonly #shared: Map<readonly LanguageData[], number>;

  /** @param from previous counts */
  constructor(languages: LanguageDetector, from?: Counter) {
    this.#detector = languages;
    this.#certain = new Map(from === undefined ? [] : from.#certain);
    this.#shared = new Map(from === undefined ? [] : from.#shared);
  }

  /** Number of sums. */
  get size(): number {
    return this.#certain.size + this.#shared.size;
  }

  /** @param bytes negative for removed files */
  add(path: string, bytes: number): void {
    if (isLeftOut(path)) return;
    const candidates = this.#detector.candidates(path.slice(path.lastIndexOf('/') + 1));
    const [only] = candidates;
    if (only === undefined || bytes === 0) return;
    if (candidates.length > 1) {
      this.#shared.set(candidates, (this.#shared.get(candidates) ?? 0) + bytes);
      return;
    }
    const name = this.#detector.counted(only);
    if (name !== null) add(this.#certain, name, bytes);
  }

  shares(): LanguageShare[] {
    const totals = new Map(this.#certain);
    for (const [candidates, bytes] of this.#shared) {
      if (bytes === 0) continue;
      const names = candidates.map((language) => this.#detector.counted(language)).filter((name) => name !== null);
      const [best] = names.toSorted((a, b) => (this.#certain.get(b) ?? 0) - (this.#certain.get(a) ?? 0));
      if (best !== undefined) add(totals, best, bytes);
    }
    const shares = [...totals].flatMap(([name, bytes]) => (bytes === 0 ? [] : { name, bytes }));
    return shares.sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  }
}

/**
 * Bytes of a commit's files by programming or markup language, most frequent first, detected by file name. Vendored,
 * generated and documentation files are excluded. Only files that differ from the last requested commit of the
 * repository are examined again. Serves `GET /projects/:id/languages`.
 * @throws GitError `invalid` for an incomplete id, `failed` if it does not exist, `output_too_large` above a million
 *   files, `timeout` after 30 seconds
 */
export async function languagesOf(repo: Repository, commit: string): Promise<readonly LanguageShare[]> {
  checkOids([commit]);
  const tree = (await treeOf(repo, commit)) ?? commit;
  const counted = await results.get(cacheKey(repo.key, tree), async () => {
    const languages = await languageDetector();
    return (await countChanges(repo, languages, tree)) ?? (await countAll(repo, languages, tree));
  });
  latest.set(repo.key, tree);
  return counted.shares();
}

/** Counts the changes since the previous tree, or all files of a small one, without a process; null if they are too many. */
async function countChanges(repo: Repository, languages: LanguageDetector, tree: string): Promise<Counter | null> {
  const before = latest.get(repo.key);
  const cached = before === undefined ? undefined : results.peek(cacheKey(repo.key, before));
  const changes = await changesBetween(repo, cached === undefined ? null : before!, tree);
  if (changes === null || changes.length > MAX_CHANGES) return null;
  const counter = new Counter(languages, cached);
  for (const { path, before, after } of changes) {
    for (const [file, sign] of [
      [before, -1],
      [after, 1],
    ] as const) {
      if (file === undefined || file.type !== 'blob' || !file.mode.startsWith('100')) continue;
      const info = await repo.objects.info(file.oid);
      if (info === null) return null;
      counter.add(path, sign * info.size);
    }
  }
  return counter;
}

async function countAll(repo: Repository, languages: LanguageDetector, tree: string): Promise<Counter> {
  const counter = new Counter(languages);
  let files = 0;
  let isTooLarge = false;
  const look = async () => {
    const { exceeded } = await treeSize(repo, tree, MAX, { files: false });
    isTooLarge = exceeded === 'entries';
  };
  await readRecords(
    ['ls-tree', '-r', '-z', '--long', '--full-tree', '--end-of-options', tree],
    {
      gitDir: repo.dir,
      separator: NUL,
      cpuMs: CPU_MS,
      maxRecord: 8_192,
      maxOutput: Number.POSITIVE_INFINITY,
    },
    (record) => {
      files += 1;
      // A walk by folders detects this much sooner. Other errors are reported by git.
      if (files === FILES_BEFORE_LOOK) void look().catch(() => {});
      if (isTooLarge || files > MAX_FILES)
        throw new GitError('output_too_large', 'too many files to count their languages');
      const match = FILE.exec(decodeBytes(record));
      if (match !== null) counter.add(match[2]!, Number(match[1]));
    },
  );
  return counter;
}
