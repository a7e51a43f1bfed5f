import { globMatcher } from '../../src/ci/globs.ts';
import type { ConfigSources, SourceContext, SourceFile } from '../../src/ci/sources.ts';

/** Files by their path: a text, or its lines. */
export type Files = Readonly<Record<string, string | readonly string[]>>;

/** What is around a configuration that is compiled in a test. */
export interface World {
  /** Files of the project `group/project` that the configuration stands in. */
  files?: Files;
  /** Files of other projects, by full path and ref; the first ref is the default branch. */
  projects?: Readonly<Record<string, Readonly<Record<string, Files>>>>;
  /** What addresses elsewhere answer; what is not listed answers 404. */
  remote?: Files;
  templates?: Files;
  /** Projects of components, as in `projects`; an address is `host/<project>/<name>@<ref>`. */
  components?: Readonly<Record<string, Readonly<Record<string, Files>>>>;
  /** Artifacts of the parent pipeline, by job. */
  artifacts?: Readonly<Record<string, Files>>;
  /** What the pipeline changes; nothing is known without it. */
  changed?: readonly string[];
}

export const PROJECT = 'group/project';
export const SHA = 'a'.repeat(40);
const WEB = 'https://stithy.example';

const textOf = (content: string | readonly string[]): string =>
  typeof content === 'string' ? content : `${content.join('\n')}\n`;
const shaOf = (ref: string): string => Buffer.from(ref).toString('hex').padEnd(40, '0').slice(0, 40);

/** Sources that have everything in memory, for tests of `compile`. Remembers what was asked. */
export class MemorySources implements ConfigSources {
  readonly asked: string[] = [];
  private readonly world: World;

  constructor(world: World = {}) {
    this.world = world;
  }

  private filesAt({ project, sha }: SourceContext): Files {
    if (project === PROJECT && sha === SHA) return this.world.files ?? {};
    const refs = this.world.projects?.[project ?? ''] ?? this.world.components?.[project ?? ''] ?? {};
    return Object.entries(refs).find(([ref]) => shaOf(ref) === sha)?.[1] ?? {};
  }

  private fileIn(files: Files | undefined, path: string): SourceFile {
    if (files === undefined || !Object.hasOwn(files, path)) return { missing: true };
    const content = textOf(files[path]!);
    if (content.includes('\0')) return { binary: true };
    return content.length > 1024 * 1024 ? { tooLarge: true } : { content };
  }

  async file(context: SourceContext, path: string): Promise<SourceFile> {
    this.asked.push(`${context.project}:${path}`);
    return this.fileIn(this.filesAt(context), path);
  }

  async paths(context: SourceContext, globs: readonly string[], limit: number): Promise<string[]> {
    const fits = globMatcher(globs);
    return Object.keys(this.filesAt(context)).filter(fits).sort().slice(0, limit);
  }

  async project(fullPath: string, ref: string | null) {
    const [match] = Object.entries(this.world.projects ?? {}).filter(([path]) => path.toLowerCase() === fullPath);
    if (match === undefined) return { denied: true as const };
    const [project, refs] = match;
    const name = ref ?? Object.keys(refs)[0]!;
    return Object.hasOwn(refs, name) ? { context: { project, sha: shaOf(name) } } : { noRef: true as const };
  }

  async remote(url: string) {
    this.asked.push(url);
    const content = this.world.remote?.[url];
    return content === undefined
      ? { error: 'after 1 attempt because of HTTP code `404` error!' }
      : { content: textOf(content) };
  }

  async template(name: string): Promise<SourceFile> {
    return this.fileIn(this.world.templates, name);
  }

  async component(address: string) {
    const [, project = '', name = '', version = ''] = /^[^/]+\/(.+)\/([\w-]+)@(.+)$/.exec(address) ?? [];
    const files = this.world.components?.[project]?.[version];
    const path = [`templates/${name}.yml`, `templates/${name}/template.yml`].find(
      (path) => files?.[path] !== undefined,
    );
    if (files === undefined || path === undefined) return { error: `Component '${address}' - content not found` };
    const sha = shaOf(version);
    const content = textOf(files[path]!);
    return { context: { project, sha }, path, content, name, version, sha, reference: version };
  }

  async artifact(job: string, path: string) {
    const files = this.world.artifacts?.[job];
    if (files === undefined)
      return { error: `Job \`${job}\` not found in parent pipeline or does not have artifacts!` };
    const content = files[path];
    return content === undefined
      ? { error: `Path \`${path}\` does not exist inside the \`${job}\` artifacts archive!` }
      : { content: textOf(content) };
  }

  async changedPaths(compareTo: string | null) {
    if (compareTo === 'no-such-ref') return { invalidRef: true as const };
    return this.world.changed === undefined ? null : [...this.world.changed];
  }

  addresses({ project, sha }: SourceContext, path: string) {
    return { blob: `${WEB}/${project}/-/blob/${sha}/${path}`, raw: `${WEB}/${project}/-/raw/${sha}/${path}` };
  }
}
