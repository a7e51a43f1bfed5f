/**
 * Asks for feature flags with the unmodified SDK of Unleash. The folder it is installed in is the argument. Cases of the public
 * client specification run where a flag of theirs can be made on a server; its package lies in the same folder.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { api, folder, runTests, token, url } from './support.ts';

type Context = Record<string, unknown>;

interface Sdk {
  isEnabled(flag: string, context?: Context): boolean;
  destroy(): void;
  once(event: string, listener: (value: unknown) => void): void;
  on(event: string, listener: (value: unknown) => void): void;
  getFeatureToggleDefinitions(): { name: string }[];
}

const [installed = ''] = process.argv.slice(2);
const load = createRequire(join(installed, 'package.json'));
const { Unleash } = load('unleash-client') as { Unleash: new (options: object) => Sdk };

interface Spec {
  state: { features: { name: string; enabled: boolean; strategies: { name: string; parameters?: object }[] }[] };
  tests: { description: string; context: Context; toggleName: string; expectedResult: boolean }[];
}

const readSpec = (name: string): Spec =>
  JSON.parse(
    readFileSync(join(installed, 'node_modules/@unleash/client-specification/specifications', `${name}.json`), 'utf8'),
  ) as Spec;

interface Place {
  home: string;
  instance_id: string;
  url: string;
}

/** A project with these flags. */
async function place(path: string, flags: readonly object[] = []): Promise<Place> {
  const { id } = await api<{ id: number }>('POST', '/projects', { path });
  const home = `/projects/${id}`;
  for (const flag of flags) await api('POST', `${home}/feature_flags`, flag);
  return { home, ...(await api<{ instance_id: string; url: string }>('GET', `${home}/feature_flags_client`)) };
}

/** A client that has what the server has to tell it. */
async function client(at: Place, options: object = {}): Promise<Sdk> {
  const all = {
    url: at.url,
    appName: 'production',
    instanceId: at.instance_id,
    refreshInterval: 100,
    metricsInterval: 200,
    backupPath: folder,
    skipInstanceCountWarning: true,
    ...options,
  };
  const sdk = new Unleash(all);
  // One that nobody waits for must not end the process: it may ask again while it is being ended.
  for (const event of ['warn', 'error']) sdk.on(event, () => {});
  await Promise.race([
    once(sdk as never, 'synchronized'),
    once(sdk as never, 'error').then(([error]) => Promise.reject(error as Error)),
  ]).catch((error: unknown) => {
    sdk.destroy();
    throw error;
  });
  return sdk;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 600_000;
  while (!holds()) {
    assert.ok(Date.now() < deadline, what);
    await wait(20);
  }
}

const only = (name: string, parameters: object = {}, more: object = {}) => ({
  strategies: [{ name, parameters, ...more }],
});
const flexible = (rollout: string, stickiness: string) =>
  only('flexibleRollout', { groupId: 'default', rollout, stickiness });
const gradual = (percentage: string) => only('gradualRolloutUserId', { groupId: 'default', percentage });

/** Places of users in the group `default`, from 1 to 100. */
const HASHES = { '1': 70, '2': 35, '42': 81, '123': 82, 'user-1': 25 };

const TESTS: Record<string, () => Promise<void>> = {
  'every strategy means what it says': async () => {
    const at = await place('strategies', [
      { name: 'everybody', ...only('default') },
      { name: 'off', active: false, ...only('default') },
      { name: 'users', ...only('userWithId', { userIds: 'ada,bo' }) },
      {
        name: 'either',
        strategies: [...only('userWithId', { userIds: 'ada' }).strategies, ...gradual('70').strategies],
      },
      { name: 'all-random', ...flexible('100', 'random') },
      { name: 'none-random', ...flexible('0', 'random') },
      ...Object.values(HASHES)
        .flatMap((hash) =>
          [hash, hash - 1].flatMap((n) => [
            { name: `gradual-${n}`, ...gradual(String(n)) },
            ...['default', 'userId', 'sessionId'].map((by) => ({
              name: `by-${by.toLowerCase()}-${n}`,
              ...flexible(String(n), by),
            })),
          ]),
        )
        .filter((flag, n, all) => all.findIndex(({ name }) => name === flag.name) === n),
    ]);
    const list = await api<{ id: number }>('POST', `${at.home}/feature_flags_user_lists`, {
      name: 'staff',
      user_xids: 'ada,bo',
    });
    const strategies = [{ name: 'svcUserList', user_list_id: list.id }];
    await api('POST', `${at.home}/feature_flags`, { name: 'staff', strategies });
    const sdk = await client(at);
    try {
      const on = (flag: string, context: Context = {}) => sdk.isEnabled(flag, context);
      assert.deepEqual([on('everybody'), on('off'), on('unknown')], [true, false, false]);
      for (const flag of ['users', 'staff']) {
        const enabled = ['ada', 'bo', 'cy', undefined].map((userId) => on(flag, { userId }));
        assert.deepEqual(enabled, [true, true, false, false], flag);
      }
      assert.deepEqual([on('all-random'), on('none-random')], [true, false]);
      assert.deepEqual(
        ['ada', '1', '42', undefined].map((userId) => on('either', { userId })),
        [true, true, false, false],
      );
      for (const [id, hash] of Object.entries(HASHES)) {
        for (const [name, context] of [
          ['gradual', { userId: id }],
          ['by-default', { userId: id }],
          ['by-default', { sessionId: id }],
          ['by-userid', { userId: id }],
          ['by-sessionid', { sessionId: id }],
        ] as const) {
          assert.equal(on(`${name}-${hash}`, context), true, `${name} ${id} ${hash}`);
          assert.equal(on(`${name}-${hash - 1}`, context), false, `${name} ${id} below ${hash}`);
        }
        assert.equal(on(`by-userid-${hash}`, { sessionId: id }), false);
      }
    } finally {
      sdk.destroy();
    }
  },
  'cases of the client specification hold, where a server has such flags': async () => {
    let cases = 0;
    for (const name of [
      '01-simple-examples',
      '02-user-with-id-strategy',
      '03-gradual-rollout-user-id-strategy',
      '07-multiple-strategies',
      '10-flexible-rollout-strategy',
    ]) {
      const spec = readSpec(name);
      const nameOf = (flag: string) => flag.toLowerCase().replaceAll('.', '-');
      const at = await place(`spec-${name.slice(0, 2)}`);
      const made = new Set<string>();
      for (const { name: flag, enabled, strategies } of spec.state.features) {
        if (strategies.length === 0) continue;
        const response = await fetch(`${url}/api/v4${at.home}/feature_flags`, {
          method: 'POST',
          headers: { 'private-token': token, 'content-type': 'application/json' },
          body: JSON.stringify({
            name: nameOf(flag),
            active: enabled,
            strategies: strategies.map(({ name, parameters = {} }) => ({ name, parameters })),
          }),
        });
        if (response.status === 201) made.add(flag);
        // Groups in capitals, blanks between ids and strategies of other servers are none of this one.
        else assert.equal(response.status, 400);
      }
      const sdk = await client(at);
      try {
        for (const { description, context, toggleName, expectedResult } of spec.tests) {
          const unknown = !spec.state.features.some(({ name }) => name === toggleName);
          if (!made.has(toggleName) && !unknown) continue;
          assert.equal(sdk.isEnabled(nameOf(toggleName), context), expectedResult, description);
          cases += 1;
        }
      } finally {
        sdk.destroy();
      }
    }
    assert.ok(cases >= 6, `only ${cases} cases could be asked`);
  },
  'the application is the environment': async () => {
    const scoped = (...names: string[]) =>
      only('default', {}, { scopes: names.map((environment_scope) => ({ environment_scope })) });
    const at = await place('environments', [
      { name: 'production', ...scoped('production') },
      { name: 'review', ...scoped('review/*', 'staging') },
      { name: 'all', ...scoped('*') },
    ]);
    for (const [appName, ...expected] of [
      ['production', 'all', 'production'],
      ['review/new-cart', 'all', 'review'],
      ['staging', 'all', 'review'],
      ['other', 'all'],
    ] as const) {
      const sdk = await client(at, { appName });
      try {
        const known = sdk.getFeatureToggleDefinitions().map(({ name }) => name);
        assert.deepEqual(known.sort(), expected, appName);
      } finally {
        sdk.destroy();
      }
    }
  },
  'the instance id is taken wherever an SDK can be told to send it': async () => {
    const at = await place('ids', [{ name: 'flag', ...only('default') }]);
    const { instance_id } = at;
    for (const options of [
      {},
      { instanceId: undefined, customHeaders: { 'UNLEASH-INSTANCEID': instance_id } },
      { instanceId: undefined, customHeaders: { 'unleash-instanceid': instance_id } },
      { instanceId: undefined, customHeaders: { Authorization: instance_id } },
      { instanceId: undefined, customHeadersFunction: async () => ({ Authorization: `Bearer ${instance_id}` }) },
      { url: `${at.url}/` },
      { customHeaders: { Authorization: 'ignored' } },
    ]) {
      const sdk = await client(at, options);
      assert.equal(sdk.isEnabled('flag'), true, JSON.stringify(options));
      sdk.destroy();
    }
    const wrong = client(at, { instanceId: `${instance_id}x` });
    await assert.rejects(wrong, /401/);
  },
  'a change is followed, use is reported, and a reset id is refused': async () => {
    const at = await place('changes', [{ name: 'flag', ...only('default') }]);
    const seen = new Map<string, unknown>();
    const sdk = await client(at);
    try {
      for (const event of ['sent', 'registered', 'unchanged', 'error', 'warn']) {
        sdk.on(event, (value) => seen.set(event, value));
      }
      assert.equal(sdk.isEnabled('flag'), true);
      await until(() => seen.has('sent') && seen.has('unchanged'), 'metrics and 304');
      await api('PUT', `${at.home}/feature_flags/flag`, { active: false });
      await until(() => !sdk.isEnabled('flag'), 'the change');
      assert.deepEqual([seen.get('error'), seen.get('warn')], [undefined, undefined]);
      await api('POST', `${at.home}/feature_flags_client/reset_token`);
      await until(() => seen.has('error') || seen.has('warn'), 'the refusal');
    } finally {
      sdk.destroy();
    }
  },
};

await runTests('unleash-client', TESTS);
