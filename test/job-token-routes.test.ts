import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageKinds } from '../src/api/packages/package-kinds.ts';
import type { Route } from '../src/http/http.route.ts';
import { routes } from '../src/routes.ts';

/** What jobs may call with their tokens, beside package managers: nothing else takes one. `~` is `/projects/:id`. */
const TAKEN = `
GET /job
GET /jobs/:job_id/artifacts
GET ~/jobs
GET ~/jobs/:job_id/artifacts
GET ~/jobs/:job_id/artifacts/*artifact_path
GET ~/jobs/:job_id/artifacts/tree
GET ~/jobs/artifacts/:ref_name/download
GET ~/jobs/artifacts/:ref_name/raw/*artifact_path
GET ~/packages
GET ~/packages/:package_id
DELETE ~/packages/:package_id
GET ~/packages/:package_id/package_files
DELETE ~/packages/:package_id/package_files/:package_file_id
GET ~/packages/:package_id/package_files/:package_file_id/download
GET ~/packages/:package_id/pipelines
GET ~/pipelines
GET ~/pipelines/:pipeline_id
GET ~/pipelines/:pipeline_id/bridges
GET ~/pipelines/:pipeline_id/jobs
PUT ~/pipelines/:pipeline_id/metadata
GET ~/environments
GET ~/environments/:environment_id
POST ~/environments
PUT ~/environments/:environment_id
DELETE ~/environments/:environment_id
POST ~/environments/:environment_id/stop
POST ~/environments/stop_stale
DELETE ~/environments/review_apps
GET ~/deployments
GET ~/deployments/:deployment_id
POST ~/deployments
PUT ~/deployments/:deployment_id
DELETE ~/deployments/:deployment_id
GET ~/deployments/:deployment_id/merge_requests
GET ~/repository/branches
GET ~/repository/branches/:branch
GET ~/repository/changelog
GET ~/repository/commits/:sha
GET ~/repository/commits/:sha/merge_requests
GET ~/repository/files/:file_path/raw
HEAD ~/repository/files/:file_path/raw
GET ~/repository/tags
GET ~/repository/tags/:tag_name
GET ~/releases
POST ~/releases
GET ~/releases/:tag_name
PUT ~/releases/:tag_name
DELETE ~/releases/:tag_name
POST ~/releases/:tag_name/evidence
GET ~/releases/permalink/latest
GET ~/releases/permalink/latest/*suffix_path
GET ~/releases/:tag_name/downloads/*direct_asset_path
GET ~/releases/:tag_name/assets/links
POST ~/releases/:tag_name/assets/links
GET ~/releases/:tag_name/assets/links/:link_id
PUT ~/releases/:tag_name/assets/links/:link_id
DELETE ~/releases/:tag_name/assets/links/:link_id
GET /:id/-/releases.atom
GET /:id/-/releases/permalink/latest
GET /:id/-/releases/permalink/latest/*suffix_path
GET /:id/-/releases/:tag_name/downloads/*direct_asset_path
GET /:id/-/releases/:tag_name/evidences/:evidence_id.json
GET ~/terraform/state/:name
POST ~/terraform/state/:name
DELETE ~/terraform/state/:name
POST ~/terraform/state/:name/lock
DELETE ~/terraform/state/:name/lock
GET ~/terraform/state/:name/versions/:serial
DELETE ~/terraform/state/:name/versions/:serial
GET ~/issues
GET ~/issues/:issue_iid
GET ~/merge_requests
GET ~/merge_requests/:merge_request_iid
GET ~/merge_requests/:noteable_id/notes
GET ~/merge_requests/:noteable_id/notes/:note_id
`;

/** Routes of package kinds that take no token at all. */
const OPEN = ['GET /.well-known/terraform.json'];

const nameOf = ({ options: { method, path } }: Route): string => `${method} ${path.replace('/projects/:id/', '~/')}`;
const ofKinds = [...packageKinds.values()].flatMap((kind) => kind.routes.map(nameOf));
const taking = routes
  .filter(({ options }) => options.credentials?.methods.some(({ name }) => name === 'jobToken'))
  .map(nameOf);

test('jobs may call these with their tokens, and nothing else', () => {
  assert.deepEqual(taking.filter((name) => !ofKinds.includes(name)).sort(), TAKEN.trim().split('\n').sort());
});

test('jobs may call all routes of package managers with their tokens', () => {
  assert.ok(ofKinds.length > 100);
  assert.deepEqual(
    ofKinds.filter((name) => !taking.includes(name)),
    OPEN,
  );
});
