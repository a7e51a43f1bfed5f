import type { Project } from '../../src/db/tables/projects.table.ts';
import { expectStatus, ROOT_TOKEN, type TestApp } from './app.ts';
import { ProjectGit } from './project-git.ts';

/** A pull mirror as answers show it. */
export type MirrorJson = Record<string, unknown>;

/** A project, and another one that follows it over HTTP: both on a server that listens and may reach itself. */
export class MirrorPair {
  readonly app: TestApp;
  readonly source: Project;
  readonly copy: Project;
  readonly from: ProjectGit;
  readonly to: ProjectGit;
  readonly #base: string;

  constructor(app: TestApp, base: string, source: Project, copy: Project) {
    this.app = app;
    this.source = source;
    this.copy = copy;
    this.from = new ProjectGit(app, source);
    this.to = new ProjectGit(app, copy);
    this.#base = base;
  }

  /** @param app of `buildTestApp` with `STITHY_ALLOW_LOCAL_NETWORK` */
  static async make(app: TestApp): Promise<MirrorPair> {
    const base = await app.listen();
    return new MirrorPair(app, base, await app.make.project(), await app.make.project());
  }

  get plain(): string {
    return `${this.#base}/${this.source.full_path}.git`;
  }

  /** With the administrator's credentials. */
  get address(): string {
    return this.plain.replace('//', `//root:${ROOT_TOKEN}@`);
  }

  get path(): string {
    return `/projects/${this.copy.id}/mirror/pull`;
  }

  /** Sets the mirror up, and brings it up to date. */
  async follow(options: Record<string, unknown> = {}, token = ROOT_TOKEN): Promise<MirrorJson> {
    const json = { enabled: true, url: this.address, ...options };
    expectStatus(await this.app.put(this.path, { json, token }), 200);
    await this.app.drain();
    return this.state();
  }

  /** Brings it up to date again. */
  async update(): Promise<MirrorJson> {
    expectStatus(await this.app.post(this.path), 202);
    await this.app.drain();
    return this.state();
  }

  async state(): Promise<MirrorJson> {
    return expectStatus<MirrorJson>(await this.app.get(this.path), 200);
  }

  /** Branches and tags with what they point to. */
  refs(git: ProjectGit): string[] {
    return git.run(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags']).split('\n');
  }

  /** Short names of what the copy has. */
  names(folder = 'refs/heads'): string[] {
    return this.to.run(['for-each-ref', '--format=%(refname:lstrip=2)', folder]).split('\n').filter(Boolean);
  }

  /** Requests that git has sent to the source so far. */
  requests(): { listings: number; fetches: number } {
    const lines = this.app.logLines
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.includes(`${this.source.full_path}.git/`));
    const count = (part: string) => lines.filter((line) => line.includes(part) && line.includes('"status":200')).length;
    return { listings: count('git/info/refs'), fetches: count('git/git-upload-pack') };
  }
}
