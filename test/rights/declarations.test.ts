import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GROUP_RULES } from '../../src/access/group-abilities.ts';
import { INSTANCE_RULES } from '../../src/access/instance-abilities.ts';
import { PROJECT_RULES } from '../../src/access/project-abilities.ts';
import type { Route } from '../../src/http/http.route.ts';
import { routes as publicRoutes } from '../../src/routes.ts';
import { benchRoutes } from '../../src/test-bench/index.ts';

const routes = [...publicRoutes, ...benchRoutes];

/** What is sent by another method than GET although it changes nothing, each with the reason. */
const READING: Readonly<Record<string, string>> = {
  'POST /markdown': 'a text too long for an address; nothing is kept of it',
  'POST /projects/:id/packages/npm/-/npm/v1/security/advisories/bulk': 'asks what is known of packages',
  'POST /projects/:id/packages/npm/-/npm/v1/security/audits/quick': 'asks what is known of packages',
  'POST /groups/:id/-/packages/npm/-/npm/v1/security/advisories/bulk': 'asks what is known of packages',
  'POST /groups/:id/-/packages/npm/-/npm/v1/security/audits/quick': 'asks what is known of packages',
  'POST /packages/npm/-/npm/v1/security/advisories/bulk': 'asks what is known of packages',
  'POST /packages/npm/-/npm/v1/security/audits/quick': 'asks what is known of packages',
  'POST /feature_flags/unleash/:project_id/client/register': 'what Unleash clients tell of themselves is not kept',
  'POST /feature_flags/unleash/:project_id/client/metrics': 'the same',
  'POST /api/graphql': 'a question too long for an address; there are no mutations',
  'POST /-/git/:repository/info/lfs/objects/batch': 'tells where to read and write; who writes is looked at there',
};
/** Abilities that change something and that no route declares: what the body says decides whether it takes them. */
const BY_INPUT = new Set([
  'admin_project', // what the answer shows of settings
  'update_project', // all settings but those of merge requests
  'own_project', // renaming, opening and dating
  'own_group', // what the answer shows of settings
  'create_subgroup', // the parent is in the body
  'create_projects', // the namespace is in the body
  'create_merge_request_in', // the target project is in the body
  'set_new_issue_metadata', // labels and people of a new issue
]);

const nameOf = ({ options }: Route): string => `${options.method} ${options.path}`;
const isWriting = ({ options }: Route): boolean => options.method !== 'GET' && options.method !== 'HEAD';
const RULES: Readonly<Record<string, { writes?: true; level?: number; role?: string }>> = {
  ...INSTANCE_RULES,
  ...GROUP_RULES,
  ...PROJECT_RULES,
};

describe('every route that writes', () => {
  test('declares an ability that writes', () => {
    const wrong = routes.filter((route) => isWriting(route) && route.options.access.writes !== true).map(nameOf);
    assert.deepEqual(wrong, Object.keys(READING));
  });

  test('declares an ability of the tables', () => {
    for (const route of routes.filter((each) => each.options.access.writes === true)) {
      const { ability } = route.options.access;
      assert.equal(RULES[ability ?? '']?.writes, true, `${nameOf(route)}: ${ability}`);
    }
  });
});

test('each ability that writes is declared by a route, or decided by a body', () => {
  const declared = new Set(routes.map(({ options }) => options.access.ability));
  const unused = Object.keys(RULES).filter(
    (ability) => RULES[ability]!.writes === true && !declared.has(ability) && !BY_INPUT.has(ability),
  );
  assert.deepEqual(unused, []);
});

test('names of abilities are of one table each', () => {
  const names = [INSTANCE_RULES, GROUP_RULES, PROJECT_RULES].flatMap((rules) => Object.keys(rules));
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

describe('the document says who may call', () => {
  const descriptions = new Map(routes.map((route) => [nameOf(route), route.options.access.description]));

  test('in whole sentences', () => {
    for (const [name, text] of descriptions) {
      assert.match(text, /^[A-Z].*[^.\s]$/, name);
      // Names of scopes stand in backticks.
      assert.doesNotMatch(
        text.replace(/`\w+`/g, 'x'),
        /undefined|NaN|\bmay (?:\w+s|read_|admin)\b|_|\.\.| {2}/,
        `${name}: ${text}`,
      );
    }
  });

  test('in words like these', () => {
    const words = (name: string) => descriptions.get(name)!.split('. ')[0];
    assert.equal(words('POST /projects/:id/protected_branches'), 'Needs Maintainer or higher in the project');
    assert.equal(words('DELETE /projects/:id'), 'Needs Owner in the project');
    assert.equal(
      words('PUT /projects/:id/issues/:issue_iid'),
      'The author of the issue, its assignees (while in the project), or Planner or higher',
    );
    assert.equal(
      words('PUT /projects/:id/issues/:noteable_id/notes/:note_id'),
      'The author of the note, or Maintainer or higher',
    );
    assert.equal(words('POST /projects/:id/issues'), 'Every signed-in user who can see the project');
    assert.equal(
      words('POST /projects/:id/merge_requests/:merge_request_iid/approve'),
      'Every signed-in user who can see the project',
    );
    assert.equal(words('DELETE /projects/:id/members/:user_id'), 'The member themselves, or Maintainer or higher');
    assert.equal(words('PUT /user/status'), 'Any signed-in user, for their own data');
    assert.equal(words('DELETE /personal_access_tokens/:id'), 'The owner of the token or an administrator');
    assert.equal(words('POST /topics'), 'Administrators');
    assert.equal(words('GET /projects/:id'), 'Everyone who can see the project, signed in or not');
  });
});
