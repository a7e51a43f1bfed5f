import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routes } from '../src/routes.ts';

/** What jobs may call with their tokens: nothing else takes one. `~` is `/projects/:id`. */
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
GET ~/packages/generic/:package_name/*package_path
PUT ~/packages/generic/:package_name/*package_path
GET ~/packages/go/*module_path
GET ~/packages/helm/:channel/charts/:file_name
GET ~/packages/helm/:channel/index.yaml
POST ~/packages/helm/api/:channel/charts
GET ~/packages/maven/*maven_path
PUT ~/packages/maven/*maven_path
GET /groups/:id/-/packages/maven/*maven_path
GET /packages/maven/*maven_path
GET /packages/npm/:package_name
GET /packages/npm/-/package/:package_name/dist-tags
PUT /packages/npm/-/package/:package_name/dist-tags/:tag
DELETE /packages/npm/-/package/:package_name/dist-tags/:tag
POST /packages/npm/-/npm/v1/security/advisories/bulk
POST /packages/npm/-/npm/v1/security/audits/quick
GET /packages/npm/-/ping
GET /packages/npm/-/whoami
GET /groups/:id/-/packages/npm/:package_name
GET /groups/:id/-/packages/npm/-/package/:package_name/dist-tags
PUT /groups/:id/-/packages/npm/-/package/:package_name/dist-tags/:tag
DELETE /groups/:id/-/packages/npm/-/package/:package_name/dist-tags/:tag
POST /groups/:id/-/packages/npm/-/npm/v1/security/advisories/bulk
POST /groups/:id/-/packages/npm/-/npm/v1/security/audits/quick
GET /groups/:id/-/packages/npm/-/ping
GET /groups/:id/-/packages/npm/-/whoami
GET ~/packages/npm/:package_name
GET ~/packages/npm/-/package/:package_name/dist-tags
PUT ~/packages/npm/-/package/:package_name/dist-tags/:tag
DELETE ~/packages/npm/-/package/:package_name/dist-tags/:tag
POST ~/packages/npm/-/npm/v1/security/advisories/bulk
POST ~/packages/npm/-/npm/v1/security/audits/quick
GET ~/packages/npm/-/ping
GET ~/packages/npm/-/whoami
PUT ~/packages/npm/:package_name
GET ~/packages/npm/*package_path
GET ~/packages/pypi/files/:sha256/:file_identifier
GET ~/packages/pypi/simple
GET ~/packages/pypi/simple/:package_name
POST ~/packages/pypi
GET /groups/:id/-/packages/pypi/files/:sha256/:file_identifier
GET /groups/:id/-/packages/pypi/simple
GET /groups/:id/-/packages/pypi/simple/:package_name
GET ~/packages/terraform/modules/:module_name/:module_system
GET ~/packages/terraform/modules/:module_name/:module_system/:module_version
PUT ~/packages/terraform/modules/:module_name/:module_system/:module_version/file
GET /packages/terraform/modules/v1/:module_namespace/:module_name/:module_system
GET /packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/:module_version
GET /packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/:module_version/download
GET /packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/:module_version/file
GET /packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/download
GET /packages/terraform/modules/v1/:module_namespace/:module_name/:module_system/versions
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
GET ~/issues
GET ~/issues/:issue_iid
GET ~/merge_requests
GET ~/merge_requests/:merge_request_iid
GET ~/merge_requests/:noteable_id/notes
GET ~/merge_requests/:noteable_id/notes/:note_id
`;

test('jobs may call these with their tokens, and nothing else', () => {
  const taking = routes
    .filter(({ options }) => options.credentials?.ways.some(({ name }) => name === 'jobToken'))
    .map(({ options: { method, path } }) => `${method} ${path.replace('/projects/:id/', '~/')}`);
  assert.deepEqual(taking.sort(), TAKEN.trim().split('\n').sort());
});
