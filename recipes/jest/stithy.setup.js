const { start } = require('stithy');

// Jest runs tests in sandboxes, where no server can be. So one for each worker is started before them, in Jest itself.
module.exports = async ({ maxWorkers }) => {
  const options = { bench: true, ephemeral: true, seed: 'stithy.seed.yml' };
  globalThis.servers = await Promise.all(Array.from({ length: maxWorkers }, () => start(options)));
  process.env.FORGE_SERVERS = JSON.stringify(globalThis.servers.map(({ url, token }) => ({ url, token })));
};
