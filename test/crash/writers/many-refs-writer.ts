import { join } from 'node:path';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import { type Change, type Tip, treeEntry } from '../ledger.ts';
import { Refused } from '../world.ts';
import type { Writer, WriterContext } from './writer.ts';

/** So many refs at once are packed by the server. */
const LEAST_REFS = 100;
const MAX_REFS = 180;
const COMMITS = 3;

/** Pushes a hundred refs and more at once: makes, moves and deletes them, in one push of all three as well; atomic or not. */
export class ManyRefsWriter implements Writer {
  readonly name: string;
  readonly #context: WriterContext;
  readonly #dir: string;
  readonly #commits: Tip[] = [];
  #count = 0;

  constructor(context: WriterContext) {
    this.#context = context;
    this.name = `many refs of ${context.name}`;
    this.#dir = join(context.world.folder, `${context.name}.clone`);
  }

  /** Makes the clone, and the commits that refs are moved between. */
  async prepare(): Promise<void> {
    const { world, site, name } = this.#context;
    await mustGit(world.folder, ['clone', '--quiet', this.#url, this.#dir]);
    const base = site.ledger.tips.get('refs/heads/main')!;
    for (let number = 0; number < COMMITS; number += 1) {
      const message = `${name} ${number}`;
      const content = `${message}\n`;
      const lines = ['feature done', 'commit refs/made', 'mark :1', 'committer Ada <ada@example.com> 0 +0000'];
      lines.push(`data ${message.length}`, message, `from ${base.oid}`);
      lines.push('M 100644 inline many.txt', `data ${content.length}`, content, 'get-mark :1', 'done', '');
      const oid = await mustGit(this.#dir, ['fast-import', '--quiet', '--force'], lines.join('\n'));
      const files = new Map(base.files).set('many.txt', treeEntry(content));
      this.#commits.push({ oid, files, history: base.history });
    }
  }

  async step(): Promise<void> {
    const { random } = this.#context;
    const mine = this.#refs();
    const create = (count: number) => Array.from({ length: count }, () => this.#create());
    if (mine.length < LEAST_REFS) return this.#push(create(LEAST_REFS + random.below(20)));
    const kind = random.below(10);
    if (kind < 2) return this.#push(mine.map((ref) => this.#move(ref)));
    if (kind < 4 || mine.length > MAX_REFS) return this.#push(mine.map((ref) => this.#delete(ref)));
    const changes = mine.map((ref, index) => (index % 3 === 0 ? this.#delete(ref) : this.#move(ref)));
    return this.#push([...changes, ...create(Math.ceil(mine.length / 3) + random.below(5))]);
  }

  get #url(): string {
    const { world, site } = this.#context;
    return cloneUrl(world.server.url, site.fullPath, world.token);
  }

  #refs(): string[] {
    const { site, name } = this.#context;
    return [...site.ledger.tips.keys()].filter((ref) => ref.split('/')[2] === name);
  }

  /** Most are tags, whose contents need not be looked at one by one; some stand in folders of their own. */
  #create(): Change {
    const { name, random } = this.#context;
    this.#count += 1;
    const folder = this.#count % 5 === 0 ? `${this.#count}/` : '';
    const ref = `refs/${this.#count % 10 === 0 ? 'heads' : 'tags'}/${name}/${folder}${this.#count}`;
    return { ref, before: null, after: random.pick(this.#commits) };
  }

  #move(ref: string): Change {
    const before = this.#context.site.ledger.tips.get(ref)!;
    const others = this.#commits.filter(({ oid }) => oid !== before.oid);
    return { ref, before, after: this.#context.random.pick(others) };
  }

  #delete(ref: string): Change {
    return { ref, before: this.#context.site.ledger.tips.get(ref)!, after: null };
  }

  async #push(changes: Change[]): Promise<void> {
    const { world, site, random, name } = this.#context;
    const options = random.next() < 0.5 ? ['--atomic'] : [];
    const label = `${name} push ${options.join(' ')} of ${changes.length} refs`;
    await site.ledger.attempt({ name: label, changes }, async () => {
      const specs = changes.map(({ ref, after }) => `${after?.oid ?? ''}:${ref}`);
      const { code, stderr } = await runGitClient(this.#dir, [
        ...['push', '--quiet', '--force', ...options, this.#url],
        ...specs,
      ]);
      if (code !== 0 && !world.killed) throw new Refused(`${label}: ${stderr}`);
      return { acknowledged: code === 0 };
    });
  }
}
