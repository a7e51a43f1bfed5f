import { createHash } from 'node:crypto';
import { parseDuration } from '../../ci.durations.ts';
import type { SourceComponent } from '../../sources.ts';
import { type Content, contentOf, IncludedFile } from './included-file.ts';
import { NO_VARIABLES, type Scope } from './loading.ts';

const NOWHERE: Scope = { context: { project: null, sha: null }, variables: NO_VARIABLES, isChild: false };
const TEMPLATE = '.gitlab-ci.yml';
const HOUR = 3600;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

/** `remote`: a file by its URL. Its own includes have no project and no variables. */
export class RemoteFile extends IncludedFile {
  protected get location() {
    return this.params.remote ?? null;
  }

  override checkLocation(): string | null {
    const problem = super.checkLocation();
    if (problem !== null) return problem;
    if (!isWebAddress(this.location as string)) return `Remote file \`${this.name}\` does not have a valid address!`;
    return null;
  }

  override checkKeys(): string | null {
    const { integrity = null } = this.params;
    if (integrity === null) return null;
    if (typeof integrity !== 'string' || !integrity.startsWith('sha256-'))
      return "integrity hash must start with 'sha256-'";
    return BASE64.test(integrity.slice('sha256-'.length)) ? null : 'integrity hash must be base64 encoded';
  }

  async prepare(): Promise<string | null> {
    return null;
  }

  private get cacheSeconds(): number | null {
    const { cache = null } = this.params;
    if (cache === true) return HOUR;
    return typeof cache === 'string' || typeof cache === 'number' ? parseDuration(String(cache)) : null;
  }

  async fetch(): Promise<Content> {
    const { sources } = this.loading;
    const file = await this.loading.fetched(sources.remote(this.location as string, this.cacheSeconds));
    if ('error' in file) {
      // The URL of a refused address is omitted, because the reason contains it.
      const name = file.error.startsWith('because URL ') ? '' : ` \`${this.name}\``;
      return { problem: `Remote file${name} could not be fetched ${this.loading.mask(file.error)}` };
    }
    if (file.content.trim() === '')
      return { problem: `Remote file \`${this.name}\` could not be fetched because the response was empty!` };
    const { integrity } = this.params;
    if (typeof integrity === 'string') {
      const digest = createHash('sha256').update(file.content).digest('base64');
      if (integrity !== `sha256-${digest}`) return { problem: `Remote file \`${this.name}\` failed integrity check!` };
    }
    return file;
  }

  nestedScope(): Scope {
    return NOWHERE;
  }

  protected async about() {
    return { type: 'remote' as const, blob: null, raw: this.name, extra: {} };
  }
}

export function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' && /^https?:\/\//i.test(text);
}

/** `template`: a built-in template. */
export class TemplateFile extends IncludedFile {
  protected get location() {
    return this.params.template ?? null;
  }

  override checkLocation(): string | null {
    const problem = super.checkLocation();
    if (problem !== null) return problem;
    const name = this.location as string;
    return name.endsWith(TEMPLATE) ? null : `Template file \`${this.name}\` is not a valid location!`;
  }

  async prepare(): Promise<string | null> {
    return null;
  }

  async fetch(): Promise<Content> {
    const file = await this.loading.sources.template(this.location as string);
    const missing = `Included file \`${this.name}\` is empty or does not exist!`;
    return contentOf(file, `Included file \`${this.name}\``, missing);
  }

  nestedScope(): Scope {
    return NOWHERE;
  }

  protected async about() {
    return { type: 'template' as const, blob: null, raw: null, extra: {} };
  }
}

/** `artifact` of `job`: a file made by a job of the parent pipeline. */
export class ArtifactFile extends IncludedFile {
  protected get location() {
    return this.params.artifact ?? null;
  }

  async prepare(): Promise<string | null> {
    if (!this.scope.isChild) return 'Including configs from artifacts is only allowed when triggering child pipelines';
    return this.text('job').trim() === '' ? 'Job must be provided when including configs from artifacts' : null;
  }

  async fetch(): Promise<Content> {
    const file = await this.loading.sources.artifact(this.text('job'), this.location as string);
    if ('error' in file) return { problem: this.loading.mask(file.error) };
    return file.content.trim() === '' ? { problem: `File \`${this.name}\` is empty!` } : file;
  }

  nestedScope(): Scope {
    return this.scope;
  }

  protected async about() {
    const extra = { job_name: this.loading.mask(this.text('job')) };
    return { type: 'artifact' as const, blob: null, raw: null, extra };
  }
}

/** `component`: a file in `templates/` of another project, by `host/project/name@version`. */
export class ComponentFile extends IncludedFile {
  private component: Exclude<SourceComponent, { error: string }> | null = null;

  protected get location() {
    return this.params.component ?? null;
  }

  override checkLocation(): string | null {
    return typeof this.location === 'string' ? null : `Included file \`${this.name}\` needs to be a string`;
  }

  async prepare(): Promise<string | null> {
    return this.scope.context.project === null ? 'Unable to use components outside of a project context' : null;
  }

  async fetch(): Promise<Content> {
    const component = await this.loading.sources.component(this.location as string);
    if ('error' in component) return { problem: this.loading.mask(component.error) };
    this.component = component;
    return component;
  }

  override componentContext(): Readonly<Record<string, string>> {
    const { name, sha, version, reference } = this.component!;
    return { name, sha, version, reference };
  }

  nestedScope(): Scope {
    return { ...this.scope, context: this.component!.context, isChild: false };
  }

  protected override get path(): string {
    return this.component!.path;
  }

  protected async about() {
    const { blob } = await this.addresses(this.component!.context);
    return { type: 'component' as const, blob, raw: null, extra: {} };
  }
}
