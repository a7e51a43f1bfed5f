import type { SourceContext, SourceFile } from '../../sources.ts';
import { ConfigError } from '../config-error.ts';
import type { Include } from '../loaded.ts';
import { isMap, type RawMap, type RawTree } from '../yaml/reference.ts';
import type { Loading, Scope } from './loading.ts';

/** Content of a file, or the reason of a failure. */
export type Content = { content: string } | { problem: string };

const EXTENSION = /[^/]\.ya?ml$/i;

/** An include entry and the file that it names. Each step is done for all entries of a list before the next step. */
export abstract class IncludedFile {
  readonly params: RawMap;
  protected readonly loading: Loading;
  protected readonly scope: Scope;
  /** The first problem of the file. */
  problem: string | null = null;
  content = '';

  constructor(params: RawMap, scope: Scope, loading: Loading) {
    this.params = params;
    this.scope = scope;
    this.loading = loading;
  }

  /** The location as written, with variables expanded. */
  protected abstract readonly location: RawTree;
  /** Checks whether the file can be requested in its context. @returns the problem */
  abstract prepare(): Promise<string | null>;
  abstract fetch(): Promise<Content>;
  /** Scope of its own includes. */
  abstract nestedScope(): Scope;
  /** Its entry in the list of includes, besides the context. */
  protected abstract about(): Promise<Pick<Include, 'type' | 'blob' | 'raw' | 'extra'>>;

  /** Its location in messages. */
  get name(): string {
    const { location } = this;
    return this.loading.mask(typeof location === 'string' ? location : JSON.stringify(location));
  }

  /** @returns the problem of the location */
  checkLocation(): string | null {
    if (typeof this.location !== 'string') return `Included file \`${this.name}\` needs to be a string`;
    if (!EXTENSION.test(this.location)) return `Included file \`${this.name}\` does not have YAML extension!`;
    return null;
  }

  /** Checks keys that are only valid for remote files. @returns the problem */
  checkKeys(): string | null {
    const key = ['integrity', 'cache'].find((key) => (this.params[key] ?? null) !== null);
    return key === undefined ? null : `${key} can only be specified for remote includes`;
  }

  /** Values of `component.*` in its text. */
  componentContext(): Readonly<Record<string, string>> {
    return {};
  }

  /** @throws ConfigError */
  inputs(): RawMap {
    const { inputs = null } = this.params;
    if (inputs === null) return {};
    if (!isMap(inputs)) throw new ConfigError('Given inputs must be a hash');
    return inputs;
  }

  async describe(): Promise<Include> {
    const { type, blob, raw, extra } = await this.about();
    const { project, sha } = this.scope.context;
    return { type, location: this.name, blob, raw, extra, context_project: project, context_sha: sha };
  }

  /** Web URLs of a file in a repository. */
  protected async addresses(context: SourceContext): Promise<{ blob: string | null; raw: string | null }> {
    const urls = await this.loading.sources.addresses(context, this.path);
    if (urls === null) return { blob: null, raw: null };
    return { blob: this.loading.mask(urls.blob), raw: this.loading.mask(urls.raw) };
  }

  protected get path(): string {
    return this.location as string;
  }

  protected text(key: string): string {
    const value = this.params[key];
    return typeof value === 'string' ? value : '';
  }
}

/** @param what name of the file in messages, such as "Local file `a.yml`" */
export function contentOf(file: SourceFile, what: string, missing = `${what} does not exist!`): Content {
  if ('missing' in file) return { problem: missing };
  if ('content' in file) return file.content.trim() === '' ? { problem: `${what} is empty!` } : file;
  return { problem: 'binary' in file ? `${what} is not a text!` : `${what} is too large!` };
}

export const withoutSlashes = (path: string): string => path.replace(/^\/+/, '');
