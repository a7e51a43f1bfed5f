import type { ConfigSources, SourceContext } from '../../sources.ts';
import { maskText } from '../../variables/expansion.mask.ts';
import type { VariableValues } from '../../variables/variable.ts';
import { CONFIG_LIMITS, type ConfigLimits } from '../ci-config.limits.ts';
import type { CopyBudget } from '../ci-config.merge.ts';
import { ConfigError } from '../config-error.ts';
import type { Include } from '../loaded.ts';

/** Seconds that servers elsewhere may take for all files together. What is here has bounds of its own. */
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
  readonly limits: ConfigLimits;
  /** Keys of the top level of any file that are numbers, booleans or nothing. */
  readonly keysWithoutText: Set<string> = new Set();
  private readonly variables: VariableValues;
  private left: number;
  private fetching = 0;
  private since = 0;
  private readonly described: (() => Promise<Include>)[] = [];
  private count = 0;
  private bytes = 0;

  /** @param variables those whose values are hidden where they are masked; @param options `seconds`: that servers elsewhere may take */
  constructor(
    sources: ConfigSources,
    variables: VariableValues,
    budget: CopyBudget,
    { seconds = MAX_SECONDS, limits = CONFIG_LIMITS }: { seconds?: number; limits?: ConfigLimits | undefined } = {},
  ) {
    this.limits = limits;
    this.sources = sources;
    this.variables = variables;
    this.budget = budget;
    this.left = seconds * 1000;
  }

  /** A text that may be shown: without the values of masked variables. */
  mask(text: string): string {
    return maskText(text, this.variables.values());
  }

  /** @param describe what the list of includes says of it once all is done; null for what is not listed. @throws ConfigError */
  addFile(describe: (() => Promise<Include>) | null): void {
    this.count++;
    if (describe !== null) this.described.push(describe);
    if (this.count > this.limits.includes)
      throw new ConfigError(`Maximum of ${this.limits.includes} nested includes are allowed!`);
  }

  /** @throws ConfigError when all files together have too many bytes */
  addBytes(content: string): void {
    this.bytes += Buffer.byteLength(content);
    if (this.bytes > this.limits.totalBytes)
      throw new ConfigError('Total size of combined CI/CD configuration is too big');
  }

  /** Waits for a server elsewhere. @throws ConfigError when these have taken too long, all waits together */
  async fetched<T>(answer: Promise<T>): Promise<T> {
    if (this.fetching === 0) this.since = performance.now();
    this.fetching++;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new ConfigError('Request timed out when fetching configuration files.')),
      Math.max(0, this.left - (performance.now() - this.since)),
    );
    try {
      return await Promise.race([answer, promise]);
    } finally {
      clearTimeout(timer);
      this.fetching--;
      // Waits at the same time are one wait.
      if (this.fetching === 0) this.left -= performance.now() - this.since;
    }
  }

  async list(): Promise<Include[]> {
    return await Promise.all(this.described.map((describe) => describe()));
  }
}
