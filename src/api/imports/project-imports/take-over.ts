import type { Readable } from 'node:stream';
import type { Updateable } from 'kysely';
import type { UserCaller } from '../../../access/caller.ts';
import { lineageIds } from '../../../access/membership.ts';
import { VISIBILITIES, type Visibility, visibilityLevel } from '../../../core/access-levels.ts';
import { timestamp } from '../../../core/clock.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Project, ProjectsTable } from '../../../db/tables/projects.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/errors.ts';
import { isValidBranchName } from '../../../git/ref-name.ts';
import { makeOfBundle } from '../../../import-export/imports/bundles.ts';
import type { Importing } from '../../../import-export/imports/importing.ts';
import { objectsIn } from '../../../import-export/imports/lines.ts';
import { People } from '../../../import-export/imports/people.ts';
import { type Given, text, Unfit } from '../../../import-export/imports/take.ts';
import { recordFailure } from '../../../import-export/imports/trackers.ts';
import { enterUpload } from '../../../import-export/imports/uploads.ts';
import { takeWiki } from '../../../import-export/imports/wiki.ts';
import { snippetBundle } from '../../../import-export/relations/bundles.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { defaultBranchName } from '../../../repositories/default-branch.ts';
import { placeOf } from '../../../repositories/holder.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { closer, mostOpenAllowed } from '../../../settings/visibility.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { fillRepository } from '../../spaces/index.ts';
import { writeRelations } from '../file-relations.ts';

/** A project that is made of the files of an archive. */
export interface Taking {
  deps: Deps;
  entity: BulkImportEntity;
  project: Project;
  caller: UserCaller;
  files: ReadonlyMap<string, StoredBlob>;
  /** Attributes that were given with the archive: its own do not count. */
  overridden: ReadonlySet<string>;
  signal: AbortSignal;
}

async function contentOf({ deps, files }: Taking, name: string): Promise<Readable | null> {
  const file = files.get(name);
  return file === undefined ? null : deps.blobs.get(file.sha256);
}

const namespaceOf = ({ deps, project }: Taking): Promise<Namespace> =>
  deps.db.selectFrom('namespaces').selectAll().where('id', '=', project.namespace_id).executeTakeFirstOrThrow();

/** As open as it was, where its place and administrators let it be. */
async function visibilityOf(taking: Taking, given: Given): Promise<Visibility> {
  const wanted = VISIBILITIES.find((each) => visibilityLevel(each) === given.visibility_level) ?? 'private';
  const namespace = await namespaceOf(taking);
  const limit = namespace.kind === 'group' ? closer(wanted, namespace.visibility) : wanted;
  return mostOpenAllowed(await applicationSettings(taking.deps), taking.caller, limit);
}

/** Gives the project what the archive says of itself, no more open than its place lets. @throws Unfit */
export async function applyAttributes(taking: Taking): Promise<Given> {
  const { deps, project, overridden } = taking;
  const content = await contentOf(taking, 'tree/project.json');
  if (content === null) throw new Unfit('tree/project.json is missing');
  const { value: given } = await objectsIn(content as AsyncIterable<Buffer>).next();
  content.destroy();
  if (given === undefined || given instanceof Unfit) throw new Unfit('tree/project.json cannot be read');
  const columns: Updateable<ProjectsTable> = {
    ...(overridden.has('description') ? {} : { description: text(given.description, 2_000) }),
    ...(overridden.has('visibility') ? {} : { visibility: await visibilityOf(taking, given) }),
  };
  if (Object.keys(columns).length === 0) return given;
  await deps.db.updateTable('projects').set(columns).where('id', '=', project.id).execute();
  return given;
}

async function namedBranch(deps: Deps, { default_branch }: Given): Promise<string> {
  const named = text(default_branch, 255);
  return named !== null && isValidBranchName(named) ? named : defaultBranchName(deps);
}

/** Makes the repository of the bundle; an empty one stays where there is none. */
export async function takeBundle(taking: Taking, attributes: Given): Promise<void> {
  const { deps, entity, project, overridden, signal } = taking;
  const defaultBranch = overridden.has('default_branch')
    ? ((await deps.storages.open(placeOf(project)).refs.head()) ?? (await defaultBranchName(deps)))
    : await namedBranch(deps, attributes);
  if (project.import_status === 'finished') return;
  const bundle = taking.files.get('project.bundle');
  if (bundle === undefined) {
    const done = { import_status: 'finished', import_error: null, repository_read_only: 0 } as const;
    await deps.db.updateTable('projects').set(done).where('id', '=', project.id).execute();
    return;
  }
  await fillRepository(deps, { project_id: project.id, disk_path: entity.disk_path }, async () => ({
    make: (dir) =>
      makeOfBundle(deps, bundle, dir, { defaultBranch, signal }).catch((error: unknown) => {
        // An earlier run has made it.
        if (!(error instanceof GitError) || error.code !== 'conflict') throw error;
      }),
    failure: 'The repository of the archive could not be read.',
  }));
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
    await enterUpload({ deps, place: { kind: 'project', id: project.id } }, { secret, filename, sha256, size });
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
    makeRepository: async (of, dir) => {
      const bundle = taking.files.get(of.type === 'wiki' ? 'project.wiki.bundle' : snippetBundle(of.id));
      if (bundle === undefined) return false;
      await makeOfBundle(deps, bundle, dir, { defaultBranch: 'main', signal: taking.signal });
      return true;
    },
  };
}

/** Writes the objects of all relations, each once however often it is begun. */
export async function readFiles(taking: Taking): Promise<void> {
  const { deps, entity, signal } = taking;
  const importing = await importingOf(taking);
  await writeRelations({
    ...{ deps, entity, importing, signal },
    open: (relation) => contentOf(taking, `tree/project/${relation}.ndjson`),
  });
  await takeWiki(importing).catch((error: unknown) => {
    if (!(error instanceof GitError) || signal.aborted) throw error;
    return recordFailure(deps, deps.db, entity.id, {
      ...{ relation: 'wiki', kind: 'GitError', message: 'The wiki of the archive could not be read.' },
    });
  });
}
