import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { includesPlan } from '../src/access/access.plan.ts';
import { PLANS, type Plan } from '../src/config/config.ts';
import type { Route } from '../src/http/http.route.ts';
import { propertiesOf } from '../src/http/http.schema.ts';
import { openApiDocument } from '../src/http/openapi/openapi.document.ts';
import { routes } from '../src/routes.ts';
import { addressIn, makeScene } from './rights/scene.ts';
import { buildTestApp } from './support/app.ts';
import { enterLicense, makeIssuer } from './support/licences.ts';

/** What is on which plan: a plan, a tab, `METHOD path`, and for a parameter its name. Entered by `npm run operation-ids`. */
const FILE = new URL('fixtures/paid-routes.tsv', import.meta.url);
const TEXT = /This needs the plan/;
/** Administrators do not get as far as the plan here: it is for bots alone. */
const FOR_BOTS = 'PUT /projects/:id/merge_requests/:merge_request_iid/reset_approvals';

const nameOf = ({ options: { method, path } }: Route): string => `${method} ${path}`;

/** Everything that a route or a parameter declares of plans, in order. */
function declared(): string[] {
  const lines = routes.flatMap((route) => {
    const { plan, input } = route.options;
    const parameters = input === undefined ? [] : Object.entries(propertiesOf(input));
    return [
      ...(plan === undefined ? [] : [`${plan}\t${nameOf(route)}`]),
      ...parameters.flatMap(([name, schema]) => {
        const { 'x-plan': of } = schema as { 'x-plan'?: Plan };
        return of === undefined ? [] : [`${of}\t${nameOf(route)}\t${name}`];
      }),
    ];
  });
  return lines.sort();
}

async function listed(): Promise<string[]> {
  return (await readFile(FILE, 'utf8')).split('\n').filter((line) => line !== '');
}

/** Routes of the list that a plan has not. */
const lockedOn = async (plan: Plan): Promise<string[]> =>
  (await listed())
    .map((line) => line.split('\t') as [Plan, string, string?])
    .filter(([needed, , parameter]) => parameter === undefined && !includesPlan(plan, needed))
    .map(([, name]) => name)
    .sort();

test('routes and parameters are on the plans that the list names', async () => {
  if (process.env.STITHY_ENTER_OPERATION_IDS !== undefined) await writeFile(FILE, `${declared().join('\n')}\n`);
  // A change is meant? `npm run operation-ids` enters it; the difference shows what is on another plan from now on.
  assert.deepEqual(declared(), await listed());
});

test('the document says of each operation which plan it takes', async () => {
  const { paths } = openApiDocument(routes, 'http://127.0.0.1');
  const paidRoutes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { 'x-plan': plan }]) =>
      plan === undefined ? [] : [`${plan}\t${method.toUpperCase()} ${path}`],
    ),
  );
  const plain = (line: string) => line.replace('/api/v4', '').replaceAll(/\{\w+\}|[:*]\w+/g, '*');
  const routesOfList = (await listed()).filter((line) => line.split('\t').length === 2);
  assert.deepEqual(paidRoutes.map(plain).sort(), routesOfList.map(plain).sort());
});

for (const by of ['settings', 'license'] as const) {
  test(`a plan turned down by ${by} refuses the routes of higher ones, and no others`, async () => {
    const issuer = makeIssuer();
    const app = await buildTestApp({ settings: { STITHY_LICENSE_ISSUER: issuer.publicKey } });
    const scene = await makeScene(app, 'private');
    const refused = async () => {
      const names: string[] = [];
      for (const route of routes) {
        const { method, root } = route.options;
        if (root) continue;
        const reads = method === 'GET' || method === 'HEAD';
        // What writes gets a body that is no JSON: whom the plan refuses is told so before it is read, and nothing is changed.
        const { statusCode, body } = await app.request(method, addressIn(scene, route), {
          ...(reads ? {} : { body: '{', headers: { 'content-type': 'application/json' } }),
        });
        assert.ok(reads || (statusCode >= 400 && statusCode < 500), `${nameOf(route)}: ${statusCode}`);
        if (statusCode === 403 && TEXT.test(body)) names.push(nameOf(route));
      }
      return names.sort();
    };
    for (const plan of PLANS) {
      if (by === 'settings') app.deps.config.plan = plan;
      // `starter` is what licenses call a plan that has nothing here.
      else await enterLicense(app, issuer, { restrictions: { plan: plan === 'free' ? 'starter' : plan } });
      const locked = (await lockedOn(plan)).filter((name) => name !== FOR_BOTS);
      assert.deepEqual(await refused(), locked, plan);
    }
    assert.ok((await lockedOn('free')).length > (await lockedOn('premium')).length);
    assert.deepEqual(await lockedOn('ultimate'), []);
    await app.close();
  });
}
