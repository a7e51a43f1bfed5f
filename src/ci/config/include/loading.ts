import type { ConfigSources, SourceContext } from '../../sources.ts';
import { maskText } from '../../variables/expansion.mask.ts';
import type { VariableValues } from '../../variables/variable.ts';
import { CONFIG_LIMITS, type ConfigLimits } from '../ci-config.limits.ts';
import type { CopyBudget } from '../ci-config.merge.ts';
import { ConfigError } from '../config-error.ts';
import type { Include } from '../loaded.ts';

/** Maximum total time in seconds for other servers. Local sources have limits of their own. */
const MAX_SECONDS = 30;

/** Scope of the includes in a file. */
export interface Scope {
  context: SourceContext;
  variables: VariableValues;
  isChild: boolean;
}

export const NO_VARIABLES: VariableValues = new Map();

/** State shared by all files of a configuration: limits, and the list of includes. */
export class Loading {
  readonly sources: ConfigSources;
  readonly budget: CopyBudget;
  readonly limits: ConfigLimits;
  /** Top-level keys of all files that are numbers, booleans or null. */
  readonly keysWithoutText: Set<string> = new Set();
  private readonly variables: VariableValues;
  private left: number;
  private fetching = 0;
  private since = 0;
  private readonly described: (() => Promise<Include>)[] = [];
  private count = 0;
  private bytes = 0;

  /**
   * @param variables masked values among them are hidden in messages; @param options `seconds`: time limit for other
   *   servers
   */
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

  /** Masks the values of masked variables in a text. */
  mask(text: string): string {
    return maskText(text, this.variables.values());
  }

  /**
   * @param describe creates the entry in the list of includes after loading; null for unlisted files. @throws
   *   ConfigError
   */
  addFile(describe: (() => Promise<Include>) | null): void {
    this.count++;
    if (describe !== null) this.described.push(describe);
    if (this.count > this.limits.includes)
      throw new ConfigError(`Maximum of ${this.limits.includes} nested includes are allowed!`);
  }

  /** @throws ConfigError if all files together are too large */
  addBytes(content: string): void {
    this.bytes += Buffer.byteLength(content);
    if (this.bytes > this.limits.totalBytes)
      throw new ConfigError('Total size of combined CI/CD configuration is too big');
  }

  /** Waits for another server. @throws ConfigError if the total time of all waits exceeds the limit */
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
      // Simultaneous waits count once.
      if (this.fetching === 0) this.left -= performance.now() - this.since;
    }
  }

  async list(): Promise<Include[]> {
    return await Promise.all(this.described.map((describe) => describe()));
  }
}
