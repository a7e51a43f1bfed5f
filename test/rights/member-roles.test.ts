import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { InjectOptions } from 'light-my-request';
import type { GroupAbility, ProjectAbility } from '../../src/access/access.abilities.ts';
import {
  grantsInGroup,
  grantsInProject,
  missingPermissions,
  ROLE_PERMISSIONS,
  type RolePermission,
  rolePermissions,
} from '../../src/access/role-permissions.ts';
import type { Route } from '../../src/http/http.route.ts';
import { routes } from '../../src/routes.ts';
import { buildTestApp, type TestApp } from '../support/app.ts';
import { addressOf, basic, requestOf } from './ask.ts';
import { LEVELS, makeScene, type Scene } from './scene.ts';
import { makeThings, type Things } from './things.ts';

/*
 * What each permission of a custom role changes on each level: the routes that a member of that level is refused without it, and that
 * are open to them with it. All are asked by HTTP, those that write with a body that is no JSON: who may is told that it cannot be
 * read, and nothing is changed.
 */

/** `permission`, base level and route, a line for each cell; `-` where a permission changes no route. By: npm run member-role-matrix */
const FILE = new URL('member-roles.tsv', import.meta.url);

const BASES = ['guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'] as const;
type Base = (typeof BASES)[number];
/** On PostgreSQL, where each question is read anew, one level stands for all: the decisions are the same. */
const ASKED: readonly Base[] = process.env.STITHY_TEST_POSTGRES ? ['guest'] : BASES;

/** Something that is asked for, and whether the answer is a refusal. */
interface Question {
  name: string;
  ability?: string | undefined;
  refused(token: string): Promise<boolean>;
}

let app: TestApp;
let scene: Scene;
/** What stands for a parameter of a path where reading it takes something that is there. */
let things: Things;
before(async () => {
  app = await buildTestApp();
  scene = await makeScene(app, 'private', await app.make.group());
  things = await makeThings(app, scene);
});
after(() => app.close());

/** The tokens of jobs, runners and the like are not those of members. */
const takesAccessTokens = ({ options: { credentials } }: Route) =>
  credentials === undefined || credentials.methods.some(({ name }) => name === 'privateToken' || name === 'basic');

const REFUSALS = [401, 403, 404];

function byRoute(route: Route): Question {
  const { method, path, access } = route.options;
  const url = addressOf(route, { scene, things });
  return {
    name: `${method} ${path}`,
    ability: access.ability,
    refused: (token) => isRefused(requestOf(route, url, token)),
  };
}

/** Git itself, which speaks no JSON. */
const byGit = (name: string, service: string): Question => ({
  name,
  refused: (token) =>
    isRefused({
      method: 'GET',
      url: `/${scene.project.full_path}.git/info/refs?service=${service}`,
      headers: { authorization: basic(token) },
    }),
});

async function isRefused(request: InjectOptions): Promise<boolean> {
  const { statusCode } = await app.instance.server.app.inject(request);
  assert.notEqual(statusCode, 429, String(request.url));
  return REFUSALS.includes(statusCode);
}

/** Gives the member of a base level a role with these permissions alone. */
async function give(base: Base, permissions: readonly RolePermission[]): Promise<string> {
  const { user, token } = scene.people[base];
  const role = permissions.length === 0 ? null : await app.make.memberRole(LEVELS[base], permissions);
  await app.deps.db.updateTable('members').set({ member_role_id: role }).where('user_id', '=', user.id).execute();
  return token;
}

async function refusedOf(questions: readonly Question[], token: string): Promise<Question[]> {
  const refused: Question[] = [];
  for (const question of questions) if (await question.refused(token)) refused.push(question);
  return refused;
}

/** The permissions without which a role of that level cannot have this one. */
const neededBy = (base: Base, permission: RolePermission): RolePermission[] =>
  missingPermissions(LEVELS[base], rolePermissions([permission])).map(({ needs }) => needs);

/**
 * Which of the questions each of the permissions opens. All are asked with all permissions at once, and what that opens with each half of
 * them, until one is left: few permissions open the same.
 */
async function openedBy(
  base: Base,
  questions: readonly Question[],
  permissions: readonly RolePermission[],
): Promise<[RolePermission, Question[]][]> {
  const needed = permissions.flatMap((permission) => neededBy(base, permission));
  const closed = new Set(await refusedOf(questions, await give(base, [...new Set([...needed, ...permissions])])));
  const opened = questions.filter((question) => !closed.has(question));
  if (permissions.length > 1 && opened.length > 0) {
    const half = Math.ceil(permissions.length / 2);
    return [
      ...(await openedBy(base, opened, permissions.slice(0, half))),
      ...(await openedBy(base, opened, permissions.slice(half))),
    ];
  }
  if (needed.length === 0 || opened.length === 0) return permissions.map((permission) => [permission, opened]);
  return [[permissions[0]!, await refusedOf(opened, await give(base, needed))]];
}

/** Routes that a permission opens and that none is answered by here, each with the reason. */
const UNSEEN: Readonly<Record<string, string>> = {
  'GET /projects/:id/repository/commits/:sha/signature': 'no commit is signed',
  'GET /projects/:id/repository/tags/:tag_name/signature': 'no tag is signed',
  'GET /projects/:id/merge_requests/:merge_request_iid/draft_notes/:draft_note_id': 'drafts are for their authors',
  'GET /-/git/:repository/gitlab-lfs/objects/:oid': 'there is no large file',
};

/** Routes that a guest is refused whose ability the table lets a permission grant, and that yet none was seen to open. */
function unseen(refused: readonly Question[], opened: ReadonlySet<Question>): string[] {
  const all = rolePermissions(ROLE_PERMISSIONS);
  const isGranted = (ability: string) =>
    grantsInProject(all, ability as ProjectAbility) || grantsInGroup(all, ability as GroupAbility, false);
  return refused
    .filter((question) => question.ability !== undefined && isGranted(question.ability) && !opened.has(question))
    .map(({ name }) => name);
}

test('each permission opens on each level the routes of the file, and no others', async () => {
  const questions = [
    ...routes.filter(takesAccessTokens).map(byRoute),
    byGit('git clone', 'git-upload-pack'),
    byGit('git push', 'git-receive-pack'),
  ];
  const refused = await refusedOf(questions, await give('guest', []));
  // What is closed even to owners with all permissions is closed to everybody else.
  const never = new Set(await refusedOf(refused, await give('owner', ROLE_PERMISSIONS)));
  const asked = refused.filter((question) => !never.has(question));
  const lines: string[] = [];
  const seen = new Set<Question>();
  for (const base of ASKED) {
    const closed = await refusedOf(asked, await give(base, []));
    for (const [permission, opened] of await openedBy(base, closed, ROLE_PERMISSIONS)) {
      for (const question of opened) seen.add(question);
      const names = opened.length === 0 ? ['-'] : opened.map(({ name }) => name).sort();
      lines.push(...names.map((name) => `${permission}\t${base}\t${name}`));
    }
  }
  assert.deepEqual(unseen(refused, seen).sort(), Object.keys(UNSEEN).sort());
  const order = (line: string) => ROLE_PERMISSIONS.indexOf(line.split('\t')[0] as RolePermission);
  lines.sort((a, b) => order(a) - order(b));
  const all = ['permission\tbase level\troute that it opens', ...lines];
  if (process.env.STITHY_ENTER_MEMBER_ROLES !== undefined) await writeFile(FILE, `${all.join('\n')}\n`);
  const written = (await readFile(FILE, 'utf8')).trimEnd().split('\n');
  assert.deepEqual(
    all,
    written.filter((line, index) => index === 0 || ASKED.includes(line.split('\t')[1] as Base)),
  );
});
