/**
 * Installs modules with the unmodified terraform. It asks hosts of modules over HTTPS alone, so its configuration names the
 * address of the registry, as it may for any host; how it finds that by itself is looked at with fetch.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const { host: address } = new URL(url);
/** A name of no host. */
const host = 'modules.example.org';
const ENV = { CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1', TF_INPUT: '0' };

let made = 0;

/** A folder with files in it. */
function write(files: Record<string, string>): string {
  made += 1;
  const dir = join(folder, `terraform-${made}`);
  mkdirSync(dir);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

const upload = (id: number, path: string, body: Buffer, headers: Record<string, string> = { 'private-token': token }) =>
  fetch(`${url}/api/v4/projects/${id}/packages/terraform/modules/${path}/file`, {
    method: 'PUT',
    headers,
    body: new Uint8Array(body),
  });

/** The archive of a module that says something. */
async function archive(greeting: string): Promise<Buffer> {
  const dir = write({ 'main.tf': `output "greeting" {\n  value = "${greeting}"\n}\n` });
  await must(dir, 'tar', ['czf', '../module.tgz', 'main.tf']);
  return readFileSync(join(dir, '../module.tgz'));
}

/** A private project in a group of its own, with modules in it. */
async function project(path: string, versions: readonly string[]): Promise<{ id: number; group: number }> {
  const group = await api<{ id: number }>('POST', '/groups', { path, name: path });
  const { id } = await api<{ id: number }>('POST', '/projects', { path: 'modules', namespace_id: group.id });
  for (const version of versions) {
    const response = await upload(id, `greeting/local/${version}`, await archive(`version ${version}`));
    assert.equal(response.status, 201, await response.text());
  }
  return { id, group: group.id };
}

/** Has terraform install a module and apply it. @returns what the module says, or terraform where it fails */
async function apply(source: string, version: string | null, secret: string | null): Promise<string> {
  const constraint = version === null ? '' : `  version = "${version}"\n`;
  const credentials = secret === null ? '' : `credentials "${host}" {\n  token = "${secret}"\n}\n`;
  const service = `${url}/api/v4/packages/terraform/modules/v1/`;
  const dir = write({
    'main.tf': `module "greeting" {\n  source = "${source}"\n${constraint}}\noutput "said" {\n  value = module.greeting.greeting\n}\n`,
    'terraform.rc': `host "${host}" {\n  services = {\n    "modules.v1" = "${service}"\n  }\n}\n${credentials}`,
    netrc: secret === null ? '' : `machine ${address}\nlogin anybody\npassword ${secret}\n`,
  });
  const env = { ...ENV, TF_CLI_CONFIG_FILE: join(dir, 'terraform.rc'), NETRC: join(dir, 'netrc') };
  const installed = await run(dir, 'terraform', ['init', '-no-color'], env);
  if (!installed.ok) return installed.text;
  await must(dir, 'terraform', ['apply', '-auto-approve', '-no-color'], env);
  return (await must(dir, 'terraform', ['output', '-raw', 'said'], env)).trim();
}

await runTests('terraform', {
  'installs modules from the registry of a group': async () => {
    await project('registry', ['1.0.0', '1.9.0', '1.10.0', '2.0.0-rc.1']);
    const source = `${host}/registry/greeting/local`;
    assert.equal(await apply(source, null, token), 'version 1.10.0');
    assert.equal(await apply(source, '~> 1.0.0', token), 'version 1.0.0');
    assert.equal(await apply(source, '2.0.0-rc.1', token), 'version 2.0.0-rc.1');
  },
  'installs them with a deploy token': async () => {
    const { group } = await project('deployed', ['1.0.0']);
    const body = { name: 'reading', scopes: ['read_package_registry'] };
    const deploy = await api<{ token: string }>('POST', `/groups/${group}/deploy_tokens`, body);
    assert.equal(await apply(`${host}/deployed/greeting/local`, '1.0.0', deploy.token), 'version 1.0.0');
  },
  'installs them from a project by their address': async () => {
    const { id } = await project('addressed', ['1.0.0', '1.1.0']);
    const source = `${url}/api/v4/projects/${id}/packages/terraform/modules/greeting/local`;
    assert.equal(await apply(source, null, token), 'version 1.1.0');
    assert.equal(await apply(`${source}/1.0.0`, null, token), 'version 1.0.0');
    const withToken = source.replace('://', `://anybody:${token}@`);
    assert.equal(await apply(`${withToken}/1.0.0`, null, null), 'version 1.0.0', 'with the token in the address');
  },
  'is told nothing of what it may not read': async () => {
    const { id } = await project('hidden', ['1.0.0']);
    const { id: user } = await api<{ id: number }>('POST', '/users', {
      username: 'outsider',
      name: 'Outsider',
      email: 'outsider@example.org',
      force_random_password: true,
    });
    const body = { name: 'reading', scopes: ['read_api'] };
    const outsider = await api<{ token: string }>('POST', `/users/${user}/personal_access_tokens`, body);
    const source = `${host}/hidden/greeting/local`;
    assert.match(await apply(source, '1.0.0', outsider.token), /Module not found/);
    for (const secret of ['glpat-none', null]) assert.match(await apply(source, '1.0.0', secret), /401/);
    const direct = `${url}/api/v4/projects/${id}/packages/terraform/modules/greeting/local`;
    assert.match(await apply(direct, null, outsider.token), /404/);
  },
  'keeps its state in a project, and locks it': async () => {
    const { id } = await api<{ id: number }>('POST', '/projects', { path: 'states' });
    const address = `${url}/api/v4/projects/${id}/terraform/state/production`;
    const dir = write({ 'main.tf': 'terraform {\n  backend "http" {}\n}\noutput "said" {\n  value = "kept"\n}\n' });
    const settings = {
      address,
      lock_address: `${address}/lock`,
      unlock_address: `${address}/lock`,
      lock_method: 'POST',
      unlock_method: 'DELETE',
      username: 'anybody',
      password: token,
    };
    const options = Object.entries(settings).map(([name, value]) => `-backend-config=${name}=${value}`);
    await must(dir, 'terraform', ['init', '-no-color', ...options], ENV);
    await must(dir, 'terraform', ['apply', '-auto-approve', '-no-color'], ENV);
    assert.equal((await must(dir, 'terraform', ['output', '-raw', 'said'], ENV)).trim(), 'kept');
    const shown = await api<{ serial: number; outputs: { said: { value: string } } }>(
      'GET',
      `/projects/${id}/terraform/state/production`,
    );
    assert.equal(shown.outputs.said.value, 'kept');
    const info = {
      ID: 'colleague',
      Operation: 'OperationTypeApply',
      Info: '',
      Who: '',
      Version: '',
      Created: '',
      Path: '',
    };
    await api('POST', `/projects/${id}/terraform/state/production/lock`, info);
    const refused = await run(dir, 'terraform', ['apply', '-auto-approve', '-no-color'], ENV);
    assert.equal(refused.ok, false);
    assert.match(refused.text, /HTTP remote state already locked: ID=colleague/);
    await must(dir, 'terraform', ['force-unlock', '-force', 'colleague'], ENV);
    await must(dir, 'terraform', ['apply', '-auto-approve', '-no-color'], ENV);
  },
  'may ask the host where modules are': async () => {
    const response = await fetch(`${url}/.well-known/terraform.json`);
    const services = (await response.json()) as Record<string, string>;
    assert.ok(`${url}${services['modules.v1']}`.startsWith(`${url}/api/v4/packages/terraform/modules/`));
  },
});
