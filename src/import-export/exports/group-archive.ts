import { Readable } from 'node:stream';
import { AFTER_LINEAGE } from '../../access/access.membership.ts';
import type { Caller } from '../../access/caller.ts';
import { inBatches } from '../../db/in-batches.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Deps } from '../../deps.ts';
import { GROUP_RELATIONS } from '../relations/groups.relation.ts';
import { type ArchivedFile, type Exporting, PAGE, type TreeRelation } from '../relations/relation.ts';
import { USER_CONTRIBUTIONS } from '../relations/user-contributions.ts';
import { heads, peopleText, textsOf } from './export.archive.ts';
import { TemporaryFiles, textFile } from './temporary-files.ts';

const isTree = (relation: (typeof GROUP_RELATIONS)[number]): relation is TreeRelation =>
  relation.form === 'objects' && relation.name !== USER_CONTRIBUTIONS;

/** The files of a group archive, with subgroups but without projects (registry facts 7.2). */
export class GroupArchive {
  readonly #deps: Deps;
  readonly #group: Namespace;
  readonly #caller: Caller;
  readonly #signal: AbortSignal;
  readonly #aside: TemporaryFiles;

  /** @param caller the user who exports */
  constructor(deps: Deps, group: Namespace, caller: Caller, signal: AbortSignal) {
    this.#deps = deps;
    this.#group = group;
    this.#caller = caller;
    this.#signal = signal;
    this.#aside = new TemporaryFiles(deps);
  }

  dispose(): Promise<void> {
    return this.#aside.dispose();
  }

  async *files(): AsyncGenerator<ArchivedFile> {
    yield* heads();
    const ids: number[] = [];
    for await (const group of this.#groups()) {
      ids.push(group.id);
      yield* this.#of(group);
    }
    yield textFile('tree/groups/_all.ndjson', ids.map((id) => `${id}\n`).join(''));
  }

  /** The group and its descendants, parents first. */
  async *#groups(): AsyncGenerator<Namespace> {
    const { lineage } = this.#group;
    const inside = this.#deps.db
      .selectFrom('namespaces')
      .selectAll()
      .where('kind', '=', 'group')
      .where('lineage', '>=', lineage)
      .where('lineage', '<', lineage + AFTER_LINEAGE);
    for await (const page of inBatches(inside, PAGE, 'lineage')) yield* page;
  }

  async *#of(group: Namespace): AsyncGenerator<ArchivedFile> {
    const users = new Set<number>();
    const exporting: Exporting = {
      deps: this.#deps,
      db: this.#deps.db,
      portable: { kind: 'group', id: group.id, group },
      caller: this.#caller,
      names: (id) => {
        if (id !== null) users.add(id);
      },
      signal: this.#signal,
    };
    const folder = `tree/groups/${group.id}`;
    for (const relation of GROUP_RELATIONS.filter(isTree)) {
      this.#signal.throwIfAborted();
      const text = textsOf(relation.pieces(exporting, 0));
      if (relation.name === 'self') yield textFile(`${folder}.json`, await this.#selfOf(group, text));
      else yield await this.#aside.write(`${folder}/${relation.name}.ndjson`, Readable.from(text));
    }
    yield await this.#aside.write(`${folder}/members.ndjson`, Readable.from(this.#members(group, users)));
    yield await this.#aside.write(
      `${folder}/${USER_CONTRIBUTIONS}.ndjson`,
      Readable.from(peopleText(this.#deps, users)),
    );
  }

  /** Attributes of a group, with its parent if that is in the archive as well. */
  async #selfOf({ id, parent_id }: Namespace, text: AsyncIterable<string>): Promise<string> {
    let self = '';
    for await (const part of text) self += part;
    return JSON.stringify({ ...JSON.parse(self), parent_id: id === this.#group.id ? null : parent_id });
  }

  async *#members({ id: source_id }: Namespace, users: Set<number>): AsyncGenerator<string> {
    for (let after = 0; ; ) {
      const page = await this.#deps.db
        .selectFrom('members')
        .innerJoin('users', 'users.id', 'members.user_id')
        .select([
          'members.id',
          'user_id',
          'access_level',
          'expires_at',
          'members.created_at',
          'username',
          'public_email',
        ])
        .where('source_type', '=', 'group')
        .where('source_id', '=', source_id)
        .where('users.kind', '=', 'human')
        .where('members.id', '>', after)
        .orderBy('members.id')
        .limit(PAGE)
        .execute();
      for (const { id: _id, username, public_email, ...member } of page) {
        users.add(member.user_id);
        const user = { id: member.user_id, public_email, username };
        yield `${JSON.stringify({ ...member, source_type: 'Namespace', user })}\n`;
      }
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  }
}
