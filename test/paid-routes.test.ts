import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLANS } from '../src/config/config.ts';
import type { Route } from '../src/http/route.ts';
import { routes } from '../src/routes.ts';
import { buildTestApp, ROOT_TOKEN } from './support/app.ts';
import { makeMergeRequest } from './support/merge-request.ts';

const TEXT = /This needs the plan/;
/** Administrators do not get as far as the plan here: it is for bots alone. */
const FOR_BOTS = 'PUT /projects/:id/merge_requests/:merge_request_iid/reset_approvals';

/** The path with the id of what its first parameter names; all other parameters name nothing, or a first one. */
function addressOf({ options: { path } }: Route, ids: Record<string, number>): string {
  const id = ids[/^\/(\w+)/.exec(path)?.[1] ?? ''] ?? 1;
  return path.replace(':id', String(id)).replace(/:\w+/g, '1');
}

test('lower plans refuse the routes of higher ones, and no others', async () => {
  const app = await buildTestApp();
  const project = await app.make.project();
  const group = await app.make.group();
  await makeMergeRequest(app, project);
  const ids = { projects: project.id, groups: group.id };
  const refusedOn = async (plan: (typeof PLANS)[number]) => {
    app.deps.config.plan = plan;
    const refused: string[] = [];
    for (const route of routes) {
      const { method, path, root, plan: needed } = route.options;
      // What changes something for the caller or the whole server is asked only where it is to be refused.
      if (root || (needed === undefined && method !== 'GET')) continue;
      const answer = await app.instance.server.app.inject({
        method,
        url: `/api/v4${addressOf(route, ids)}`,
        headers: { 'private-token': ROOT_TOKEN },
      });
      if (answer.statusCode === 403 && TEXT.test(answer.body)) refused.push(`${method} ${path}`);
    }
    return refused;
  };
  const above = (plan: (typeof PLANS)[number]) =>
    routes
      .filter(({ options }) => options.plan !== undefined && PLANS.indexOf(options.plan) > PLANS.indexOf(plan))
      .map(({ options: { method, path } }) => `${method} ${path}`)
      .filter((name) => name !== FOR_BOTS);
  for (const plan of PLANS) assert.deepEqual(await refusedOn(plan), above(plan), plan);
  assert.ok(above('free').length > above('premium').length && above('premium').length > 0);
  await app.close();
});
