import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Updateable } from 'kysely';
import type { UserCaller } from '../../../access/caller.ts';
import { lineageIds } from '../../../access/membership.ts';
import { VISIBILITIES, visibilityLevel } from '../../../core/access-levels.ts';
import { timestamp } from '../../../core/clock.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Project, ProjectsTable } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import { importBundle } from '../../../git/bundle.ts';
import { GitError } from '../../../git/errors.ts';
import { isValidBranchName } from '../../../git/ref-name.ts';
import type { Importing } from '../../../import-export/imports/importing.ts';
import { objectsIn } from '../../../import-export/imports/lines.ts';
import { People } from '../../../import-export/imports/people.ts';
import { type Given, text, Unfit } from '../../../import-export/imports/take.ts';
import { progressOf, requireStarted, setTracker, trackerOf } from '../../../import-export/imports/trackers.ts';
import { writeObjects } from '../../../import-export/imports/write-objects.ts';
import { WRITERS } from '../../../import-export/imports/writers.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { defaultBranchName } from '../../../repositories/default-branch.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { closer, mostOpenAllowed } from '../../../settings/visibility.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { fillRepository } from '../../spaces/index.ts';

/** A project that is made of the files of an archive. */
export interface Taking {
  deps: Deps;
  entity: BulkImportEntity;
  project: Project;
  caller: UserCaller;
  files: ReadonlyMap<string, StoredBlob>;
  signal: AbortSignal;
}

/** Version of the format that is read (registry facts 7.1). */
const FORMAT = '0.2.4';
const PEOPLE = 'user_contributions';

async function contentOf({ deps, files }: Taking, name: string): Promise<Readable | null> {
  const file = files.get(name);
  return file === undefined ? null : deps.blobs.get(file.sha256);
}

/** @throws Unfit for an archive of another format, in the platform's words */
export async function checkVersion({ deps, files }: Taking): Promise<void> {
  const file = files.get('VERSION');
  const bytes = file === undefined || file.size > 64 ? null : await deps.blobs.read(file.sha256, 0, file.size);
  const version = bytes?.toString().trim() ?? '';
  if (!/^\d+(?:\.\d+){1,3}$/.test(version)) throw new Unfit('Incorrect VERSION format');
  if (version !== FORMAT) throw new Unfit(`Import version mismatch: Required ${FORMAT} but was ${version}`);
}

const namespaceOf = ({ deps, project }: Taking): Promise<Namespace> =>
  deps.db.selectFrom('namespaces').selectAll().where('id', '=', project.namespace_id).executeTakeFirstOrThrow();

/** Gives the project what the archive says of itself, no more open than its place lets. @throws Unfit */
export async function applyAttributes(taking: Taking): Promise<Given> {
  const { deps, project, caller } = taking;
  const content = await contentOf(taking, 'tree/project.json');
  if (content === null) throw new Unfit('tree/project.json is missing');
  const { value: given } = await objectsIn(content as AsyncIterable<Buffer>).next();
  content.destroy();
  if (given === undefined || given instanceof Unfit) throw new Unfit('tree/project.json cannot be read');
  const wanted = VISIBILITIES.find((each) => visibilityLevel(each) === given.visibility_level) ?? 'private';
  const namespace = await namespaceOf(taking);
  const limit = namespace.kind === 'group' ? closer(wanted, namespace.visibility) : wanted;
  const columns: Updateable<ProjectsTable> = {
    description: text(given.description, 2_000),
    visibility: mostOpenAllowed(await applicationSettings(deps), caller, limit),
  };
  await deps.db.updateTable('projects').set(columns).where('id', '=', project.id).execute();
  return given;
}

/** Makes the repository of the bundle; an empty one stays where there is none. */
export async function takeBundle(taking: Taking, attributes: Given): Promise<void> {
  const { deps, entity, project, signal } = taking;
  const named = text(attributes.default_branch, 255);
  const defaultBranch = named !== null && isValidBranchName(named) ? named : await defaultBranchName(deps);
  if (project.import_status === 'finished') return;
  const content = await contentOf(taking, 'project.bundle');
  if (content === null) {
    const done = { import_status: 'finished', import_error: null, repository_read_only: 0 } as const;
    await deps.db.updateTable('projects').set(done).where('id', '=', project.id).execute();
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'stithy-bundle-'));
  try {
    const file = join(folder, 'project.bundle');
    await pipeline(content, createWriteStream(file, { mode: 0o600 }));
    await fillRepository(deps, { project_id: project.id, disk_path: entity.disk_path }, async () => ({
      make: (dir) =>
        importBundle(file, dir, { defaultBranch, maxBytes: deps.config.limits.push, signal }).catch(
          (error: unknown) => {
            // An earlier run has made it.
            if (!(error instanceof GitError) || error.code !== 'conflict') throw error;
          },
        ),
      failure: 'The repository of the archive could not be read.',
    }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const now = await deps.db
    .selectFrom('projects')
    .select('import_status')
    .where('id', '=', project.id)
    .executeTakeFirst();
  if (now?.import_status === 'failed') throw new Unfit('The repository of the archive could not be read.');
}

/** Enters the files that texts refer to. */
export async function readUploads({ deps, project, files }: Taking): Promise<void> {
  for (const [name, { sha256, size }] of files) {
    const [folder, secret = '', filename = ''] = name.split('/');
    if (folder !== 'uploads') continue;
    await deps.db
      .insertInto('uploads')
      .values({
        ...{ project_id: project.id, group_id: null, secret, filename, sha256, size, uploaded_by_id: null },
        created_at: timestamp(deps.clock),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Enters large files, whose names are their hashes; what has another hash is left out. */
export async function readLfsObjects({ deps, project, files }: Taking): Promise<void> {
  for (const [name, { sha256, size }] of files) {
    if (name !== `lfs-objects/${sha256}`) continue;
    await deps.db
      .insertInto('lfs_objects')
      .values({ project_id: project.id, oid: sha256, size, created_at: timestamp(deps.clock) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

async function importingOf(taking: Taking): Promise<Importing> {
  const { deps, project, caller } = taking;
  const namespace = await namespaceOf(taking);
  const groupIds = namespace.kind === 'group' ? lineageIds(namespace.lineage) : [];
  const now = await deps.db.selectFrom('projects').selectAll().where('id', '=', project.id).executeTakeFirstOrThrow();
  return {
    deps,
    place: { kind: 'project', id: project.id, groupIds },
    people: new People(deps, {
      namespaceId: groupIds[0] ?? null,
      hostname: 'file',
      importType: 'gitlab_project',
      importerId: namespace.owner_id ?? caller.user.id,
    }),
    hasCommit: async (sha) => (await repositoryOf(deps, now).objects.info(sha))?.type === 'commit',
  };
}

/** Writes the objects of all relations, each once however often it is begun. */
export async function readFiles(taking: Taking): Promise<void> {
  const { deps, entity, signal } = taking;
  const importing = await importingOf(taking);
  await requireStarted(deps, deps.db, entity);
  const people = await contentOf(taking, `tree/project/${PEOPLE}.ndjson`);
  if (people !== null) {
    for await (const person of objectsIn(people as AsyncIterable<Buffer>)) {
      if (!(person instanceof Unfit)) await importing.people.introduce(person);
    }
  }
  for (const [relation, writer] of Object.entries(WRITERS.project)) {
    const tracker = await trackerOf(deps.db, entity.id, relation);
    const content = tracker.done === 1 ? null : await contentOf(taking, `tree/project/${relation}.ndjson`);
    if (content === null) continue;
    const progress = progressOf(deps, entity, relation, tracker.line, signal);
    const source = await writeObjects(importing, writer, objectsIn(content as AsyncIterable<Buffer>), progress);
    await setTracker(deps.db, entity.id, relation, { source, done: 1 });
  }
}
