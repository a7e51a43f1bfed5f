import { issuesOf, mergeRequestsOf } from './export-issuables.ts';
import { allowedTo, type LevelSource, levelName } from './export-levels.ts';
import {
  type Answer,
  compact,
  type ExportSource,
  flags,
  listAll,
  pick,
  usernameOf,
  usernames,
} from './export-source.ts';

/** What of a project is taken over if it differs from a new one. */
const ATTRIBUTES = [
  'name',
  'description',
  'visibility',
  'default_branch',
  'topics',
  'merge_method',
  'squash_option',
  'created_at',
];

/** What members, labels and so on of a group or project are. @param path of it, below /api/v4 @param owner who is a member by making it */
export async function belongingsOf(
  source: ExportSource,
  path: string,
  isProject: boolean,
  owner = 'root',
): Promise<Answer> {
  const list = (name: string) => listAll(source, `${path}/${name}`);
  const own = isProject ? '?include_ancestor_groups=false' : '?include_ancestor_groups=false&only_group_labels=true';
  return {
    members: (await list('members'))
      .filter(({ username }) => username !== owner)
      .map((member) =>
        compact({
          user: member.username,
          access_level: levelName(member.access_level),
          expires_at: member.expires_at,
          member_role: (member.member_role as Answer | undefined)?.name,
          created_at: member.created_at,
        }),
      ),
    labels: (await list(`labels${own}`))
      .reverse()
      .map((label) => pick(label, ['name', 'color', 'description', 'priority'])),
    milestones: (await list('milestones')).reverse().map((milestone) => ({
      ...pick(milestone, ['title', 'description', 'start_date', 'due_date', 'created_at']),
      ...(milestone.state === 'closed' ? { state: 'closed' } : {}),
    })),
    variables: (await list('variables'))
      .filter(({ hidden }) => hidden !== true)
      .map((variable) => ({
        ...pick(variable, ['key', 'value', 'variable_type', 'environment_scope', 'description']),
        ...flags(variable, ['protected', 'masked', 'raw']),
      })),
    badges: (await list('badges'))
      .filter(({ kind }) => kind === (isProject ? 'project' : 'group'))
      .map((badge) => pick(badge, ['name', 'link_url', 'image_url'])),
    hooks: (await list('hooks')).map(hookOf),
    wikis: (await list('wikis?with_content=1')).map((page) => pick(page, ['title', 'content', 'format'])),
  };
}

function hookOf(hook: Answer): Answer {
  const events = Object.keys(hook).filter((key) => key.endsWith('_events'));
  return {
    ...pick(hook, ['url', 'name', 'description', 'push_events_branch_filter']),
    ...Object.fromEntries(events.filter((key) => hook[key] !== (key === 'push_events')).map((key) => [key, hook[key]])),
    ...(hook.enable_ssl_verification === false ? { enable_ssl_verification: false } : {}),
  };
}

/** One project with all that can be read of it. */
export async function projectOf(
  source: ExportSource,
  project: Answer,
  names: LevelSource & { project(id: number): string | undefined },
): Promise<Answer> {
  const path = `/projects/${String(project.id)}`;
  const list = (name: string) => listAll(source, `${path}/${name}`);
  const { namespace, forked_from_project: origin } = project as { namespace: Answer; forked_from_project?: Answer };
  return compact({
    path: project.path,
    namespace: namespace.full_path === 'root' ? undefined : namespace.full_path,
    ...pick(project, ATTRIBUTES),
    forked_from: origin?.path_with_namespace,
    ...flags(project, ['archived']),
    import: await source.bundle(String(project.path_with_namespace)),
    ...(await belongingsOf(source, path, true, namespace.kind === 'user' ? String(namespace.full_path) : 'root')),
    environments: (await list('environments')).map((one) => pick(one, ['name', 'external_url', 'tier', 'description'])),
    feature_flags_user_lists: (await list('feature_flags_user_lists')).map((one) => pick(one, ['name', 'user_xids'])),
    feature_flags: (await list('feature_flags')).map(flagOf),
    approval_rules: (await list('approval_rules')).map((rule) =>
      compact({
        ...pick(rule, ['name', 'approvals_required']),
        rule_type: rule.rule_type === 'regular' ? undefined : rule.rule_type,
        users: usernames(rule.users),
        groups: ((rule.groups ?? []) as Answer[]).map(({ full_path }) => full_path),
      }),
    ),
    snippets: await snippetsOf(source, path),
    releases: (await list('releases')).reverse().map((release) =>
      compact({
        ...pick(release, ['tag_name', 'name', 'description', 'released_at', 'created_at']),
        author: usernameOf(release.author),
        milestones: ((release.milestones ?? []) as Answer[]).map(({ title }) => title),
      }),
    ),
    issues: await issuesOf(source, path),
    merge_requests: await mergeRequestsOf(source, path, names.project),
    pipelines: await pipelinesOf(source, path),
    packages: await packagesOf(source, path),
    protected_branches: (await list('protected_branches'))
      .filter(({ inherited }) => inherited !== true)
      .map((branch) =>
        compact({
          name: branch.name,
          allowed_to_push: allowedTo(branch.push_access_levels, names),
          allowed_to_merge: allowedTo(branch.merge_access_levels, names),
          ...flags(branch, ['allow_force_push', 'code_owner_approval_required']),
        }),
      ),
    protected_tags: (await list('protected_tags')).map((tag) =>
      compact({
        name: tag.name,
        allowed_to_create: allowedTo(tag.create_access_levels, names),
      }),
    ),
  });
}

const flagOf = (flag: Answer): Answer => ({
  ...pick(flag, ['name', 'description', 'active', 'version']),
  strategies: ((flag.strategies ?? []) as Answer[]).map((strategy) =>
    compact({
      ...pick(strategy, ['name', 'parameters']),
      scopes: ((strategy.scopes ?? []) as Answer[]).map((scope) => pick(scope, ['environment_scope'])),
      user_list: (strategy.user_list as Answer | null)?.name,
    }),
  ),
});

async function snippetsOf(source: ExportSource, path: string): Promise<Answer[]> {
  const exported: Answer[] = [];
  for (const snippet of (await listAll(source, `${path}/snippets`)).reverse()) {
    const files: Answer[] = [];
    for (const { path: name } of (snippet.files ?? []) as Answer[]) {
      const address = `${path}/snippets/${String(snippet.id)}/files/main/${encodeURIComponent(String(name))}/raw`;
      files.push({ file_path: name, content: (await source.bytes(address))?.toString('utf8') ?? '' });
    }
    exported.push(
      compact({
        ...pick(snippet, ['title', 'description', 'visibility', 'created_at']),
        author: usernameOf(snippet.author),
        files,
      }),
    );
  }
  return exported;
}

/** Jobs in states that a seed can bring about. */
const JOB_STATES = ['created', 'pending', 'running', 'success', 'failed', 'canceled', 'skipped', 'manual'];

async function pipelinesOf(source: ExportSource, path: string): Promise<Answer[]> {
  const exported: Answer[] = [];
  for (const { id } of await listAll(source, `${path}/pipelines?order_by=id&sort=asc`)) {
    const pipeline = (await source.get(`${path}/pipelines/${String(id)}`)) as Answer;
    const jobs = (await listAll(source, `${path}/pipelines/${String(id)}/jobs`)).reverse();
    const variables = await listAll(source, `${path}/pipelines/${String(id)}/variables`);
    exported.push(
      compact({
        ...pick(pipeline, ['ref', 'source', 'name', 'created_at']),
        user: usernameOf(pipeline.user),
        variables: variables.map((variable) => pick(variable, ['key', 'value'])),
        jobs: await Promise.all(
          jobs.filter(({ status }) => JOB_STATES.includes(String(status))).map((job) => jobOf(source, path, job)),
        ),
      }),
    );
  }
  return exported;
}

async function jobOf(source: ExportSource, path: string, job: Answer): Promise<Answer> {
  const log = await source.bytes(`${path}/jobs/${String(job.id)}/trace`);
  return compact({
    ...pick(job, ['name', 'stage', 'status', 'tag_list', 'coverage', 'started_at', 'finished_at']),
    failure_reason: job.status === 'failed' ? job.failure_reason : undefined,
    ...flags(job, ['allow_failure']),
    log: log?.toString('utf8'),
  });
}

/** Packages whose files are read over the API: generic ones. */
async function packagesOf(source: ExportSource, path: string): Promise<Answer[]> {
  const exported: Answer[] = [];
  for (const one of await listAll(source, `${path}/packages?package_type=generic`)) {
    const files: Record<string, unknown> = {};
    for (const { file_name: name } of await listAll(source, `${path}/packages/${String(one.id)}/package_files`)) {
      const address = ['generic', one.name, one.version, name]
        .map((part) => encodeURIComponent(String(part)))
        .join('/');
      const bytes = await source.bytes(`${path}/packages/${address}`);
      if (bytes !== null) files[String(name)] = textOrBase64(bytes);
    }
    exported.push({ ...pick(one, ['name', 'version', 'created_at']), files });
  }
  return exported;
}

function textOrBase64(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) && !text.includes('\0') ? text : { base64: bytes.toString('base64') };
}
