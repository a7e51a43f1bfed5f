import { Readable } from 'node:stream';
import type { Project } from '../../db/tables/projects.ts';
import type { Deps } from '../../deps.ts';
import { gitOutput } from '../../git/output.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { PROJECT_RELATIONS } from '../relations/projects.ts';
import { type ArchivedFile, type Exporting, PAGE, type Piece } from '../relations/relation.ts';
import { uploads } from '../relations/uploads.ts';
import { USER_CONTRIBUTIONS } from '../relations/user-contributions.ts';

/** Version of the format of archives (registry facts 7.1). */
const FORMAT = '0.2.4';
const BUNDLE_MS = 3_600_000;

const textFile = (name: string, text: string): ArchivedFile => {
  const bytes = Buffer.from(text);
  return { name, size: bytes.length, open: async () => bytes };
};

async function* textsOf(pieces: AsyncIterable<Piece>): AsyncGenerator<string> {
  for await (const piece of pieces) if (typeof piece === 'string') yield piece;
}

/** The files of an archive of a project, each written aside first, for an archive says before a file how long it is. */
export class ProjectArchive {
  readonly #deps: Deps;
  readonly #project: Project;
  readonly #signal: AbortSignal;
  readonly #users = new Set<number>();
  readonly #aside: string[] = [];

  constructor(deps: Deps, project: Project, signal: AbortSignal) {
    this.#deps = deps;
    this.#project = project;
    this.#signal = signal;
  }

  /** Gives away what was written aside. */
  async dispose(): Promise<void> {
    await enqueueBlobRemoval(this.#deps, this.#deps.db, [...new Set(this.#aside)]);
  }

  async *files(): AsyncGenerator<ArchivedFile> {
    const exporting: Exporting = {
      deps: this.#deps,
      db: this.#deps.db,
      portable: { kind: 'project', id: this.#project.id, project: this.#project },
      names: (id) => {
        if (id !== null) this.#users.add(id);
      },
    };
    yield textFile('VERSION', FORMAT);
    yield textFile('GITLAB_VERSION', '0.0.0\n');
    yield textFile('GITLAB_REVISION', 'stithy\n');
    for (const relation of PROJECT_RELATIONS) {
      this.#signal.throwIfAborted();
      if (relation.form === 'files' || relation.name === USER_CONTRIBUTIONS) continue;
      const name = relation.name === 'self' ? 'tree/project.json' : `tree/project/${relation.name}.ndjson`;
      yield await this.#file(name, Readable.from(textsOf(relation.pieces(exporting, 0))));
    }
    for await (const file of uploads.files(exporting)) yield { ...file, name: placeOf(file.name) };
    yield* this.#objects();
    yield await this.#file(`tree/project/${USER_CONTRIBUTIONS}.ndjson`, Readable.from(this.#people()));
    yield* this.#bundles();
  }

  async #file(name: string, content: Readable): Promise<ArchivedFile> {
    const { sha256, size } = await this.#deps.blobs.put(content, { maxBytes: Number.MAX_SAFE_INTEGER });
    this.#aside.push(sha256);
    return this.#stored(name, sha256, size);
  }

  #stored(name: string, sha256: string, size: number): ArchivedFile {
    const open = async () => {
      const content = await this.#deps.blobs.get(sha256);
      if (content === null) throw new Error(`the bytes of ${name} are gone`);
      return content;
    };
    return { name, size, open };
  }

  async *#people(): AsyncGenerator<string> {
    const ids = [...this.#users].sort((a, b) => a - b);
    for (let at = 0; at < ids.length; at += PAGE) {
      const rows = await this.#deps.db
        .selectFrom('users')
        .select(['id', 'username', 'name', 'public_email'])
        .where('id', 'in', ids.slice(at, at + PAGE))
        .orderBy('id')
        .execute();
      for (const row of rows) yield `${JSON.stringify(row)}\n`;
    }
  }

  async *#objects(): AsyncGenerator<ArchivedFile> {
    const types: Record<string, number[]> = {};
    for (let after = ''; ; ) {
      const rows = await this.#deps.db
        .selectFrom('lfs_objects')
        .select(['oid', 'size'])
        .where('project_id', '=', this.#project.id)
        .where('oid', '>', after)
        .orderBy('oid')
        .limit(PAGE)
        .execute();
      for (const { oid, size } of rows) {
        types[oid] = [0];
        yield this.#stored(`lfs-objects/${oid}`, oid, size);
      }
      if (rows.length < PAGE) break;
      after = rows.at(-1)!.oid;
    }
    yield textFile('lfs-objects.json', JSON.stringify(types));
  }

  async *#bundles(): AsyncGenerator<ArchivedFile> {
    const wiki = await this.#deps.db
      .selectFrom('wikis')
      .selectAll()
      .where('project_id', '=', this.#project.id)
      .executeTakeFirst();
    const all = [
      ['project.bundle', this.#project],
      ...(wiki === undefined ? [] : [['project.wiki.bundle', wiki] as const]),
    ] as const;
    for (const [name, { repository_storage: storage, disk_path: diskPath }] of all) {
      const repo = this.#deps.storages.open({ storage, diskPath });
      const refs = [...(await repo.refs.list('refs/heads/')), ...(await repo.refs.list('refs/tags/'))];
      // Git makes no bundle of nothing.
      if (refs.length === 0) continue;
      const args = ['bundle', 'create', '--quiet', '-', '--branches', '--tags'];
      yield await this.#file(name, gitOutput(args, { gitDir: repo.dir, signal: this.#signal, timeoutMs: BUNDLE_MS }));
    }
  }
}

/** Where a file of the uploads stands in the archive: a picture apart. */
const placeOf = (name: string): string => (name.startsWith('avatar/') ? name : `uploads/${name}`);
