import { checkOids } from './arguments.ts';
import { type LanguageData, LanguageDetector } from './language-detection.ts';
import { isDocumentationPath, isGeneratedPath, isVendoredPath } from './language-paths.ts';
import { readRecords } from './records.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';

export interface LanguageShare {
  name: string;
  bytes: number;
}

const TIMEOUT_MS = 120_000;
const NUL = 0;
/** A file of `git ls-tree --long`; links and submodules have other modes. */
const FILE = /^100\d{3} blob [0-9a-f]+ +(\d+)\t(.+)$/s;
const results = new ResultCache<readonly LanguageShare[]>(1024 * 1024, (shares) => shares.length * 80);
let detector: Promise<LanguageDetector> | undefined;

/** The data is large and rarely needed: it is loaded when it first is. */
async function loadDetector(): Promise<LanguageDetector> {
  const languages = await import('linguist-languages');
  return new LanguageDetector(Object.values<LanguageData>(languages));
}

function isLeftOut(path: string): boolean {
  return isVendoredPath(path) || isDocumentationPath(path) || isGeneratedPath(path);
}

function add(totals: Map<string, number>, key: string, bytes: number): void {
  totals.set(key, (totals.get(key) ?? 0) + bytes);
}

/** Bytes by language; those that several languages claim go to the one the repository has most of, else the first. */
class Counter {
  readonly #detector: LanguageDetector;
  readonly #certain = new Map<string, number>();
  readonly #shared = new Map<readonly LanguageData[], number>();

  constructor(languages: LanguageDetector) {
    this.#detector = languages;
  }

  add(path: string, bytes: number): void {
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
      const names = candidates.map((language) => this.#detector.counted(language)).filter((name) => name !== null);
      const [best] = names.toSorted((a, b) => (this.#certain.get(b) ?? 0) - (this.#certain.get(a) ?? 0));
      if (best !== undefined) add(totals, best, bytes);
    }
    const shares = [...totals].map(([name, bytes]) => ({ name, bytes }));
    return shares.sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  }
}

/**
 * How many bytes of a commit's files are written in which programming or markup language, most first; told by the
 * files' names. Vendored, generated and documentation files do not count.
 * Serves `GET /projects/:id/languages`.
 * @throws GitError `invalid` for an incomplete id, `failed` where it is not in the repository, `timeout` after 2 minutes
 */
export async function languagesOf(repo: Repository, commit: string): Promise<readonly LanguageShare[]> {
  checkOids([commit]);
  return await results.get(cacheKey(repo.id, commit), async () => {
    detector ??= loadDetector();
    const counter = new Counter(await detector);
    await readRecords(
      ['ls-tree', '-r', '-z', '--long', '--full-tree', '--end-of-options', commit],
      {
        gitDir: repo.dir,
        separator: NUL,
        timeoutMs: TIMEOUT_MS,
        maxRecord: 8_192,
        maxOutput: Number.POSITIVE_INFINITY,
      },
      (record) => {
        const match = FILE.exec(record.toString('utf8'));
        if (match !== null && !isLeftOut(match[2]!)) counter.add(match[2]!, Number(match[1]));
      },
    );
    return counter.shares();
  });
}
