import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { anyone } from '../../../test/support/http-server.ts';
import { type Method, type Route, route } from '../http.route.ts';
import { operationIdOf } from './operation-ids.ts';

const One = Type.Object({ id: Type.Integer() });
const at = (method: Method, path: string, list = false, operationId?: string): Route =>
  route({
    method,
    path,
    ...(operationId === undefined ? {} : { operationId }),
    summary: 'It',
    access: anyone,
    success: { status: 200, schema: list ? Type.Array(One) : One },
    handler: () => undefined,
  });
const named = (...args: Parameters<typeof at>) => operationIdOf(at(...args), args[1]);

test('an operation is called after what it does and what it does it to', () => {
  const path = '/projects/:id/issues';
  assert.equal(named('GET', path, true), 'listProjectIssues');
  assert.equal(named('POST', path), 'createProjectIssue');
  assert.equal(named('GET', `${path}/:issue_iid`), 'getProjectIssue');
  assert.equal(named('PUT', `${path}/:issue_iid`), 'updateProjectIssue');
  assert.equal(named('DELETE', `${path}/:issue_iid`), 'deleteProjectIssue');
  assert.equal(named('GET', '/projects/:id/repository/branches', true), 'listProjectBranches');
  assert.equal(named('HEAD', '/projects/:id/repository/files/*file_path'), 'headProjectFile');
  assert.equal(named('GET', '/projects/:id/issues/:iid/time_stats'), 'getProjectIssueTimeStats');
  assert.equal(named('POST', '/project_aliases'), 'createProjectAlias');
  assert.equal(named('POST', '/projects/:id/statuses/:sha'), 'createProjectStatus');
});

test('a verb at the end of a path is what it does', () => {
  const path = '/projects/:id/merge_requests/:iid';
  assert.equal(named('POST', `${path}/approve`), 'approveProjectMergeRequest');
  assert.equal(named('PUT', `${path}/reset_approvals`), 'resetProjectMergeRequestApprovals');
  assert.equal(named('POST', '/projects/:id/merge_requests'), 'createProjectMergeRequest');
  assert.equal(named('GET', `${path}/merge_ref`), 'getProjectMergeRequestMergeRef');
  assert.equal(named('POST', '/projects/:id/repository/commits/:sha/cherry_pick'), 'cherryPickProjectCommit');
  assert.equal(named('POST', '/applications/:id/renew-secret'), 'renewApplicationSecret');
  assert.equal(named('DELETE', '/projects/:id/fork'), 'deleteProjectFork');
});

test('the caller, their token, forms of a file and several parameters are told apart', () => {
  assert.equal(named('GET', '/user/keys', true), 'listCurrentUserKeys');
  assert.equal(named('GET', '/users/:user_id/keys', true), 'listUserKeys');
  assert.equal(named('DELETE', '/personal_access_tokens/self'), 'deletePersonalAccessTokenSelf');
  assert.equal(named('POST', '/personal_access_tokens/self/rotate'), 'rotatePersonalAccessTokenSelf');
  assert.equal(named('GET', '/projects/:id/repository/archive.:format'), 'getProjectArchiveInFormat');
  assert.equal(named('GET', '/:id/-/commit/:sha.patch'), 'getCommitPatch');
  assert.equal(named('GET', '/things/:secret/:file_name'), 'getThingBySecretAndFileName');
});

test('a route can give its own name', () => {
  assert.equal(named('POST', '/api/graphql', false, 'queryGraphql'), 'queryGraphql');
});
