import { AccessLevel } from '../../core/access-levels.ts';
import { parametersOf } from '../seed/seed-fields.ts';
import { allowedTo, type LevelSource, levelName } from './export-levels.ts';
import { singlesOf, UNKNOWN } from './export-settings.ts';
import { type Answer, compact, type ExportSource, flags, inTurn, listAll, listById, pick } from './export-source.ts';

const HOOK_ATTRIBUTES = [
  'url',
  'name',
  'description',
  'push_events_branch_filter',
  'branch_filter_strategy',
  'custom_webhook_template',
  'created_at',
];

interface Place {
  /** Below /api/v4. */
  path: string;
  isProject: boolean;
  /** Username of who is a member by making it. */
  owner: string;
}

/** What both groups and projects have: members, labels and so on. @param row the group or project */
export async function belongingsOf(
  source: ExportSource,
  row: Answer,
  { path, isProject, owner }: Place,
  names: LevelSource,
): Promise<Answer> {
  const list = (name: string) => listById(source, `${path}/${name}`);
  const own = isProject ? '?include_ancestor_groups=false' : '?include_ancestor_groups=false&only_group_labels=true';
  return {
    members: (await list('members')).filter(({ username }) => username !== owner).map(memberOf),
    labels: (await list(`labels${own}`)).map((label) => pick(label, ['name', 'color', 'description', 'priority'])),
    milestones: (await list('milestones')).map((milestone) => ({
      ...pick(milestone, ['title', 'description', 'start_date', 'due_date', 'created_at']),
      ...(milestone.state === 'closed' ? { state: 'closed' } : {}),
    })),
    variables: (await listAll(source, `${path}/variables`)).filter(({ hidden }) => hidden !== true).map(variableOf),
    badges: (await list('badges'))
      .filter(({ kind }) => kind === (isProject ? 'project' : 'group'))
      .map((badge) => pick(badge, ['name', 'link_url', 'image_url'])),
    hooks: await hooksOf(source, `${path}/hooks`, `POST /${isProject ? 'projects' : 'groups'}/:id/hooks`, [
      'push_events',
    ]),
    wikis: (await listAll(source, `${path}/wikis?with_content=1`)).map((page) =>
      pick(page, ['title', 'content', 'format']),
    ),
    deploy_tokens: (await list('deploy_tokens'))
      .filter(({ revoked }) => revoked !== true)
      .map((token) => pick(token, ['name', 'username', 'expires_at', 'scopes'])),
    shared_with_groups: ((row.shared_with_groups ?? []) as Answer[]).map((share) =>
      compact({
        group: share.group_full_path,
        group_access: levelName(share.group_access_level),
        expires_at: share.expires_at,
      }),
    ),
    protected_branches: (await listAll(source, `${path}/protected_branches`))
      .filter((branch) => !isProject || (branch.inherited !== true && !isAutomatic(branch, row)))
      .map((branch) => branchOf(branch, names)),
    ...(await singlesOf(source, path, isProject)),
  };
}

const memberOf = (member: Answer): Answer =>
  compact({
    user: member.username,
    access_level: levelName(member.access_level),
    expires_at: member.expires_at,
    member_role: (member.member_role as Answer | undefined)?.name,
    created_at: member.created_at,
  });

/** A CI/CD variable as the seed has it. */
export const variableOf = (variable: Answer): Answer => ({
  ...pick(variable, ['key', 'value', 'variable_type', 'environment_scope', 'description']),
  ...flags(variable, ['protected', 'masked', 'raw']),
});

/** Whether a protection is the one that the server gives to default branches by itself. */
function isAutomatic(branch: Answer, project: Answer): boolean {
  const levels = (key: string) =>
    ((branch[`${key}_access_levels`] ?? []) as Answer[]).map((level) => level.access_level);
  const isOfMaintainers = ['push', 'merge'].every((key) => levels(key).join() === String(AccessLevel.maintainer));
  const isPlain = branch.allow_force_push !== true && branch.code_owner_approval_required !== true;
  return branch.name === project.default_branch && isOfMaintainers && isPlain && levels('unprotect').length === 0;
}

const branchOf = (branch: Answer, names: LevelSource): Answer =>
  compact({
    name: branch.name,
    allowed_to_push: allowedTo(branch.push_access_levels, names),
    allowed_to_merge: allowedTo(branch.merge_access_levels, names),
    allowed_to_unprotect: allowedTo(branch.unprotect_access_levels, names),
    ...flags(branch, ['allow_force_push', 'code_owner_approval_required']),
  });

/**
 * Webhooks as the seed has them, without their tokens.
 * @param path of their list @param route that makes one @param onByDefault events that a new one tells of; all are written out if absent
 */
export async function hooksOf(
  source: ExportSource,
  path: string,
  route: string,
  onByDefault?: readonly string[],
): Promise<Answer[]> {
  return inTurn(await listById(source, path), async ({ id }) => {
    // A list does not name the variables.
    const hook = (await source.get(`${path}/${String(id)}`)) as Answer;
    const events = Object.keys(hook).filter((key) => key.endsWith('_events') && parametersOf(route).has(key));
    const told = events.filter((key) => onByDefault === undefined || hook[key] !== onByDefault.includes(key));
    const secrets = (key: string) => ((hook[key] ?? []) as Answer[]).map((one) => ({ key: one.key, value: UNKNOWN }));
    return {
      ...pick(hook, HOOK_ATTRIBUTES),
      ...compact({ url_variables: secrets('url_variables'), custom_headers: secrets('custom_headers') }),
      ...Object.fromEntries(told.map((key) => [key, hook[key]])),
      ...(hook.enable_ssl_verification === false ? { enable_ssl_verification: false } : {}),
    };
  });
}
