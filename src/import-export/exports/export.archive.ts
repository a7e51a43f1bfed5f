import { Readable } from 'node:stream';
import type { Caller } from '../../access/caller.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { otherBundles, repository } from '../relations/bundles.relation.ts';
import { LFS_INDEX, lfsObjects } from '../relations/lfs-objects.relation.ts';
import { ARCHIVE_RELATIONS } from '../relations/projects.relation.ts';
import { type ArchivedFile, type Exporting, PAGE, type Piece } from '../relations/relation.ts';
import { uploads } from '../relations/uploads.relation.ts';
import { USER_CONTRIBUTIONS } from '../relations/user-contributions.ts';
import { TemporaryFiles, textFile } from './temporary-files.ts';

/** Version of the format of archives (registry facts 7.1). */
const FORMAT = '0.2.4';

/** The first files of every archive. */
export function* heads(): Generator<ArchivedFile> {
  yield textFile('VERSION', FORMAT);
  yield textFile('GITLAB_VERSION', '0.0.0\n');
  yield textFile('GITLAB_REVISION', 'stithy\n');
}

/** The text of objects, without the keys in between. */
export async function* textsOf(pieces: AsyncIterable<Piece>): AsyncGenerator<string> {
  for await (const piece of pieces) if (typeof piece === 'string') yield piece;
}

/** A line for each user whom an archive names. */
export async function* peopleText({ db }: Deps, users: ReadonlySet<number>): AsyncGenerator<string> {
  const ids = [...users].sort((a, b) => a - b);
  for (let at = 0; at < ids.length; at += PAGE) {
    const rows = await db
      .selectFrom('users')
      .select(['id', 'username', 'name', 'public_email'])
      .where('id', 'in', ids.slice(at, at + PAGE))
      .orderBy('id')
      .execute();
    for (const row of rows) yield `${JSON.stringify(row)}\n`;
  }
}

/** The files of a project archive. Each is written to a temporary file first, because tar headers contain the size. */
export class ProjectArchive {
  readonly #deps: Deps;
  readonly #project: Project;
  readonly #caller: Caller;
  readonly #signal: AbortSignal;
  readonly #users = new Set<number>();
  readonly #aside: TemporaryFiles;

  /** @param caller the user who exports */
  constructor(deps: Deps, project: Project, caller: Caller, signal: AbortSignal) {
    this.#deps = deps;
    this.#project = project;
    this.#caller = caller;
    this.#signal = signal;
    this.#aside = new TemporaryFiles(deps);
  }

  /** Deletes the temporary files. */
  dispose(): Promise<void> {
    return this.#aside.dispose();
  }

  async *files(): AsyncGenerator<ArchivedFile> {
    const exporting: Exporting = {
      deps: this.#deps,
      db: this.#deps.db,
      portable: { kind: 'project', id: this.#project.id, project: this.#project },
      caller: this.#caller,
      names: (id) => {
        if (id !== null) this.#users.add(id);
      },
      signal: this.#signal,
    };
    yield* heads();
    for (const relation of ARCHIVE_RELATIONS) {
      this.#signal.throwIfAborted();
      if (relation.form === 'files' || relation.name === USER_CONTRIBUTIONS) continue;
      const name = relation.name === 'self' ? 'tree/project.json' : `tree/project/${relation.name}.ndjson`;
      yield await this.#aside.write(name, Readable.from(textsOf(relation.pieces(exporting, 0))));
    }
    for await (const file of uploads.files(exporting)) yield { ...file, name: placeOf(file.name) };
    for await (const file of lfsObjects.files(exporting)) yield { ...file, name: objectPlace(file.name) };
    yield await this.#aside.write(
      `tree/project/${USER_CONTRIBUTIONS}.ndjson`,
      Readable.from(peopleText(this.#deps, this.#users)),
    );
    yield* repository.files(exporting);
    yield* otherBundles(exporting);
  }
}

/** Path of an upload in the archive; the avatar has its own folder. */
const placeOf = (name: string): string => (name.startsWith('avatar/') ? name : `uploads/${name}`);

/** Path of an LFS object in the archive. */
const objectPlace = (name: string): string => (name === LFS_INDEX ? 'lfs-objects.json' : `lfs-objects/${name}`);
