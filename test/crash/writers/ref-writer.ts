import { repositoryPath, segment, type Writer, type WriterContext } from './writer.ts';

const MAX_REFS = 6;

/** Creates and deletes branches or tags through the API; every second tag has a message and so an object of its own. */
export class RefWriter implements Writer {
  readonly name: string;
  readonly #context: WriterContext;
  readonly #kind: 'branches' | 'tags';
  readonly #prefix: string;
  #count = 0;

  constructor(context: WriterContext, kind: 'branches' | 'tags') {
    this.#context = context;
    this.#kind = kind;
    this.name = `${kind} of ${context.name}`;
    this.#prefix = `refs/${kind === 'tags' ? 'tags' : 'heads'}/${context.name}/`;
  }

  async step(): Promise<void> {
    const { site, random } = this.#context;
    const mine = [...site.ledger.tips.keys()].filter((ref) => ref.startsWith(this.#prefix));
    if (mine.length > MAX_REFS || (mine.length > 0 && random.next() < 0.4)) await this.#delete(random.pick(mine));
    else await this.#create();
  }

  #name(ref: string): string {
    return ref.split('/').slice(2).join('/');
  }

  async #create(): Promise<void> {
    const { world, site, random, name } = this.#context;
    this.#count += 1;
    const ref = `${this.#prefix}${this.#count}`;
    const target = random.pick([...site.ledger.tips].filter(([each]) => each.startsWith('refs/heads/')))[1];
    const message = this.#kind === 'tags' && this.#count % 2 === 0 ? `${name} tag ${this.#count}` : null;
    const { files, history } = target;
    const after = { files, history, ...(message === null ? { oid: target.oid } : { oid: null, label: message }) };
    await site.ledger.attempt({ name: `create ${ref}`, changes: [{ ref, before: null, after }] }, async () => {
      const where = `${repositoryPath(site)}/${this.#kind}`;
      const body =
        this.#kind === 'branches'
          ? { branch: this.#name(ref), ref: target.oid }
          : { tag_name: this.#name(ref), ref: target.oid, ...(message === null ? {} : { message }) };
      const answer = await world.send<{ target?: string }>('POST', where, body);
      if (answer === null) return { acknowledged: false };
      return { acknowledged: true, ...(message === null ? {} : { oids: [answer.body.target!] }) };
    });
  }

  async #delete(ref: string): Promise<void> {
    const { world, site } = this.#context;
    const before = site.ledger.tips.get(ref)!;
    await site.ledger.attempt({ name: `delete ${ref}`, changes: [{ ref, before, after: null }] }, async () => {
      const path = `${repositoryPath(site)}/${this.#kind}/${segment(this.#name(ref))}`;
      return { acknowledged: (await world.send('DELETE', path)) !== null };
    });
  }
}
