import type { SourceContext, SourceProject } from '../../sources.ts';
import { textOf } from '../yaml/text-of.ts';
import { type Content, contentOf, IncludedFile, withoutSlashes } from './included-file.ts';
import type { Scope } from './loading.ts';

/** `local`: a file in the project of the including file. */
export class LocalFile extends IncludedFile {
  protected get location() {
    const { local = null } = this.params;
    return typeof local === 'string' ? withoutSlashes(local) : local;
  }

  async prepare(): Promise<string | null> {
    return this.scope.context.project === null ? `Local file \`${this.name}\` does not have project!` : null;
  }

  async fetch(): Promise<Content> {
    const file = await this.loading.sources.file(this.scope.context, this.location as string);
    return contentOf(file, `Local file \`${this.name}\``);
  }

  nestedScope(): Scope {
    return this.scope;
  }

  protected async about() {
    return { type: 'local' as const, ...(await this.addresses(this.scope.context)), extra: {} };
  }
}

/** `project` with `file`: a file of another project at a ref. */
export class ProjectFile extends IncludedFile {
  private sourceContext: SourceContext | null = null;

  protected get location() {
    const { file = null } = this.params;
    return typeof file === 'string' ? withoutSlashes(file) : file;
  }

  /** For compatibility with old lists of projects, the first one is used. */
  private get project(): string {
    const { project = null } = this.params;
    return textOf(Array.isArray(project) ? project[0] : project).toLowerCase();
  }

  async prepare(): Promise<string | null> {
    const { ref = null } = this.params;
    const source: SourceProject = await this.loading.sources.project(this.project, ref === null ? null : textOf(ref));
    const project = this.loading.mask(this.project);
    if ('denied' in source)
      return `Project \`${project}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`;
    if ('noRef' in source) return `Project \`${project}\` reference \`${this.ref}\` does not exist!`;
    this.sourceContext = source.context;
    return null;
  }

  private get ref(): string {
    const { ref = null } = this.params;
    return this.loading.mask(ref === null ? 'HEAD' : textOf(ref));
  }

  async fetch(): Promise<Content> {
    const file = await this.loading.sources.file(this.sourceContext!, this.location as string);
    return contentOf(file, `Project \`${this.loading.mask(this.project)}\` file \`${this.name}\``);
  }

  nestedScope(): Scope {
    return { ...this.scope, context: this.sourceContext! };
  }

  protected async about() {
    const extra = { project: this.loading.mask(this.project), ref: this.ref };
    return { type: 'file' as const, ...(await this.addresses(this.sourceContext!)), extra };
  }
}
