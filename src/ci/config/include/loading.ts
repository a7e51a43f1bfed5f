import type { ConfigSources, SourceContext } from '../../sources.ts';
import { maskText } from '../../variables/mask.ts';
import type { VariableValues } from '../../variables/variable.ts';
import { ConfigError } from '../config-error.ts';
import type { Include } from '../loaded.ts';
import type { CopyBudget } from '../merge.ts';

/** Files that may be included, those counted again that are included again. */
export const MAX_INCLUDES = 150;
/** Bytes of all files together; with 150 files of 1 MB nothing else would bound the memory. */
const MAX_TOTAL_BYTES = 20 * 1024 * 1024;
const MAX_SECONDS = 30;

/** Where a file stands whose includes are followed, and what they may speak of. */
export interface Scope {
  context: SourceContext;
  variables: VariableValues;
  isChild: boolean;
}

export const NO_VARIABLES: VariableValues = new Map();

/** What all files of one configuration share: bounds, and the list of what was included. */
export class Loading {
  readonly sources: ConfigSources;
  readonly budget: CopyBudget;
  private readonly variables: VariableValues;
  private readonly deadline: number;
  private readonly described: (() => Promise<Include>)[] = [];
  private count = 0;
  private bytes = 0;

  /** @param variables those whose values are hidden where they are masked; @param seconds that fetching may take */
  constructor(sources: ConfigSources, variables: VariableValues, budget: CopyBudget, seconds = MAX_SECONDS) {
    this.sources = sources;
    this.variables = variables;
    this.budget = budget;
    this.deadline = performance.now() + seconds * 1000;
  }

  /** A text that may be shown: without the values of masked variables. */
  mask(text: string): string {
    return maskText(text, this.variables.values());
  }

  /** @param describe what the list of includes says of it once all is done; null for what is not listed. @throws ConfigError */
  addFile(describe: (() => Promise<Include>) | null): void {
    this.count++;
    if (describe !== null) this.described.push(describe);
    if (this.count > MAX_INCLUDES) throw new ConfigError(`Maximum of ${MAX_INCLUDES} nested includes are allowed!`);
  }

  /** @throws ConfigError when all files together have too many bytes */
  addBytes(content: string): void {
    this.bytes += Buffer.byteLength(content);
    if (this.bytes > MAX_TOTAL_BYTES) throw new ConfigError('Total size of combined CI/CD configuration is too big');
  }

  /** Waits for a source. @throws ConfigError when fetching has taken too long */
  async waitFor<T>(answer: Promise<T>): Promise<T> {
    const left = this.deadline - performance.now();
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new ConfigError('Request timed out when fetching configuration files.')),
      Math.max(0, left),
    );
    try {
      return await Promise.race([answer, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async list(): Promise<Include[]> {
    return await this.waitFor(Promise.all(this.described.map((describe) => describe())));
  }
}
