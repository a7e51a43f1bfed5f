import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FeatureLevel, PROJECT_FEATURES } from '../../src/db/tables/projects.table.ts';
import type { Route } from '../../src/http/http.route.ts';
import { routes } from '../../src/routes.ts';
import { buildTestApp, expectStatus, type TestApp } from '../support/app.ts';
import { holdJob } from '../support/artifacts.ts';
import { addressOf, type Filling, requestOf } from './ask.ts';
import { makeScene, type Role, type Scene } from './scene.ts';
import { makeThings, type Things } from './things.ts';

/*
 * What people who are no members are told: of a part of a project that they see, that it is closed to them (403); of a project that
 * they do not see, that there is none (404); and never whether something is there that they are not shown. All routes are asked, those
 * that write with a body that is no JSON: nothing is changed.
 */

/**
 * On PostgreSQL, where each question is read anew, strangers stand for anonymous callers, routes that read for all, and parts for
 * members for those that are switched off: the decisions are the same.
 */
const ON_POSTGRES = process.env.STITHY_TEST_POSTGRES !== undefined;
const OUTSIDERS: readonly Role[] = ON_POSTGRES ? ['stranger'] : ['stranger', 'anonymous'];

/** Routes that people ask. */
const asked = routes.filter(
  ({ options: { method, credentials } }) =>
    (!ON_POSTGRES || method === 'GET') &&
    (credentials === undefined || credentials.methods.some(({ name }) => name === 'privateToken' || name === 'basic')),
);
/** Where an address names a project or a group. */
const PLACE =
  /^(\/(-|uploads\/-\/system))?\/(projects?|groups?)(\/avatar)?\/:id\b|^\/-\/git\/:repository\/|^\/:id\/-\//;
const isInPlace = ({ options: { path } }: Route): boolean => PLACE.test(path);
/** Those of what is in a project or a group. */
const inPlaces = asked.filter(isInPlace);

/** Routes that refuse strangers with another status than 403: part of `METHOD path`, status, reason. */
type Exception = readonly [pattern: RegExp, status: number, reason: string];
const ALWAYS: readonly Exception[] = [[/\/access_tokens/, 401, 'access tokens know no 403']];
const WHERE_OPEN: readonly Exception[] = [
  ...ALWAYS,
  [/\/snippets\/:/, 404, 'the snippet is private'],
  [/^DELETE .*\/links\/:issue_link_id$/, 404, 'a link that the caller may not remove is not found'],
  [/\/(merge|cancel_merge_when_pipeline_succeeds)$/, 401, 'who may not merge is answered 401'],
];
const WHERE_CLOSED: readonly Exception[] = [
  ...ALWAYS,
  [/\/award_emoji/, 404, 'reactions to what may not be read are not found'],
  [/ \/projects\/:id\/snippets(\/:snippet_id|$)/, 404, 'closed snippets are not there, for members neither'],
  [/\/(merge|merge_ref|rebase|cancel_merge_when_pipeline_succeeds)$/, 404, 'the merge request is not found'],
  [/ \/groups\/:id\/-\/packages\//, 404, 'the registry of a group is made of what the caller may read'],
];
/** Routes whose refusals depend on what is there, each with the reason. */
const TELLING: readonly [pattern: RegExp, reason: string][] = [
  [/^\S+ \/runners\/:/, 'runners are known by their numbers, those of others are refused'],
  [/ \/users\/:user_id\/keys\/| \/uploads\/-\/system\/user\//, 'users are shown to everybody'],
  [/\/npm\/:package_name\/-rev\//, 'the package is shown, by its tags'],
  [/\/:module_system\/download$/, 'the name that was asked for is said again'],
];

const REFUSALS = [401, 403, 404];

interface Answer {
  status: number;
  body: string;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const nameOf = ({ options }: Route): string => `${options.method} ${options.path}`;
/** What a path names, beside the place that it is in, in its order. */
const namesIn = (route: Route): string[] => {
  const names = [...route.options.path.matchAll(/[:*](\w+)/g)].map(([, name]) => name!);
  // Conan names a project by its path, as if it were a user.
  return (isInPlace(route) ? names.slice(1) : names).filter((name) => name !== 'package_username');
};

async function ask(route: Route, filling: Filling, role: Role): Promise<Answer> {
  const token = filling.scene.tokens[role] as string | null;
  const request = requestOf(route, addressOf(route, filling), token);
  const { statusCode, body } = await app.instance.server.app.inject(request);
  assert.notEqual(statusCode, 429, nameOf(route));
  return { status: statusCode, body };
}

const isRefusal = ({ status }: Answer): boolean => REFUSALS.includes(status);
const isSame = (a: Answer, b: Answer): boolean => a.status === b.status && (!isRefusal(a) || a.body === b.body);

/** Something of the same kind that is not there. */
const absent = (there: string | number): string | number =>
  typeof there === 'number' ? 987_654_321 : /^[0-9a-f]{40}$/.test(there) ? 'dead'.repeat(10) : 'absent';

/** The same with nothing there from one of the names in a path on. */
const without = (filling: Filling, route: Route, from: number): Filling => {
  const missing = new Set(namesIn(route).slice(from));
  return { ...filling, instead: (name, there) => (missing.has(name) ? absent(there) : undefined) };
};

/** Whether the caller is shown what a name of the path stands for. */
async function isShown(route: Route, filling: Filling, index: number, role: Role): Promise<boolean> {
  const { path } = route.options;
  const [upTo] = new RegExp(`^.*[:*]${namesIn(route)[index]}(?!\\w)`).exec(path)!;
  for (const other of asked) {
    const { method, path: shorter } = other.options;
    if (method !== 'GET' || !`${path}/`.startsWith(`${shorter}/`) || !shorter.startsWith(upTo)) continue;
    if (!isRefusal(await ask(other, filling, role))) return true;
  }
  return false;
}

/**
 * Routes by which the caller learns whether something is there that they are not shown.
 * @param each whether each part of a path is asked for that is not there, or all of them at once
 */
async function leaks(filling: Filling, role: Role, some: readonly Route[], each: boolean): Promise<string[]> {
  const problems: string[] = [];
  for (const route of some) {
    if (TELLING.some(([pattern]) => pattern.test(nameOf(route)))) continue;
    const there = await ask(route, filling, role);
    for (const index of namesIn(route)
      .slice(0, each ? undefined : 1)
      .keys()) {
      const gone = await ask(route, without(filling, route, index), role);
      if (isSame(there, gone) || (await isShown(route, filling, index, role))) continue;
      problems.push(`${nameOf(route)} [${index}] ${role}: ${there.status} ${there.body}, ${gone.status} ${gone.body}`);
    }
  }
  return problems;
}

/** Routes that refuse strangers in another way than with 403, unless the owner is told the same. */
async function otherRefusals(filling: Filling, exceptions: readonly Exception[]): Promise<string[]> {
  const problems: string[] = [];
  const unused = new Set(exceptions);
  for (const route of inPlaces) {
    const answer = await ask(route, filling, 'stranger');
    if (!isRefusal(answer) || answer.status === 403 || isSame(answer, await ask(route, filling, 'owner'))) continue;
    const exception = exceptions.find(([pattern, status]) => pattern.test(nameOf(route)) && status === answer.status);
    if (exception === undefined) problems.push(`${nameOf(route)}: ${answer.status} ${answer.body}`);
    else unused.delete(exception);
  }
  if (ON_POSTGRES) return problems;
  return [...problems, ...[...unused].map(([, , reason]) => `unused: ${reason}`)];
}

describe('in a public project and group', () => {
  let scene: Scene;
  let things: Things;
  before(async () => {
    scene = await makeScene(app, 'public', await app.make.group({ visibility: 'public' }));
    things = await makeThings(app, scene);
  });

  const setFeatures = (level: FeatureLevel) =>
    app.deps.db
      .updateTable('projects')
      .set(Object.fromEntries(PROJECT_FEATURES.map((feature) => [`${feature}_access_level`, level])))
      .where('id', '=', scene.project.id)
      .execute();

  describe('whose parts are open', () => {
    test('strangers are told that what takes a role is closed to them', async () => {
      assert.deepEqual(await otherRefusals({ scene, things }, WHERE_OPEN), []);
    });

    for (const role of OUTSIDERS) {
      test(`nothing is told of what is not shown: ${role}`, async () => {
        assert.deepEqual(await leaks({ scene, things }, role, asked, !ON_POSTGRES), []);
      });
    }

    test('a confidential issue is like none', async () => {
      const ofIssues = inPlaces.filter(({ options }) => options.path.includes('/issues/:'));
      const columns = (confidential: 0 | 1) =>
        app.deps.db.updateTable('issues').set({ confidential }).where('project_id', '=', scene.project.id).execute();
      await columns(1);
      for (const role of [...OUTSIDERS, 'guest'] as const) {
        assert.deepEqual(await leaks({ scene, things }, role, ofIssues, true), []);
        for (const route of ofIssues) {
          const answer = await ask(route, { scene, things }, role);
          assert.ok(isRefusal(answer), `${nameOf(route)} ${role}: ${answer.body}`);
        }
      }
      await columns(0);
    });
  });

  for (const [level, exceptions] of [
    ['private', WHERE_CLOSED],
    // What is closed to everybody is refused to members, too, in the same words.
    ['disabled', ALWAYS],
  ] as const) {
    if (ON_POSTGRES && level === 'disabled') continue;
    describe(`whose parts are ${level}`, () => {
      before(() => setFeatures(level));
      after(() => setFeatures('enabled'));

      test('strangers are told that they are closed to them', async () => {
        assert.deepEqual(await otherRefusals({ scene, things }, exceptions), []);
      });

      for (const role of OUTSIDERS) {
        test(`nothing is told of what is there: ${role}`, async () => {
          assert.deepEqual(await leaks({ scene, things }, role, inPlaces, false), []);
        });
      }

      test('anonymous callers find nothing, or are asked who they are', async () => {
        const forbidden: string[] = [];
        for (const route of inPlaces) {
          const { status, body } = await ask(route, { scene, things }, 'anonymous');
          if (status === 403) forbidden.push(`${nameOf(route)}: ${body}`);
        }
        assert.deepEqual(forbidden, []);
      });
    });
  }
});

test('a project or group that a stranger does not see is like none', async () => {
  const scene = await makeScene(app, 'private', await app.make.group());
  const things = await makeThings(app, scene);
  const nowhere: Scene = {
    ...scene,
    project: { ...scene.project, full_path: 'absent/absent' },
    value: (path, name) => (name === 'id' ? 987_654_321 : scene.value(path, name)),
  };
  const problems: string[] = [];
  for (const route of inPlaces) {
    for (const role of OUTSIDERS) {
      const there = await ask(route, { scene, things }, role);
      const gone = await ask(route, { scene: nowhere, things }, role);
      if (isSame(there, gone)) continue;
      problems.push(`${nameOf(route)} ${role}: ${there.status} ${there.body}, ${gone.status} ${gone.body}`);
    }
  }
  assert.deepEqual(problems, []);
});

test('an internal project is open to those who are signed in, and is not there for external users', async () => {
  const project = await app.make.project({ visibility: 'internal', columns: { issues_access_level: 'private' } });
  const stranger = await app.make.user();
  const external = await app.make.user({ columns: { external: 1 } });
  for (const part of ['feature_flags', 'approval_rules', 'runners', 'variables', 'issues/1']) {
    const path = `/projects/${project.id}/${part}`;
    assert.deepEqual((await app.get(path, { token: stranger.token })).json(), { message: '403 Forbidden' }, part);
    assert.deepEqual(
      (await app.get(path, { token: external.token })).json(),
      { message: '404 Project Not Found' },
      part,
    );
  }
});

test('tokens of deployments and of jobs of another project are told the same', async () => {
  const elsewhere = await app.make.project();
  const project = await app.make.project({
    visibility: 'public',
    columns: { package_registry_access_level: 'private', releases_access_level: 'private' },
  });
  const hidden = await app.make.project();
  const json = { name: 'x', scopes: ['read_package_registry'] };
  const made = expectStatus<{ token: string }>(
    await app.post(`/projects/${elsewhere.id}/deploy_tokens`, { json }),
    201,
  );
  const { token: job } = await holdJob(app, elsewhere);
  for (const [name, secret] of [
    ['deploy-token', made.token],
    ['job-token', job],
  ] as const) {
    const ask = (path: string) => app.get(path, { token: null, headers: { [name]: secret } });
    for (const path of ['packages', 'packages/1', 'packages/generic/x/1/x', 'packages/npm/x']) {
      expectStatus(await ask(`/projects/${project.id}/${path}`), 403);
      expectStatus(await ask(`/projects/${hidden.id}/${path}`), 404);
    }
  }
  expectStatus(await app.get(`/projects/${project.id}/releases`, { token: null, headers: { 'job-token': job } }), 403);
});
