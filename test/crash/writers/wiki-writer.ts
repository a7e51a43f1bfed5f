import { join } from 'node:path';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import type { Random } from '../random.ts';
import { Refused, type World } from '../world.ts';
import type { Writer } from './writer.ts';

const MAX_PAGES = 6;

/** Texts of the pages of a wiki, by their slugs. */
export type Pages = ReadonlyMap<string, string>;

/** A project or a group with a wiki. */
export interface WikiPlace {
  kind: 'project' | 'group';
  id: number;
  fullPath: string;
}

/** Writes the wiki of a project or group by turns: pages through the API, and several at once by pushes. */
export class WikiWriter implements Writer {
  readonly name: string;
  readonly place: WikiPlace;
  readonly #world: World;
  readonly #random: Random;
  readonly #dir: string;
  /** The pages that are there. */
  pages: Pages = new Map();
  /** What they are if the request took place that was not answered. */
  open: Pages | null = null;
  acknowledged = 0;
  #count = 0;

  constructor(world: World, random: Random, place: WikiPlace) {
    this.name = `wiki of ${place.fullPath}`;
    this.place = place;
    this.#world = world;
    this.#random = random;
    this.#dir = join(world.folder, `${place.kind}-wiki.clone`);
  }

  /** Makes the repository that is pushed from. */
  async prepare(): Promise<void> {
    await mustGit(this.#world.folder, ['init', '--quiet', '--bare', this.#dir]);
  }

  /** Address of the pages below the API. */
  get path(): string {
    return `/${this.place.kind}s/${this.place.id}/wikis`;
  }

  async step(): Promise<void> {
    this.#count += 1;
    if (this.#random.next() < 0.4) return this.#push();
    const title = `page-${this.#count}`;
    const content = this.#random.text(2_000);
    const slug = this.pages.size === 0 ? null : this.#random.pick([...this.pages.keys()]);
    const after = new Map(this.pages);
    if (slug === null || (this.pages.size < MAX_PAGES && this.#random.next() < 0.4)) {
      return this.#send(after.set(title, content), 'POST', this.path, { title, content });
    }
    const kind = this.pages.size < MAX_PAGES ? this.#random.below(3) : 0;
    if (kind === 1) return this.#send(after.set(slug, content), 'PUT', `${this.path}/${slug}`, { content });
    after.delete(slug);
    if (kind === 0) return this.#send(after, 'DELETE', `${this.path}/${slug}`);
    return this.#send(after.set(title, content), 'PUT', `${this.path}/${slug}`, { title, content });
  }

  async #send(after: Pages, method: string, path: string, body?: object): Promise<void> {
    this.open = after;
    if ((await this.#world.send(method, path, body)) !== null) this.#settle(after);
  }

  #settle(after: Pages): void {
    this.acknowledged += 1;
    this.pages = after;
    this.open = null;
  }

  /** Pushes one commit with a page that is new, and one that is changed or removed. */
  async #push(): Promise<void> {
    const { server, token } = this.#world;
    const url = cloneUrl(server.url, `${this.place.fullPath}.wiki`, token);
    const fetched = await runGitClient(this.#dir, ['fetch', '--quiet', url, '+refs/heads/*:refs/heads/*']);
    if (fetched.code !== 0) return this.#refused(`fetch: ${fetched.stderr}`);
    const base = await runGitClient(this.#dir, ['rev-parse', '--verify', '--quiet', 'refs/heads/main']);
    const lines = [
      'feature done',
      'commit refs/made',
      'mark :1',
      `committer Ada <ada@example.com> ${this.#count} +0000`,
    ];
    const message = `push ${this.#count}`;
    lines.push(`data ${message.length}`, message);
    if (base.code === 0) lines.push(`from ${base.stdout.toString('utf8').trim()}`);
    const after = new Map(this.pages);
    const old = [...after.keys()].at(0);
    if (old !== undefined && after.size >= MAX_PAGES) {
      after.delete(old);
      lines.push(`D ${old}.md`);
    }
    const changed = after.size === 0 ? [] : [this.#random.pick([...after.keys()])];
    for (const slug of [`pushed-${this.#count}`, ...changed]) {
      const content = this.#random.text(2_000);
      after.set(slug, content);
      lines.push(`M 100644 inline ${slug}.md`, `data ${content.length}`, content);
    }
    lines.push('get-mark :1', 'done', '');
    const oid = await mustGit(this.#dir, ['fast-import', '--quiet', '--force'], lines.join('\n'));
    this.open = after;
    const { code, stderr } = await runGitClient(this.#dir, ['push', '--quiet', url, `${oid}:refs/heads/main`]);
    if (code === 0) this.#settle(after);
    else this.#refused(`push: ${stderr}`);
  }

  /** @throws Refused unless the server was killed */
  #refused(text: string): void {
    if (!this.#world.killed) throw new Refused(`${this.name}: ${text}`);
  }
}
