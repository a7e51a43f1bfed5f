import type { PushRule } from '../../db/tables/push-rules.table.ts';
import type { Repository } from '../../git/repository/index.ts';
import { largePushedBlobs, type NewFile } from '../../git/transport/index.ts';
import type { Patterns } from './commit-rules.ts';
import { secretPattern } from './push-rules.secrets.ts';

const MEBIBYTE = 1024 * 1024;
const BATCH = 500;

/** Whether a push rule requires the files of commits. */
export const needsFiles = (rule: PushRule): boolean =>
  rule.file_name_regex !== '' || rule.prevent_secrets === 1 || rule.max_file_size > 0;

/** Returns the refusal of a file name, or null. */
export function refuseName(rule: PushRule, { file }: Patterns, path: string): string | null {
  if (file?.test(path) === true) return prohibited(path, file.source);
  const secret = rule.prevent_secrets === 1 ? secretPattern(path) : null;
  return secret === null ? null : prohibited(path, secret);
}

const prohibited = (path: string, pattern: string): string =>
  `File name '${path.toWellFormed()}' was prohibited by the pattern '${pattern}'.`;

/** Finds files above the size limit among those that are new to the repository. */
export class FileSizes {
  readonly #repo: Repository;
  readonly #megabytes: number;
  /** Large objects of a push that the repository does not have. */
  #pushed: Set<string> | null = null;
  /** For commits that are already in the repository: files still to check, by blob. */
  readonly #waiting = new Map<string, string>();

  constructor(repo: Repository, megabytes: number) {
    this.#repo = repo;
    this.#megabytes = megabytes;
  }

  /** Records the large objects of a push. @param env of the quarantine; empty if there is none */
  async begin(env: Readonly<Record<string, string>>): Promise<void> {
    if (this.#megabytes === 0 || Object.keys(env).length === 0) return;
    const pushed = await largePushedBlobs(this.#repo, env, this.#megabytes * MEBIBYTE);
    // Existing objects may be sent again as delta bases and do not count.
    for (const oid of pushed) if ((await this.#repo.objects.info(oid)) !== null) pushed.delete(oid);
    this.#pushed = pushed;
  }

  /**
   * Returns the refusal of a file if it is known immediately, and whether `settle` should be called soon because many
   * files are pending.
   */
  take({ path, blob }: NewFile): { reason: string | null; full: boolean } {
    if (this.#megabytes === 0) return { reason: null, full: false };
    if (this.#pushed !== null) return { reason: this.#pushed.has(blob) ? this.#tooLarge(path) : null, full: false };
    this.#waiting.set(blob, path);
    return { reason: null, full: this.#waiting.size >= BATCH };
  }

  /** Checks the pending files. */
  async settle(): Promise<string | null> {
    if (this.#waiting.size === 0) return null;
    const paths = await Promise.all(
      [...this.#waiting].map(async ([blob, path]) => {
        const { size = 0 } = (await this.#repo.objects.info(blob)) ?? {};
        return size > this.#megabytes * MEBIBYTE ? path : null;
      }),
    );
    this.#waiting.clear();
    const large = paths.find((path) => path !== null);
    return large === undefined ? null : this.#tooLarge(large!);
  }

  #tooLarge(path: string): string {
    return `File '${path.toWellFormed()}' is larger than the allowed size of ${this.#megabytes} MiB. Use Git LFS to manage this file.`;
  }
}
