import type { Readable } from 'node:stream';
import type { Updateable } from 'kysely';
import { lineageIds } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { VISIBILITIES, type Visibility, visibilityLevel } from '../../../core/access-levels.ts';
import { timestamp } from '../../../core/clock.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Project, ProjectsTable } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError, isValidBranchName } from '../../../git/common/index.ts';
import { coerceText, type ImportedObject, InvalidImportObject } from '../../../import-export/imports/coerce-import.ts';
import { createFromBundle } from '../../../import-export/imports/import.bundles.ts';
import { parseObjects } from '../../../import-export/imports/import.lines.ts';
import { insertUpload } from '../../../import-export/imports/import.uploads.ts';
import type { ImportContext } from '../../../import-export/imports/import-context.ts';
import { ImportedUsers } from '../../../import-export/imports/imported-users.ts';
import { recordFailure } from '../../../import-export/imports/trackers.ts';
import { importWiki } from '../../../import-export/imports/wiki.ts';
import { snippetBundle } from '../../../import-export/relations/bundles.relation.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { defaultBranchName } from '../../../repositories/default-branch.ts';
import { locationOf } from '../../../repositories/holder.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { maxAllowedVisibility, stricterVisibility } from '../../../settings/settings.visibility.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { fillRepository } from '../../spaces/index.ts';
import { writeRelations } from '../file-relations.ts';

/** A project and the unpacked archive to import. */
export interface ProjectImport {
  deps: Deps;
  entity: BulkImportEntity;
  project: Project;
  caller: UserCaller;
  files: ReadonlyMap<string, StoredBlob>;
  /** Attributes given with the request, which override the archive. */
  overridden: ReadonlySet<string>;
  signal: AbortSignal;
}

async function contentOf({ deps, files }: ProjectImport, name: string): Promise<Readable | null> {
  const file = files.get(name);
  return file === undefined ? null : deps.blobs.get(file.sha256);
}

const namespaceOf = ({ deps, project }: ProjectImport): Promise<Namespace> =>
  deps.db.selectFrom('namespaces').selectAll().where('id', '=', project.namespace_id).executeTakeFirstOrThrow();

/** Original visibility, if the namespace and administrators allow it. */
async function visibilityOf(projectImport: ProjectImport, object: ImportedObject): Promise<Visibility> {
  const original = VISIBILITIES.find((each) => visibilityLevel(each) === object.visibility_level) ?? 'private';
  const namespace = await namespaceOf(projectImport);
  const limit = namespace.kind === 'group' ? stricterVisibility(original, namespace.visibility) : original;
  return maxAllowedVisibility(await applicationSettings(projectImport.deps), projectImport.caller, limit);
}

/**
 * Applies the attributes of the archive to the project, with a visibility that its namespace allows.
 * @throws InvalidImportObject
 */
export async function applyAttributes(projectImport: ProjectImport): Promise<ImportedObject> {
  const { deps, project, overridden } = projectImport;
  const content = await contentOf(projectImport, 'tree/project.json');
  if (content === null) throw new InvalidImportObject('tree/project.json is missing');
  const { value: object } = await parseObjects(content as AsyncIterable<Buffer>).next();
  content.destroy();
  if (object === undefined || object instanceof InvalidImportObject)
    throw new InvalidImportObject('tree/project.json cannot be read');
  const columns: Updateable<ProjectsTable> = {
    ...(overridden.has('description') ? {} : { description: coerceText(object.description, 2_000) }),
    ...(overridden.has('visibility') ? {} : { visibility: await visibilityOf(projectImport, object) }),
  };
  if (Object.keys(columns).length === 0) return object;
  await deps.db.updateTable('projects').set(columns).where('id', '=', project.id).execute();
  return object;
}

async function namedBranch(deps: Deps, { default_branch }: ImportedObject): Promise<string> {
  const named = coerceText(default_branch, 255);
  return named !== null && isValidBranchName(named) ? named : defaultBranchName(deps);
}

/** Creates the repository from the bundle; without a bundle it stays empty. */
export async function importBundle(projectImport: ProjectImport, attributes: ImportedObject): Promise<void> {
  const { deps, entity, project, overridden, signal } = projectImport;
  const defaultBranch = overridden.has('default_branch')
    ? ((await deps.storages.open(locationOf(project)).refs.head()) ?? (await defaultBranchName(deps)))
    : await namedBranch(deps, attributes);
  if (project.import_status === 'finished') return;
  const bundle = projectImport.files.get('project.bundle');
  if (bundle === undefined) {
    const done = { import_status: 'finished', import_error: null, repository_read_only: 0 } as const;
    await deps.db.updateTable('projects').set(done).where('id', '=', project.id).execute();
    return;
  }
  await fillRepository(deps, { project_id: project.id, disk_path: entity.disk_path }, async () => ({
    make: (dir) =>
      createFromBundle(deps, bundle, dir, { defaultBranch, signal }).catch((error: unknown) => {
        // Created by an earlier run.
        if (!(error instanceof GitError) || error.code !== 'conflict') throw error;
      }),
    failure: 'The repository of the archive could not be read.',
  }));
  const now = await deps.db
    .selectFrom('projects')
    .select('import_status')
    .where('id', '=', project.id)
    .executeTakeFirst();
  if (now?.import_status === 'failed')
    throw new InvalidImportObject('The repository of the archive could not be read.');
}

/** Imports the uploads that texts refer to. */
export async function importUploads({ deps, project, files }: ProjectImport): Promise<void> {
  for (const [name, { sha256, size }] of files) {
    const [folder, secret = '', filename = ''] = name.split('/');
    if (folder !== 'uploads') continue;
    await insertUpload({ deps, place: { kind: 'project', id: project.id } }, { secret, filename, sha256, size });
  }
}

/** Imports LFS objects, which are named by their hash; objects with another hash are left out. */
export async function importLfs({ deps, project, files }: ProjectImport): Promise<void> {
  for (const [name, { sha256, size }] of files) {
    if (name !== `lfs-objects/${sha256}`) continue;
    await deps.db
      .insertInto('lfs_objects')
      .values({ project_id: project.id, oid: sha256, size, created_at: timestamp(deps.clock) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

async function importingOf(projectImport: ProjectImport): Promise<ImportContext> {
  const { deps, project, caller } = projectImport;
  const namespace = await namespaceOf(projectImport);
  const groupIds = namespace.kind === 'group' ? lineageIds(namespace.lineage) : [];
  const now = await deps.db.selectFrom('projects').selectAll().where('id', '=', project.id).executeTakeFirstOrThrow();
  return {
    deps,
    place: { kind: 'project', id: project.id, groupIds },
    users: new ImportedUsers(deps, {
      namespaceId: groupIds[0] ?? null,
      hostname: 'file',
      importType: 'gitlab_project',
      importerId: namespace.owner_id ?? caller.user.id,
    }),
    hasCommit: async (sha) => (await repositoryOf(deps, now).objects.info(sha))?.type === 'commit',
    makeRepository: async (of, dir) => {
      const bundle = projectImport.files.get(of.type === 'wiki' ? 'project.wiki.bundle' : snippetBundle(of.id));
      if (bundle === undefined) return false;
      await createFromBundle(deps, bundle, dir, { defaultBranch: 'main', signal: projectImport.signal });
      return true;
    },
  };
}

/** Imports the objects of all relations, each once even if repeated. */
export async function importRelationFiles(projectImport: ProjectImport): Promise<void> {
  const { deps, entity, signal } = projectImport;
  const importContext = await importingOf(projectImport);
  await writeRelations({
    ...{ deps, entity, importContext, signal },
    open: (relation) => contentOf(projectImport, `tree/project/${relation}.ndjson`),
  });
  await importWiki(importContext).catch((error: unknown) => {
    if (!(error instanceof GitError) || signal.aborted) throw error;
    return recordFailure(deps, deps.db, entity.id, {
      ...{ relation: 'wiki', kind: 'GitError', message: 'The wiki of the archive could not be read.' },
    });
  });
}
