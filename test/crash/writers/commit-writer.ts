import { treeEntry } from '../ledger.ts';
import { repositoryPath, segment, type Writer, type WriterContext } from './writer.ts';

const MAX_FILES = 12;

type Action = Record<string, string | boolean>;

/** Commits to a branch of its own through the API: single files, and several actions at once. */
export class CommitWriter implements Writer {
  readonly name: string;
  readonly #context: WriterContext;
  readonly #ref: string;
  #count = 0;

  constructor(context: WriterContext) {
    this.#context = context;
    this.name = `commits of ${context.name}`;
    this.#ref = `refs/heads/${context.name}`;
  }

  async step(): Promise<void> {
    this.#count += 1;
    const label = `${this.#context.name} commit ${this.#count}`;
    if (this.#context.site.ledger.tips.has(this.#ref) && this.#context.random.next() < 0.4) await this.#oneFile(label);
    else await this.#actions(label);
  }

  /** The files endpoint does not tell the commit's id; the next request asks for it. */
  async #oneFile(label: string): Promise<void> {
    const { world, site, random, name } = this.#context;
    const before = site.ledger.tips.get(this.#ref)!;
    const path = `single/${label.replaceAll(' ', '-')}.txt`;
    const content = random.text(2_000);
    const files = new Map(before.files).set(path, treeEntry(content));
    const after = { oid: null, label, files, history: before.history };
    await site.ledger.attempt({ name: label, changes: [{ ref: this.#ref, before, after }] }, async () => {
      const body = { branch: name, commit_message: label, content };
      const url = `${repositoryPath(site)}/files/${segment(path)}`;
      if ((await world.send('POST', url, body)) === null) return { acknowledged: false };
      const commit = await world.send<{ id: string }>('GET', `${repositoryPath(site)}/commits/${segment(name)}`);
      return { acknowledged: true, ...(commit === null ? {} : { oids: [commit.body.id] }) };
    });
  }

  async #actions(label: string): Promise<void> {
    const { world, site, random, name } = this.#context;
    const before = site.ledger.tips.get(this.#ref) ?? null;
    const base = before ?? site.ledger.tips.get('refs/heads/main') ?? null;
    const files = new Map(base?.files);
    const actions: Action[] = [];
    for (let left = random.below(5); left > 0; left -= 1) actions.push(this.#action(files, `${label}-${left}`));
    // Actions may undo one another; the last one makes sure that there is something to commit.
    actions.push(this.#create(files, label));
    const after = { oid: null, label, files, history: base?.history ?? [] };
    await site.ledger.attempt({ name: label, changes: [{ ref: this.#ref, before, after }] }, async () => {
      const start = before === null && base !== null ? { start_branch: 'main' } : {};
      const body = { branch: name, commit_message: label, actions, ...start };
      const answer = await world.send<{ id: string }>('POST', `${repositoryPath(site)}/commits`, body);
      return answer === null ? { acknowledged: false } : { acknowledged: true, oids: [answer.body.id] };
    });
  }

  #create(files: Map<string, string>, label: string): Action {
    const path = `many/${label.replaceAll(' ', '-')}.txt`;
    const content = `${label}\n${this.#context.random.text(3_000)}`;
    const executable = this.#context.random.next() < 0.3;
    files.set(path, treeEntry(content, executable));
    return { action: 'create', file_path: path, content, execute_filemode: executable };
  }

  /** Chooses an action and does the same to `files`. */
  #action(files: Map<string, string>, label: string): Action {
    const { random } = this.#context;
    const path = `many/${label.replaceAll(' ', '-')}.txt`;
    const known = [...files.keys()].filter((each) => each.startsWith('many/'));
    const old = known.length === 0 ? undefined : random.pick(known);
    const kind = old === undefined ? 'create' : random.pick(known.length > MAX_FILES ? FEWER : KINDS);
    if (kind === 'create' || old === undefined) return this.#create(files, label);
    const entry = files.get(old)!;
    const [mode, oid] = entry.split(' ') as [string, string];
    if (kind === 'update') {
      const content = `${label}\n${random.text(3_000)}`;
      files.set(old, treeEntry(content, mode === '100755'));
      return { action: 'update', file_path: old, content };
    }
    if (kind === 'chmod') {
      files.set(old, `${mode === '100755' ? '100644' : '100755'} ${oid}`);
      return { action: 'chmod', file_path: old, execute_filemode: mode !== '100755' };
    }
    files.delete(old);
    if (kind === 'delete') return { action: 'delete', file_path: old };
    files.set(path, entry);
    return { action: 'move', file_path: path, previous_path: old };
  }
}

const KINDS = ['create', 'create', 'update', 'move', 'delete', 'chmod'] as const;
const FEWER = ['update', 'move', 'delete', 'delete', 'chmod'] as const;
