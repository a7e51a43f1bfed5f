import type { WikiPageFacts } from '../../../core/event-facts.ts';
import type { Deps } from '../../../deps.ts';
import { TextDecoding } from '../../../git/common/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { entryAt } from '../../../git/trees/index.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { pagesOf, withoutFrontMatter } from '../../code/index.ts';
import { orElse } from './commits.payload.ts';
import { milestoneOwnerOf } from './milestone.payload.ts';
import type { BuiltPayload } from './types.ts';
import { userOf, userPayloadOrNull } from './users.payload.ts';

const ACTIONS = {
  'wiki_page.created': 'create',
  'wiki_page.updated': 'update',
  'wiki_page.destroyed': 'delete',
} as const;

/** Maximum size of a page's content in a payload. */
const MAX_CONTENT = 4 * 1024 * 1024;

interface About {
  project_id: number | null;
  group_id: number | null;
}

/** Hook payload of a project or group for a wiki page, with its content at the event. */
export async function wikiPageHookEvent(
  deps: Deps,
  { type, payload, actor_id }: RecordedEvent<keyof typeof ACTIONS>,
): Promise<BuiltPayload | undefined> {
  return build(deps, payload, payload.page, ACTIONS[type], actor_id);
}

async function wikiOf({ db }: Deps, { project_id, group_id }: About) {
  const wikis = db.selectFrom('wikis').selectAll();
  const own =
    project_id === null ? wikis.where('namespace_id', '=', group_id) : wikis.where('project_id', '=', project_id);
  return own.executeTakeFirst();
}

async function build(
  deps: Deps,
  about: About,
  page: WikiPageFacts,
  action: (typeof ACTIONS)[keyof typeof ACTIONS],
  actorId: number | null,
): Promise<BuiltPayload | undefined> {
  const owner = await milestoneOwnerOf(deps, about);
  const row = await wikiOf(deps, about);
  if (owner === undefined || row === undefined) return undefined;
  const { projectId, groupId, shown, fullPath } = owner;
  const base = deps.externalUrl();
  const web = `${base}/${projectId === null ? 'groups/' : ''}${fullPath}/-/wikis`;
  const url = `${web}/${page.slug.split('/').map(encodeURIComponent).join('/')}`;
  const repo = repositoryOf(deps, row);
  const sha = action === 'delete' ? page.previous_sha : page.sha;
  return {
    projectId,
    groupId,
    payload: {
      object_kind: 'wiki_page',
      user: userPayloadOrNull(deps, await userOf(deps.db, actorId)),
      ...shown,
      wiki: {
        web_url: `${web}/home`,
        git_ssh_url: deps.sshUrl(`${fullPath}.wiki.git`),
        git_http_url: `${base}/${fullPath}.wiki.git`,
        path_with_namespace: `${fullPath}.wiki`,
        default_branch: await orElse(() => repo.refs.head(), null),
      },
      object_attributes: {
        title: page.title,
        content: sha === null ? '' : await textAt(repo, sha, page.path),
        format: page.format,
        message: page.message,
        slug: page.slug,
        url,
        action,
        diff_url: `${url}/diff?version_id=${page.sha ?? ''}`,
        version_id: page.sha,
      },
    },
  };
}

/** Returns the content of a page at a commit; empty if it is large or missing. */
async function textAt(repo: Repository, sha: string, path: string): Promise<string> {
  return orElse(async () => {
    const entry = await entryAt(repo, sha, path);
    const blob = entry?.type === 'blob' ? await repo.objects.read(entry.oid, MAX_CONTENT) : null;
    return blob?.data == null ? '' : withoutFrontMatter(await new TextDecoding().text(blob.data));
  }, '');
}

/**
 * Returns the payload of a wiki page of a project as if just created, for tests of hooks; undefined if there is none.
 */
export async function sampleWikiPage(
  deps: Deps,
  projectId: number,
  userId: number | null,
): Promise<BuiltPayload | undefined> {
  const about = { project_id: projectId, group_id: null };
  const wiki = await wikiOf(deps, about);
  if (wiki === undefined) return undefined;
  const repo = repositoryOf(deps, wiki);
  const sha = await repo.refs.resolve(`refs/heads/${(await repo.refs.head()) ?? 'main'}`);
  const [last] = (await pagesOf(repo, sha)).pages.slice(-1);
  const commit = sha === null ? null : await repo.objects.commit(sha);
  if (last === undefined) return undefined;
  const { slug, title, path, format } = last;
  const page = { slug, title, format, path, message: commit?.message ?? '', sha, previous_sha: null };
  return build(deps, about, page, 'create', userId);
}
