import { belongingsOf } from './export-belongings.ts';
import { issuesOf, mergeRequestsOf, whoApproves } from './export-issuables.ts';
import { allowedTo, type LevelSource } from './export-levels.ts';
import { packagesOf } from './export-packages.ts';
import { pipelinesOf } from './export-pipelines.ts';
import { projectSettings, UNKNOWN } from './export-settings.ts';
import {
  type Answer,
  compact,
  type ExportSource,
  flags,
  listAll,
  listById,
  pick,
  unlessEmpty,
  usernameOf,
  usernames,
} from './export-source.ts';

/** What of a project is taken over whatever it is. */
const ATTRIBUTES = ['name', 'description', 'visibility', 'default_branch', 'topics', 'created_at'];

/** One project with all that can be read of it. */
export async function projectOf(
  source: ExportSource,
  project: Answer,
  names: LevelSource & { project(id: number): string | undefined },
): Promise<Answer> {
  const path = `/projects/${String(project.id)}`;
  const list = (name: string) => listById(source, `${path}/${name}`);
  const { namespace, forked_from_project: origin } = project as { namespace: Answer; forked_from_project?: Answer };
  const owner = namespace.kind === 'user' ? String(namespace.full_path) : 'root';
  const { hooks, protected_branches, shared_with_groups, ...belongings } = await belongingsOf(
    source,
    project,
    { path, isProject: true, owner },
    names,
  );
  return compact({
    path: project.path,
    namespace: namespace.full_path === 'root' ? undefined : namespace.full_path,
    ...pick(project, ATTRIBUTES),
    ...projectSettings(project),
    forked_from: origin?.path_with_namespace,
    ...flags(project, ['archived']),
    import: await source.bundle(String(project.path_with_namespace)),
    ...belongings,
    environments: (await list('environments')).map((one) =>
      pick(one, ['name', 'external_url', 'tier', 'description', 'auto_stop_setting', 'created_at']),
    ),
    deploy_keys: (await list('deploy_keys')).map((key) => ({
      ...pick(key, ['title', 'key', 'expires_at', 'created_at']),
      ...flags(key, ['can_push']),
    })),
    freeze_periods: (await list('freeze_periods')).map((one) =>
      pick(one, ['freeze_start', 'freeze_end', 'cron_timezone', 'created_at']),
    ),
    feature_flags_user_lists: (await list('feature_flags_user_lists')).map((one) =>
      pick(one, ['name', 'user_xids', 'created_at']),
    ),
    feature_flags: (await listAll(source, `${path}/feature_flags`)).map(flagOf),
    approval_rules: (await list('approval_rules')).map(ruleOf),
    snippets: await snippetsOf(source, `${path}/snippets`, await list('snippets')),
    releases: (await listAll(source, `${path}/releases`)).reverse().map(releaseOf),
    issues: await issuesOf(source, path),
    merge_requests: await mergeRequestsOf(source, path, names.project),
    pipelines: await pipelinesOf(source, path),
    packages: await packagesOf(source, path),
    pipeline_schedules: (await list('pipeline_schedules')).map((schedule) =>
      compact({
        ...pick(schedule, ['description', 'ref', 'cron', 'cron_timezone', 'inputs', 'created_at']),
        ...(schedule.active === false ? { active: false } : {}),
        owner: usernameOf(schedule.owner),
      }),
    ),
    triggers: (await list('triggers')).map((trigger) => pick(trigger, ['description', 'created_at'])),
    remote_mirrors: (await list('remote_mirrors')).map((mirror) => ({
      url: String(mirror.url).replaceAll('*****', UNKNOWN),
      ...pick(mirror, ['enabled', 'mirror_branch_regex']),
      ...flags(mirror, ['only_protected_branches', 'keep_divergent_refs']),
    })),
    protected_branches,
    protected_tags: (await listAll(source, `${path}/protected_tags`)).map((tag) =>
      compact({
        name: tag.name,
        allowed_to_create: allowedTo(tag.create_access_levels, names),
      }),
    ),
    shared_with_groups,
    hooks,
    stars: usernames((await listAll(source, `${path}/starrers`)).map(({ user }) => user)),
    jobs: await jobRulesOf(source, path),
  });
}

/** How jobs end by themselves, of a server with a test bench. */
async function jobRulesOf(source: ExportSource, path: string): Promise<unknown> {
  const rules = (await source.get(`/-/bench${path}/jobs`)) as { rules?: unknown } | null;
  return rules?.rules;
}

const releaseOf = (release: Answer): Answer =>
  compact({
    ...pick(release, ['tag_name', 'name', 'description', 'released_at', 'created_at']),
    author: usernameOf(release.author),
    milestones: ((release.milestones ?? []) as Answer[]).map(({ title }) => title),
    assets: unlessEmpty({
      links: (((release.assets as Answer | undefined)?.links ?? []) as Answer[]).map((link) =>
        compact({
          ...pick(link, ['name', 'url', 'link_type']),
          direct_asset_path: assetPathOf(link.direct_asset_url),
        }),
      ),
    }),
  });

/** The path of an asset below its release, which is in its address. */
function assetPathOf(url: unknown): string | undefined {
  const [, path] = /\/-\/releases\/[^/]+\/downloads(\/.+)$/.exec(String(url)) ?? [];
  return path;
}

const ruleOf = (rule: Answer): Answer =>
  compact({
    ...pick(rule, ['name', 'approvals_required']),
    rule_type: rule.rule_type === 'regular' ? undefined : rule.rule_type,
    ...whoApproves(rule),
    ...flags(rule, ['applies_to_all_protected_branches']),
  });

const flagOf = (flag: Answer): Answer => ({
  ...pick(flag, ['name', 'description', 'active', 'version', 'created_at']),
  strategies: ((flag.strategies ?? []) as Answer[]).map((strategy) =>
    compact({
      ...pick(strategy, ['name', 'parameters']),
      scopes: ((strategy.scopes ?? []) as Answer[]).map((scope) => pick(scope, ['environment_scope'])),
      user_list: (strategy.user_list as Answer | null)?.name,
    }),
  ),
});

/** Snippets with their files. @param path below which each is by its id */
export async function snippetsOf(source: ExportSource, path: string, snippets: readonly Answer[]): Promise<Answer[]> {
  const exported: Answer[] = [];
  for (const snippet of snippets) {
    const files: Answer[] = [];
    for (const { path: name } of (snippet.files ?? []) as Answer[]) {
      const address = `${path}/${String(snippet.id)}/files/main/${encodeURIComponent(String(name))}/raw`;
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
