import { join } from 'node:path';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import { type Change, type Tip, treeEntry } from '../ledger.ts';
import { Refused } from '../world.ts';
import type { Writer, WriterContext } from './writer.ts';

const MAX_BRANCHES = 5;
/** More objects than git unpacks one by one, so that the push is kept as a pack. */
const MANY_FILES = 120;

/** Pushes from a repository of its own with the real git: new branches, fast-forwards, several refs at once, by force, deletions. */
export class PushWriter implements Writer {
  readonly name: string;
  readonly #context: WriterContext;
  readonly #dir: string;
  readonly #prefix: string;
  #count = 0;

  constructor(context: WriterContext) {
    this.#context = context;
    this.name = `pushes of ${context.name}`;
    this.#dir = join(context.world.folder, `${context.name}.clone`);
    this.#prefix = `refs/heads/${context.name}/`;
  }

  /** Makes the clone. */
  async prepare(): Promise<void> {
    const { world, site } = this.#context;
    await mustGit(world.folder, [
      'clone',
      '--quiet',
      cloneUrl(world.server.url, site.fullPath, world.token),
      this.#dir,
    ]);
  }

  async step(): Promise<void> {
    const { random, site } = this.#context;
    this.#count += 1;
    const mine = [...site.ledger.tips.keys()].filter((ref) => ref.startsWith(this.#prefix));
    if (mine.length === 0) return this.#push(await this.#create());
    const ref = random.pick(mine);
    const kind = random.below(10);
    if (mine.length > MAX_BRANCHES || kind === 0) return this.#push(this.#delete(ref));
    if (kind < 3) return this.#push(await this.#create());
    if (kind < 6) return this.#push(await this.#advance(ref));
    if (kind < 8) return this.#push(await this.#replace(ref), '--force');
    const changes = [await this.#advance(ref), await this.#create(), this.#tag(ref)];
    const other = mine.find((each) => each !== ref);
    return this.#push([...changes, ...(other === undefined ? [] : [this.#delete(other)])].flat(), '--atomic');
  }

  async #create(): Promise<Change[]> {
    const base = this.#context.site.ledger.tips.get('refs/heads/main')!;
    return [{ ref: `${this.#prefix}${this.#count}`, before: null, after: await this.#commit(base) }];
  }

  async #advance(ref: string): Promise<Change[]> {
    const before = this.#context.site.ledger.tips.get(ref)!;
    return [{ ref, before, after: await this.#commit(before) }];
  }

  /** A commit beside the one the branch has now. */
  async #replace(ref: string): Promise<Change[]> {
    const before = this.#context.site.ledger.tips.get(ref)!;
    return [{ ref, before, after: await this.#commit(this.#context.site.ledger.tips.get('refs/heads/main')!) }];
  }

  #delete(ref: string): Change[] {
    return [{ ref, before: this.#context.site.ledger.tips.get(ref)!, after: null }];
  }

  #tag(ref: string): Change[] {
    const tag = `refs/tags/${this.#context.name}/${this.#count}`;
    return [{ ref: tag, before: null, after: this.#context.site.ledger.tips.get(ref)! }];
  }

  /** Writes a commit on top of another in the clone. */
  async #commit(base: Tip): Promise<Tip> {
    const { random, name } = this.#context;
    this.#count += 1;
    const files = new Map(base.files);
    const lines = [
      'feature done',
      'commit refs/made',
      'mark :1',
      `committer Ada <ada@example.com> ${this.#count} +0000`,
    ];
    const message = `${name} push ${this.#count}`;
    lines.push(`data ${message.length}`, message, `from ${base.oid}`);
    for (let left = random.next() < 0.1 ? MANY_FILES : random.below(3) + 1; left > 0; left -= 1) {
      const path = `pushed/${random.below(200)}.txt`;
      const content = random.text(1_500);
      files.set(path, treeEntry(content));
      lines.push(`M 100644 inline ${path}`, `data ${content.length}`, content);
    }
    lines.push('get-mark :1', 'done', '');
    const oid = await mustGit(this.#dir, ['fast-import', '--quiet', '--force'], lines.join('\n'));
    return { oid, files, history: base.history };
  }

  async #push(changes: Change[], ...options: string[]): Promise<void> {
    const { world, site, name } = this.#context;
    const label = `${name} push ${options.join(' ')} of ${changes.map(({ ref }) => ref).join(' ')}`;
    await site.ledger.attempt({ name: label, changes }, async () => {
      const specs = changes.map(({ ref, after }) => `${after?.oid ?? ''}:${ref}`);
      const url = cloneUrl(world.server.url, site.fullPath, world.token);
      const { code, stderr } = await runGitClient(this.#dir, ['push', '--quiet', ...options, url, ...specs]);
      if (code !== 0 && !world.killed) throw new Refused(`${label}: ${stderr}`);
      return { acknowledged: code === 0 };
    });
  }
}
