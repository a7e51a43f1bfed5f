import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Relation, Rule } from '../../src/access/ability-rule.ts';
import { GROUP_RULES } from '../../src/access/group-abilities.ts';
import { INSTANCE_RULES, type InstanceRule } from '../../src/access/instance-abilities.ts';
import { PROJECT_RULES } from '../../src/access/project-abilities.ts';
import type { Route } from '../../src/http/http.route.ts';
import { routes } from '../../src/routes.ts';
import { buildTestApp, type TestApp } from '../support/app.ts';
import { addressIn, LEVELS, makeScene, type Role, type Scene } from './scene.ts';

/*
 * Each route that writes is asked by each role with a body that is no JSON: who may not is refused before the body is
 * read, who may is told that it cannot be read. Nothing is changed, and who is refused must be what the tables say.
 */

/** Whether access tokens are asked for: what runners and their jobs call takes tokens of its own. */
const takesAccessTokens = ({ options: { credentials } }: Route) =>
  credentials === undefined || credentials.methods.some(({ name }) => name === 'privateToken');

const writing = routes.filter(
  (route) =>
    route.options.access.writes === true &&
    route.options.method !== 'GET' &&
    !route.options.path.startsWith('/-/git/') &&
    takesAccessTokens(route),
);
const INSTANCE: Readonly<Record<string, InstanceRule>> = INSTANCE_RULES;
const PLACES: Readonly<Record<string, Rule>> = { ...PROJECT_RULES, ...GROUP_RULES };
const REFUSALS = [401, 403, 404, 405];

/** What the object of a route decides beside the tables, in this scene: the level from which on, the author's rights kept. */
const FURTHER: Readonly<Record<string, number>> = {
  // Source and target branch are ordinary ones of the project.
  merge_merge_request: LEVELS.developer,
  cancel_automatic_merge: LEVELS.developer,
  rebase_merge_request: LEVELS.developer,
  // Bots alone, and tokens of the project or group alone.
  reset_approvals: Number.POSITIVE_INFINITY,
  rotate_own_access_token: Number.POSITIVE_INFINITY,
  rotate_own_group_access_token: Number.POSITIVE_INFINITY,
};
/** What takes the right to push, which is lost in a project that stands still. */
const PUSHING = ['merge_merge_request', 'cancel_automatic_merge', 'rebase_merge_request'];
/** Abilities that the author has only of their own drafts: others find none, administrators neither. */
const DRAFTS = ['update_draft_note', 'discard_draft_note'];

/** Level from which on members of a private project find what the path names. */
function seenFrom(path: string): number {
  if (path.includes('/merge_requests/:') || path.includes('/repository/commits/:')) return LEVELS.reporter;
  return LEVELS.guest;
}

const levelOf = (role: Role): number =>
  role === 'administrator' ? 60 : role === 'anonymous' || role === 'stranger' ? 0 : LEVELS[role];

function mayOnInstance({ role: who, relations }: InstanceRule, role: Role): boolean {
  if (role === 'administrator' || who === 'anyone') return true;
  if (role === 'anonymous') return false;
  return who !== 'administrator' && relations === undefined;
}

/** Whether the tables give the role what the route needs. */
function may(
  { options: { path, access } }: Route,
  role: Role,
  { open, frozen }: { open: boolean; frozen: boolean },
): boolean {
  const ability = access.ability!;
  const onInstance = INSTANCE[ability];
  if (onInstance !== undefined) return mayOnInstance(onInstance, role);
  const rule = PLACES[ability]!;
  const level = levelOf(role);
  if (role === 'anonymous') return false;
  const asAuthor = rule.relations?.author;
  const isAuthor =
    role === 'author' && asAuthor !== undefined && level >= (asAuthor.level ?? 0) && !path.includes('access_requests');
  if (frozen && PUSHING.includes(ability) && !isAuthor) return false;
  if (frozen && rule.whenFrozen !== 'kept' && path.startsWith('/projects')) return false;
  if (DRAFTS.includes(ability)) return role === 'author';
  if (path.includes('/snippets/:') && level < LEVELS.guest) return false;
  if (isAuthor) return true;
  const from = Math.max(rule.level, FURTHER[ability] ?? 0);
  if (FURTHER[ability] !== undefined) return level >= from;
  if (level === rule.alsoAt) return true;
  if (open) return level >= rule.level || rule.openToUsers === true;
  return level >= Math.max(rule.level, seenFrom(path));
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

/** The status of a refusal; null for who may. */
async function refusal(route: Route, scene: Scene, role: Role): Promise<number | null> {
  const token = scene.tokens[role];
  const response = await app.request(route.options.method, addressIn(scene, route), {
    ...(token === undefined ? {} : { token }),
    body: '{',
    headers: { 'content-type': 'application/json' },
  });
  const { statusCode } = response;
  if (statusCode === 400 && !/insufficient permissions/.test(response.body)) return null;
  // The body is for the handler to read.
  if (statusCode === 422 && route.options.body !== undefined) return null;
  assert.ok(
    REFUSALS.includes(statusCode) || statusCode === 400,
    `${route.options.method} ${route.options.path} as ${role}: ${statusCode} ${response.body}`,
  );
  return statusCode;
}

const ROLES: readonly Role[] = [
  'anonymous',
  'stranger',
  'guest',
  'planner',
  'reporter',
  'author',
  'developer',
  'maintainer',
  'owner',
  'administrator',
];

/** Asks every route as every role, and tells where the answer is another than the tables'. */
async function compare(
  scene: Scene,
  asked: readonly Route[],
  roles: readonly Role[],
  how: { open: boolean; frozen: boolean },
) {
  const wrong: string[] = [];
  for (const route of asked) {
    const { method, path, access } = route.options;
    for (const role of roles) {
      const status = await refusal(route, scene, role);
      if ((status === null) !== may(route, role, how))
        wrong.push(`${method} ${path} [${access.ability}] ${role}: ${status}`);
      if (role === 'anonymous' && status !== null && status !== 401)
        wrong.push(`${method} ${path} anonymous: ${status}`);
      const hidden = !how.open && role === 'stranger' && /^\/(projects|groups)\/:id/.test(path);
      if (hidden && status !== 404 && INSTANCE[access.ability!] === undefined)
        wrong.push(`${method} ${path} stranger: ${status}`);
    }
  }
  assert.deepEqual(wrong, []);
}

const inProjects = writing.filter(({ options }) => options.path.startsWith('/projects/:id'));

describe('who may not is refused, and nobody else', () => {
  test('in a private group and its project', async () => {
    await compare(await makeScene(app, 'private'), writing, ROLES, { open: false, frozen: false });
  });

  test('in a public project', async () => {
    await compare(await makeScene(app, 'public'), inProjects, ['anonymous', 'stranger', 'guest'], {
      open: true,
      frozen: false,
    });
  });

  for (const [name, column] of [
    ['an archived project', 'archived'],
    ['a project that waits for its deletion', 'in_deletion'],
  ] as const) {
    test(`in ${name}`, async () => {
      const scene = await makeScene(app, 'private');
      await app.deps.db
        .updateTable('projects')
        .set({ [column]: 1 })
        .where('id', '=', scene.project.id)
        .execute();
      await compare(scene, inProjects, ['author', 'owner', 'administrator'], { open: false, frozen: true });
    });
  }
});

test('the scene knows every relation of the tables', () => {
  const relations = new Set(Object.values(PLACES).flatMap((rule) => Object.keys(rule.relations ?? {})));
  const known: Relation[] = ['assignee', 'author', 'bearer', 'collaborator', 'self'];
  assert.deepEqual([...relations].sort(), known);
});
