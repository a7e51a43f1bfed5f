import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { auditOf, gist } from '../../../../test/support/audit-trail.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';
import { flagValue, SHOWN_FLAGS } from '../../../integrations/catalogue/catalogue.flags.ts';
import { INTEGRATION_KINDS, type IntegrationKind } from '../../../integrations/catalogue/catalogue.kinds.ts';
import { FIELDS } from '../../../integrations/catalogue/fields.ts';
import { TRACKER_SLUGS } from '../../../integrations/trackers/patterns.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const WEBHOOK = 'https://chat.example/sesame-hook';

/** A value that a field of a kind takes. */
function valueFor(name: string): unknown {
  const { type, values, address, secret } = FIELDS[name]!;
  if (values !== undefined) return values[0];
  if (type === 'boolean') return false;
  if (type === 'integer') return 7;
  if (type === 'array') return ['A', 'B'];
  if (address) return `https://${name.replaceAll('_', '-')}.example/x`;
  return secret ? `sesame ${name}` : `some ${name}`;
}
const valuesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, valueFor(name)]));
const settable = (kind: IntegrationKind) => !kind.elsewhere;

describe('every kind', () => {
  test('asks each time for what it requires, but for secrets that it keeps; flags are never null', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}/integrations`;
    for (const kind of INTEGRATION_KINDS.filter(settable)) {
      const { slug, required } = kind;
      const made = expectStatus<Json>(await app.put(`${at}/${slug}`, { json: valuesOf(required) }), 200);
      for (const flag of SHOWN_FLAGS) assert.equal(typeof made[flag], 'boolean', `${slug} ${flag}`);
      const open = required.filter((name) => FIELDS[name]?.secret !== true);
      const nothing = await app.put(`${at}/${slug}`, { json: {} });
      if (open.length === 0) expectStatus(nothing, 200);
      else {
        const { message } = expectStatus<Json>(nothing, 400);
        assert.equal(message, open.map((name) => `${name} is missing`).join(', '), slug);
      }
      expectStatus(await app.put(`${at}/${slug}`, { json: valuesOf(open) }), 200);
      if (TRACKER_SLUGS.includes(slug)) expectStatus(await app.delete(`${at}/${slug}`), 204);
    }
  });

  test('has its optional choices unset by empty values', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}/integrations`;
    let seen = 0;
    for (const kind of INTEGRATION_KINDS.filter(settable)) {
      const { slug, required, fields } = kind;
      const choices = fields.filter((name) => FIELDS[name]?.values !== undefined && !required.includes(name));
      for (const name of choices) {
        seen += 1;
        const last = FIELDS[name]!.values!.at(-1)!;
        const shown = async (value: unknown, form: boolean) => {
          const input = { ...valuesOf(required), [name]: value };
          const body = form
            ? { form: new URLSearchParams(input as Record<string, string>).toString() }
            : { json: input };
          const { properties } = expectStatus<Json>(await app.put(`${at}/${slug}`, body), 200);
          return (properties as Json)[name];
        };
        const unset = FIELDS[name]!.fallback ?? null;
        assert.deepEqual([await shown(last, false), await shown('', true)], [last, unset], `${slug} ${name}`);
        assert.deepEqual([await shown(last, false), await shown(null, false)], [last, unset], `${slug} ${name}`);
        assert.equal(await shown('', false), unset, `${slug} ${name}`);
        const wrong = await app.put(`${at}/${slug}`, { json: { ...valuesOf(required), [name]: 'none' } });
        expectStatus(wrong, 400);
      }
      if (TRACKER_SLUGS.includes(slug)) await app.delete(`${at}/${slug}`);
    }
    assert.ok(seen > 10, `${seen}`);
  });

  test('asks for what it requires, keeps all that it takes, and shows none of its secrets', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}/integrations`;
    for (const kind of INTEGRATION_KINDS.filter(settable)) {
      const { slug, title, required, fields, flags } = kind;
      for (const name of required) {
        const others = valuesOf(required.filter((other) => other !== name));
        const { message } = expectStatus<Json>(await app.put(`${at}/${slug}`, { json: others }), 400);
        assert.equal(message, `${name} is missing`, slug);
        const blank = await app.put(`${at}/${slug}`, { json: { ...others, [name]: ' ' } });
        const texts =
          FIELDS[name]?.values === undefined ? `${name} can't be blank` : `${name} does not have a valid value`;
        assert.equal(expectStatus<Json>(blank, 400).message, texts, slug);
      }
      expectStatus(await app.get(`${at}/${slug}`), 404);
      const first = expectStatus<Json>(await app.put(`${at}/${slug}`, { json: valuesOf(required) }), 200);
      assert.deepEqual([first.slug, first.title, first.active, first.inherited], [slug, title, true, false]);
      const disabledFlags = Object.fromEntries(flags.map((flag) => [flag, false]));
      const whole = expectStatus<Json>(
        await app.put(`${at}/${slug}`, { json: { ...valuesOf(fields), ...disabledFlags } }),
        200,
      );
      const shown = fields.filter(
        (name) => !FIELDS[name]?.secret && !(slug === 'discord' && name.endsWith('_channel')),
      );
      assert.deepEqual(whole.properties, valuesOf(shown), slug);
      for (const flag of flags) if (SHOWN_FLAGS.includes(flag)) assert.equal(whole[flag], false, `${slug} ${flag}`);
      assert.deepEqual(expectStatus(await app.get(`${at}/${slug}`), 200), whole);
      assert.doesNotMatch(JSON.stringify(whole), /sesame/, slug);
      // A project has one tracker of issues at a time.
      if (TRACKER_SLUGS.includes(slug)) expectStatus(await app.delete(`${at}/${slug}`), 204);
    }
    const listed = expectStatus<Json[]>(await app.get(at), 200);
    const settableKinds = INTEGRATION_KINDS.filter((kind) => settable(kind) && !TRACKER_SLUGS.includes(kind.slug));
    assert.deepEqual(listed.map(({ slug }) => slug).toSorted(), settableKinds.map(({ slug }) => slug).toSorted());
    assert.ok(listed.every((entry) => !('properties' in entry)));
    const rows = await app.deps.db
      .selectFrom('integrations')
      .selectAll()
      .where('project_id', '=', project.id)
      .execute();
    assert.doesNotMatch(JSON.stringify(rows), /sesame|chat\.example|some username/);
  });

  test('is of groups, too, but for those that are of projects alone', async () => {
    const group = await app.make.group();
    for (const { slug, onlyProjects, elsewhere } of INTEGRATION_KINDS) {
      const asked = [
        await app.get(`/groups/${group.id}/integrations/${slug}`),
        await app.delete(`/groups/${group.id}/integrations/${slug}`),
        await app.put(`/groups/${group.id}/integrations/${slug}`, { json: {} }),
      ].map((response) => [response.statusCode, response.json().message]);
      if (onlyProjects) assert.deepEqual(asked, Array(3).fill([400, '400 Integration not available']), slug);
      else {
        assert.deepEqual(asked[0], [404, '404 Integration Not Found'], slug);
        assert.equal(asked[2]![0], elsewhere ? 422 : slug === 'mock-monitoring' ? 200 : 400, slug);
      }
    }
  });

  test('that another program makes is refused, as is one that there is not', async () => {
    const { id } = await app.make.project();
    const at = `/projects/${id}/integrations`;
    const messageOf = async (response: Awaited<ReturnType<TestApp['get']>>, status: number) =>
      expectStatus<Json>(response, status).message;
    assert.equal(
      await messageOf(await app.put(`${at}/gitlab-slack-application`, { json: {} }), 422),
      'You cannot create the GitLab for Slack app integration from the API',
    );
    assert.equal(
      await messageOf(await app.delete(`${at}/jira-cloud-app`), 422),
      'You cannot disable the GitLab for Jira Cloud app integration from the API',
    );
    assert.equal(await messageOf(await app.get(`${at}/teapot`), 400), 'slug does not have a valid value');
    assert.equal(await messageOf(await app.delete(`${at}/teapot`), 400), 'slug does not have a valid value');
    assert.equal(await messageOf(await app.put(`${at}/teapot`, { json: {} }), 404), '404 Integration Not Found');
    const bad = { webhook: WEBHOOK, branches_to_be_notified: 'some' };
    assert.equal(
      await messageOf(await app.put(`${at}/slack`, { json: bad }), 400),
      'branches_to_be_notified does not have a valid value',
    );
  });
});

describe('an integration', () => {
  test('is told of what it is by itself until that is changed, and shown as lists show it', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}/integrations/slack`;
    const made = expectStatus<Json>(await app.put(at, { json: { webhook: WEBHOOK } }), 200);
    const { properties, ...entry } = made;
    assert.deepEqual(entry, {
      id: made.id,
      title: 'Slack notifications',
      slug: 'slack',
      created_at: made.created_at,
      updated_at: made.updated_at,
      active: true,
      ...Object.fromEntries(SHOWN_FLAGS.map((flag) => [flag, flagValue({}, flag)])),
      inherited: false,
    });
    const { notify_only_broken_pipelines, branches_to_be_notified, channel } = properties as Json;
    assert.deepEqual([notify_only_broken_pipelines, branches_to_be_notified, channel], [true, 'default', null]);
    assert.deepEqual(expectStatus(await app.get(`/projects/${project.id}/integrations`), 200), [entry]);
    assert.deepEqual(expectStatus(await app.get(`/projects/${project.id}/services/slack`), 200), made);
    const json = { channel: '#a', pipeline_events: true, push_events: false };
    const changed = expectStatus<Json>(await app.put(at, { json }), 200);
    assert.deepEqual([changed.push_events, changed.pipeline_events, changed.issues_events], [false, true, true]);
    assert.equal((changed.properties as Json).channel, '#a');
  });

  test('is switched off, forgotten and set up anew', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}/integrations/slack`;
    expectStatus(await app.put(at, { json: { webhook: WEBHOOK, channel: '#a', push_events: false } }), 200);
    expectStatus(await app.delete(at), 204);
    const off = expectStatus<Json>(await app.get(at), 200);
    assert.deepEqual([off.active, off.push_events, (off.properties as Json).channel], [false, true, null]);
    assert.deepEqual(expectStatus(await app.get(`/projects/${project.id}/integrations`), 200), []);
    assert.equal(expectStatus<Json>(await app.put(at, { json: {} }), 400).message, 'webhook is missing');
    expectStatus(await app.put(at, { json: { webhook: WEBHOOK } }), 200);
    const early = { 'if-unmodified-since': new Date(0).toUTCString() };
    expectStatus(await app.delete(at, { headers: early }), 412);
    assert.equal(
      expectStatus<Json>(await app.delete(`/projects/${project.id}/integrations/asana`), 404).message,
      '404 Integration Not Found',
    );
  });

  test('keeps its secrets while its address stays, and loses them with it', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}/integrations/bamboo`;
    const whole = valuesOf(['bamboo_url', 'build_key', 'username', 'password']);
    expectStatus(await app.put(at, { json: whole }), 200);
    const { password: _, ...rest } = whole;
    expectStatus(await app.put(at, { json: { ...rest, build_key: 'OTHER' } }), 200);
    const moved = await app.put(at, { json: { ...rest, bamboo_url: 'https://elsewhere.example' } });
    assert.equal(expectStatus<Json>(moved, 400).message, 'password is missing');
    const unchanged = expectStatus<Json>(await app.get(at), 200);
    assert.equal((unchanged.properties as Json).bamboo_url, whole.bamboo_url);
    expectStatus(await app.put(at, { json: { ...whole, bamboo_url: 'https://elsewhere.example' } }), 200);
  });

  test('does not lead into the local network', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}/integrations`;
    for (const [url, text] of [
      ['http://127.0.0.1:8080/x', 'Requests to localhost are not allowed'],
      ['http://10.0.0.1/x', 'Requests to the local network are not allowed'],
      ['http://169.254.169.254/latest', 'Requests to the link local network are not allowed'],
      ['javascript:alert(1)', 'Only allowed schemes are http, https'],
      ['no address', 'URI is invalid'],
    ] as const) {
      const response = expectStatus<Json>(await app.put(`${at}/slack`, { json: { webhook: url } }), 400);
      assert.equal(response.message, `webhook is blocked: ${text}`);
      const issues = { project_url: url, issues_url: url };
      expectStatus(await app.put(`${at}/youtrack`, { json: issues }), 400);
    }
  });

  test('is set up by those who manage the project, or have the permission for it', async () => {
    const project = await app.make.project();
    const people = await app.make.members(project);
    const at = `/projects/${project.id}/integrations`;
    const ask = async (token: string | null, path = at) =>
      [
        await app.get(path, { token }),
        await app.put(`${path}/asana`, { json: { api_key: 'x' }, token }),
        await app.get(`${path}/asana`, { token }),
        await app.delete(`${path}/asana`, { token }),
      ].map(({ statusCode }) => statusCode);
    for (const path of [at, `/projects/${project.id}/services`]) {
      for (const { token } of [people.maintainer, people.owner])
        assert.deepEqual(await ask(token, path), [200, 200, 200, 204]);
      for (const role of ['guest', 'planner', 'reporter', 'developer'] as const)
        assert.deepEqual(await ask(people[role].token, path), Array(4).fill(403), role);
      assert.deepEqual(await ask(people.stranger.token, path), Array(4).fill(404));
      assert.deepEqual(await ask(null, path), Array(4).fill(401));
    }
    const { group, owner, maintainer, developer, guest } = await staffedGroup(app);
    const inGroup = `/groups/${group.id}/integrations`;
    for (const { token } of [owner, maintainer]) assert.deepEqual(await ask(token, inGroup), [200, 200, 200, 204]);
    for (const { token } of [developer, guest]) assert.deepEqual(await ask(token, inGroup), Array(4).fill(403));
    assert.deepEqual(await ask(people.stranger.token, inGroup), Array(4).fill(404));
    assert.deepEqual(await ask(null, inGroup), Array(4).fill(401));
    const readOnly = await app.make.token(people.maintainer.user.id, ['read_api']);
    assert.deepEqual(await ask(readOnly), [200, 403, 200, 403]);
  });

  test('is told of in audit events, without a secret', async () => {
    const group = await app.make.group();
    const at = `/groups/${group.id}/integrations/asana`;
    const events = await auditOf(app, async () => {
      expectStatus(await app.put(at, { json: { api_key: 'sesame' } }), 200);
      expectStatus(await app.put(at, { json: { restrict_to_branch: 'main', push_events: true } }), 200);
      expectStatus(await app.delete(at), 204);
    });
    const of = { on: `Group ${group.id}`, target: 'Integration Asana' };
    assert.deepEqual(events.map(gist), [
      { event: 'integration_created', ...of, message: 'Created the integration asana: api_key' },
      {
        event: 'integration_updated',
        ...of,
        message: 'Updated the integration asana: push_events, restrict_to_branch',
      },
      { event: 'integration_disabled', ...of, message: 'Disabled the integration asana' },
    ]);
    assert.doesNotMatch(JSON.stringify(events), /sesame/);
  });

  test('that the settings of the server do not allow is not available', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}/integrations`;
    await changeSettings(app, { allow_all_integrations: false, allowed_integrations: ['asana'] });
    try {
      const response = await app.put(`${at}/slack`, { json: { webhook: WEBHOOK } });
      assert.equal(expectStatus<Json>(response, 400).message, '400 Integration not available');
      expectStatus(await app.put(`${at}/asana`, { json: { api_key: 'x' } }), 200);
    } finally {
      await resetSettings(app);
    }
  });
});

describe('what a group sets up', () => {
  test('holds below it at once, and in what is made there later, until somebody there has their own', async () => {
    const group = await app.make.group();
    const below = await app.make.group({ parent: group });
    const old = await app.make.project({ namespace: below });
    const own = await app.make.project({ namespace: below });
    const at = (owner: string) => `${owner}/integrations/slack`;
    expectStatus(await app.put(at(`/projects/${own.id}`), { json: { webhook: WEBHOOK, channel: '#own' } }), 200);
    const above = expectStatus<Json>(
      await app.put(at(`/groups/${group.id}`), { json: { webhook: WEBHOOK, channel: '#top' } }),
      200,
    );
    const later = await app.make.project({ namespace: below });
    const look = async (owner: string) => {
      const { inherited, active, properties } = expectStatus<Json>(await app.get(at(owner)), 200);
      return [inherited, active, (properties as Json).channel];
    };
    for (const owner of [`/groups/${below.id}`, `/projects/${old.id}`, `/projects/${later.id}`]) {
      assert.deepEqual(await look(owner), [true, true, '#top'], owner);
      const { properties: _, ...entry } = above;
      const [listed] = expectStatus<Json[]>(await app.get(`${owner}/integrations`), 200);
      assert.deepEqual(listed, { ...entry, inherited: true });
    }
    assert.deepEqual(await look(`/projects/${own.id}`), [false, true, '#own']);
    // A change reaches all of them, and a group between takes the place of the one above.
    expectStatus(await app.put(at(`/groups/${group.id}`), { json: { channel: '#new' } }), 200);
    assert.deepEqual(await look(`/projects/${old.id}`), [true, true, '#new']);
    expectStatus(await app.put(at(`/groups/${below.id}`), { json: { webhook: WEBHOOK, channel: '#below' } }), 200);
    assert.deepEqual(await look(`/projects/${old.id}`), [true, true, '#below']);
    const back = await app.put(at(`/groups/${below.id}`), { json: { use_inherited_settings: true } });
    assert.equal(expectStatus<Json>(back, 200).inherited, true);
    assert.deepEqual(await look(`/projects/${later.id}`), [true, true, '#new']);
    // One project goes its own way, and comes back.
    expectStatus(await app.delete(at(`/projects/${old.id}`)), 204);
    assert.deepEqual(await look(`/projects/${old.id}`), [false, false, null]);
    assert.deepEqual(await look(`/projects/${later.id}`), [true, true, '#new']);
    expectStatus(await app.put(at(`/projects/${old.id}`), { json: { use_inherited_settings: true } }), 200);
    assert.deepEqual(await look(`/projects/${old.id}`), [true, true, '#new']);
    // And what the group gives up is gone below it.
    expectStatus(await app.delete(at(`/groups/${group.id}`)), 204);
    expectStatus(await app.get(at(`/projects/${old.id}`)), 404);
    expectStatus(await app.delete(at(`/projects/${old.id}`)), 404);
    assert.deepEqual(await look(`/projects/${own.id}`), [false, true, '#own']);
  });

  test('gives a project that sets up its own none of its secrets', async () => {
    const group = await app.make.group();
    const project = await app.make.project({ namespace: group });
    expectStatus(await app.put(`/groups/${group.id}/integrations/asana`, { json: { api_key: 'sesame' } }), 200);
    const response = await app.put(`/projects/${project.id}/integrations/asana`, {
      json: { restrict_to_branch: 'main' },
    });
    assert.equal(expectStatus<Json>(response, 400).message, 'api_key is missing');
  });

  test('is asked for where nothing is inherited: then it is set up there', async () => {
    const project = await app.make.project();
    const at = `/projects/${project.id}/integrations/asana`;
    expectStatus(await app.put(at, { json: { use_inherited_settings: true } }), 400);
    const json = { use_inherited_settings: true, api_key: 'x' };
    assert.equal(expectStatus<Json>(await app.put(at, { json }), 200).inherited, false);
  });
});
