import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import { loadConfig } from './config/config.ts';
import { listenToHttp } from './listeners.ts';

for (const [host, url] of [
  ['localhost', 'http://localhost:5'],
  ['127.0.0.1', 'http://127.0.0.1:5'],
  ['0.0.0.0', 'http://127.0.0.1:5'],
  ['::', 'http://[::1]:5'],
  ['::1', 'http://[::1]:5'],
] as const) {
  test(`a server at ${host} listens to one address`, async () => {
    const hosts: string[] = [];
    const app = {
      listen: async (options: { host: string }) => void hosts.push(options.host),
      server: { address: () => ({ port: 5 }) },
    };
    const { config } = loadConfig({ STITHY_HOST: host, STITHY_PORT: '0' });
    assert.equal(await listenToHttp(app as never, config), url);
    assert.equal(config.port, 5);
    assert.ok(hosts.length === 1 && isIP(hosts[0]!) !== 0, hosts.join());
  });
}
