import { slug } from '../../ci/slugs.ts';
import type { Variable } from '../../ci/variables/variable.ts';
import { parseJson } from '../../db/columns.ts';
import type { Db } from '../../db/db.schema.ts';
import { prepared } from '../../db/prepared.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';
import { publicVariables } from './values.ts';

/** Maximum number of topics in variables. */
const MAX_TOPICS = 20;

type VariableSettings = { ci_config_path?: string | null; external_authorization_classification_label?: string };

/** Variables about the project. */
export async function projectVariables(
  deps: Deps,
  db: Db,
  project: Project,
  namespace: Namespace,
): Promise<Variable[]> {
  const { repository_storage: storage, disk_path: diskPath } = project;
  const projectSettings = parseJson<VariableSettings>(project.settings);
  const branch = await deps.storages.open({ storage, diskPath }).refs.head();
  return publicVariables({
    CI_PROJECT_ID: project.id,
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_TITLE: project.name,
    CI_PROJECT_DESCRIPTION: project.description ?? '',
    CI_PROJECT_TOPICS: (await topicsOf(db, project.id)).join(','),
    CI_PROJECT_PATH: project.full_path,
    CI_PROJECT_PATH_SLUG: slug(project.full_path),
    CI_PROJECT_NAMESPACE: namespace.full_path,
    CI_PROJECT_NAMESPACE_SLUG: slug(namespace.full_path),
    CI_PROJECT_NAMESPACE_ID: namespace.id,
    CI_PROJECT_ROOT_NAMESPACE: namespace.full_path.split('/')[0],
    CI_PROJECT_URL: `${deps.externalUrl()}/${project.full_path}`,
    CI_PROJECT_VISIBILITY: project.visibility,
    CI_PROJECT_REPOSITORY_LANGUAGES: (await languagesOf(db, project.id)).join(','),
    CI_PROJECT_CLASSIFICATION_LABEL: projectSettings.external_authorization_classification_label ?? '',
    CI_DEFAULT_BRANCH: branch,
    CI_DEFAULT_BRANCH_SLUG: branch === null ? null : slug(branch),
    CI_CONFIG_PATH: projectSettings.ci_config_path || '.gitlab-ci.yml',
  });
}

async function topicsOf(db: Db, projectId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('project_topics')
    .innerJoin('topics', 'topics.id', 'project_topics.topic_id')
    .select('topics.name')
    .where('project_topics.project_id', '=', projectId)
    .orderBy('project_topics.position')
    .orderBy('topics.name')
    .limit(MAX_TOPICS)
    .execute();
  return rows.map(({ name }) => name.toLowerCase()).sort();
}

const languageRows = prepared((db, { project }: { project: number }) =>
  db
    .selectFrom('project_languages')
    .select('name')
    .where('project_id', '=', project)
    .orderBy('bytes', 'desc')
    .orderBy('name'),
);

async function languagesOf(db: Db, project: number): Promise<string[]> {
  const rows = await languageRows(db, { project });
  return rows.map(({ name }) => name.toLowerCase());
}
