import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const PATH = '/application/settings';
const get = async () => expectStatus<Json>(await app.get(PATH), 200);
const put = async (json: Json) => expectStatus<Json>(await app.put(PATH, { json }), 200);
const refused = async (json: Json) => expectStatus<Json>(await app.put(PATH, { json }), 400);

test('only administrators read and change the settings', async () => {
  const { token } = await app.make.user();
  for (const send of [app.get, app.put]) {
    expectStatus(await send(PATH, { token: null, query: { signup_enabled: false } }), 401);
    expectStatus(await send(PATH, { token, query: { signup_enabled: false } }), 403);
  }
  assert.equal((await get()).signup_enabled, true);
});

test('settings that nobody has changed are those of the platform, and of the environment', async () => {
  const shown = await get();
  assert.equal(shown.id, 1);
  assert.equal(shown.created_at, shown.updated_at);
  assert.deepEqual(
    [shown.default_projects_limit, shown.default_project_visibility, shown.restricted_visibility_levels],
    [100_000, 'private', []],
  );
  assert.equal(shown.default_branch_protection, 2);
  assert.deepEqual(shown.repository_storages_weighted, { default: 100, second: 0 });
  assert.deepEqual(shown.repository_storages, ['default']);
  assert.equal(shown.deletion_adjourned_period, 0);
  assert.equal(shown.throttle_authenticated_api_enabled, false);
});

test('a change shows all settings, keeps the others and passes over what it does not know', async () => {
  const before = await get();
  const shown = await put({ default_projects_limit: 7, no_such_setting: 1, home_page_url: 'https://forge.example' });
  assert.equal(shown.default_projects_limit, 7);
  assert.notEqual(shown.updated_at, before.updated_at);
  const { updated_at: _, ...rest } = shown;
  const { updated_at: __, ...was } = before;
  assert.deepEqual(rest, { ...was, default_projects_limit: 7, home_page_url: 'https://forge.example' });
  assert.deepEqual(await get(), shown);
  assert.equal((await put({ home_page_url: null })).home_page_url, null);
});

test('a form may send lists with commas, and brackets', async () => {
  const form = 'restricted_visibility_levels=public,internal&domain_allowlist[]=a.example&domain_allowlist[]=b.example';
  const shown = expectStatus<Json>(await app.put(PATH, { form }), 200);
  assert.deepEqual(shown.restricted_visibility_levels, ['public', 'internal']);
  assert.deepEqual(shown.domain_allowlist, ['a.example', 'b.example']);
  await put({ restricted_visibility_levels: [], domain_allowlist: [] });
});

test('old names are taken and shown', async () => {
  const shown = await put({
    signin_enabled: false,
    asset_proxy_whitelist: ['a.example'],
    default_branch_protection: 1,
  });
  assert.deepEqual(
    [shown.password_authentication_enabled_for_web, shown.signin_enabled, shown.password_authentication_enabled],
    [false, false, false],
  );
  assert.deepEqual(shown.asset_proxy_allowlist, ['a.example']);
  assert.deepEqual(shown.default_branch_protection_defaults, {
    allowed_to_push: [{ access_level: 30 }],
    allow_force_push: false,
    allowed_to_merge: [{ access_level: 40 }],
    developer_can_initial_push: false,
  });
  const both = await put({ signin_enabled: false, password_authentication_enabled_for_web: true });
  assert.equal(both.signin_enabled, true);
  const rules = await put({ default_branch_protection_defaults: { allow_force_push: true } });
  assert.equal((rules.default_branch_protection_defaults as Json).allow_force_push, true);
  assert.equal((await put({ default_branch_protection: 2 })).default_branch_protection, 2);
});

test('what older clients still send is kept and shown, with its type', async () => {
  const sent = {
    can_create_organization: false,
    enforce_pat_expiration: false,
    enforce_ssh_key_expiration: false,
    in_product_marketing_emails_enabled: true,
    pseudonymizer_enabled: true,
    web_ide_clientside_preview_enabled: true,
    container_registry_import_created_before: '2022-01-23T00:00:00.000Z',
    container_registry_import_max_retries: 4,
    container_registry_import_max_step_duration: 200,
    container_registry_import_max_tags_count: 90,
    container_registry_import_start_max_retries: 40,
    container_registry_import_target_plan: 'premium',
  };
  const sentOnly = (shown: Json) => Object.fromEntries(Object.keys(sent).map((name) => [name, shown[name]]));
  assert.deepEqual(sentOnly(await put(sent)), sent);
  assert.deepEqual(sentOnly(await get()), sent);
  await refused({ container_registry_import_created_before: 'once' });
  await refused({ container_registry_import_max_retries: -1 });
  assert.equal((await put({ container_registry_import_created_before: null })).id, 1);
});

test('performance_bar_enabled: false takes the group away', async () => {
  const group = await app.make.group();
  const named = await put({ performance_bar_allowed_group_path: group.full_path });
  assert.deepEqual([named.performance_bar_enabled, named.performance_bar_allowed_group_id], [true, group.id]);
  assert.equal((await put({ performance_bar_enabled: true })).performance_bar_enabled, true);
  const without = await put({ performance_bar_enabled: false });
  assert.deepEqual([without.performance_bar_enabled, without.performance_bar_allowed_group_path], [false, null]);
});

test('credentials are masked, and kept nowhere', async () => {
  const shown = await put({ recaptcha_private_key: 'a-private-key-of-recaptcha', akismet_api_key: '' });
  assert.equal(shown.recaptcha_private_key, '*****');
  assert.equal(shown.akismet_api_key, null);
  const rows = await app.deps.db.selectFrom('instance_values').selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes('a-private-key'));
  assert.ok(!app.logLines.join('').includes('a-private-key'));
  assert.equal((await put({ recaptcha_private_key: '*****' })).recaptcha_private_key, '*****');
  assert.equal((await put({ recaptcha_private_key: null })).recaptcha_private_key, null);
});

test('what does not fit is told by its setting, and changes nothing', async () => {
  const before = await get();
  const cases: [Json, Json][] = [
    [{ max_artifacts_size: 0 }, { errors: { max_artifacts_size: ['must be greater than or equal to 1'] } }],
    [
      { deletion_adjourned_period: 400 },
      { errors: { deletion_adjourned_period: ['must be less than or equal to 365'] } },
    ],
    [{ first_day_of_week: 3 }, { errors: { first_day_of_week: ['is not included in the list'] } }],
    [{ default_branch_name: 'a..b' }, { errors: { default_branch_name: ['is not a valid branch name'] } }],
    [
      { default_artifacts_expire_in: 'soon' },
      { errors: { default_artifacts_expire_in: ['is not a correct duration'] } },
    ],
    [
      { user_default_internal_regex: '(' },
      { errors: { user_default_internal_regex: ['is not a valid regular expression'] } },
    ],
    [
      { home_page_url: 'javascript:alert(1)' },
      { errors: { home_page_url: ['is blocked: Only allowed schemes are http, https'] } },
    ],
    [
      { personal_access_token_prefix: 'a b' },
      {
        errors: {
          personal_access_token_prefix: [
            "can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'",
          ],
        },
      },
    ],
    [
      { personal_access_token_prefix: 'x'.repeat(21) },
      { errors: { personal_access_token_prefix: ['is too long (maximum is 20 characters)'] } },
    ],
    [
      { rsa_key_restriction: 100 },
      {
        errors: { rsa_key_restriction: ['must be forbidden, allowed, or one of these sizes: 1024, 2048, 3072, 4096'] },
      },
    ],
    [
      { repository_storages_weighted: { third: 1 } },
      { errors: { repository_storages_weighted: ["can't include: third"] } },
    ],
    [
      { repository_storages_weighted: { default: 101 } },
      { errors: { repository_storages_weighted: ["value for 'default' must be between 0 and 100"] } },
    ],
    [
      { repository_storages_weighted: { default: 0 } },
      { errors: { repository_storages_weighted: ['must leave a storage for new repositories'] } },
    ],
    [{ domain_denylist_enabled: true }, { errors: { domain_denylist: ["can't be blank"] } }],
    [
      { restricted_visibility_levels: ['private'] },
      {
        errors: {
          default_project_visibility: ['cannot be set to a restricted visibility level'],
          default_group_visibility: ['cannot be set to a restricted visibility level'],
        },
      },
    ],
    [{ default_project_visibility: 'secret' }, { error: 'default_project_visibility does not have a valid value' }],
    [{ default_projects_limit: 'many' }, { error: 'default_projects_limit is invalid' }],
    [{ signup_enabled: 'perhaps' }, { error: 'signup_enabled is invalid' }],
    [{ akismet_enabled: true }, { error: 'akismet_api_key is missing' }],
    [{ default_branch_protection: 5 }, { error: 'default_branch_protection does not have a valid value' }],
  ];
  for (const [json, expected] of cases) {
    const { message, ...response } = await refused({ ...json, max_pages_size: 1 });
    assert.deepEqual(response, expected, JSON.stringify(json));
    assert.ok(typeof message === 'string' && message !== '');
  }
  assert.deepEqual(await get(), before);
  const { error } = await refused({ no_such_setting: 1 });
  assert.match(String(error), /default_projects_limit.* are missing, at least one parameter must be provided$/);
});

test('changes at the same time are all kept', async () => {
  await Promise.all([
    put({ max_pages_size: 11 }),
    put({ max_import_size: 12 }),
    put({ search_rate_limit: 13 }),
    put({ issues_create_limit: 14 }),
  ]);
  const shown = await get();
  assert.deepEqual(
    [shown.max_pages_size, shown.max_import_size, shown.search_rate_limit, shown.issues_create_limit],
    [11, 12, 13, 14],
  );
  assert.deepEqual(app.deps.settings.now.issues_create_limit, 14);
});

test('lower plans know nothing of the settings of higher ones', async () => {
  const free = await buildTestApp({ settings: { STITHY_PLAN: 'free' } });
  try {
    const json = { max_personal_access_token_lifetime: 30, first_day_of_week: 1 };
    const shown = expectStatus<Json>(await free.put(PATH, { json }), 200);
    assert.equal(shown.first_day_of_week, 1);
    assert.ok(!('max_personal_access_token_lifetime' in shown));
    assert.ok(!('maintenance_mode' in shown));
  } finally {
    await free.close();
  }
  assert.equal((await put({ max_personal_access_token_lifetime: 30 })).max_personal_access_token_lifetime, 30);
  await put({ max_personal_access_token_lifetime: null });
});

test('a number with decimal places is text in answers, and addresses of a service are a list', async () => {
  assert.deepEqual(((shown) => [shown.polling_interval_multiplier, shown.elasticsearch_url])(await get()), [
    '1.0',
    ['http://localhost:9200'],
  ]);
  assert.equal((await put({ polling_interval_multiplier: 2.25 })).polling_interval_multiplier, '2.25');
  assert.equal((await put({ polling_interval_multiplier: '0.0' })).polling_interval_multiplier, '0.0');
  assert.equal((await put({ polling_interval_multiplier: 1 })).polling_interval_multiplier, '1.0');
  const both = ['http://a.example:9200', 'http://b.example:9200'];
  assert.deepEqual((await put({ elasticsearch_url: both.join(', ') })).elasticsearch_url, both);
  assert.deepEqual((await put({ elasticsearch_url: both.slice(1) })).elasticsearch_url, both.slice(1));
  assert.deepEqual((await put({ elasticsearch_url: null })).elasticsearch_url, []);
  assert.match(String((await refused({ elasticsearch_url: 'x'.repeat(1_001) })).message), /elasticsearch_url/i);
  const form = expectStatus<Json>(await app.put(PATH, { form: 'elasticsearch_url=http://localhost:9200' }), 200);
  assert.deepEqual(form.elasticsearch_url, ['http://localhost:9200']);
});
