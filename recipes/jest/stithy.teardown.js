module.exports = () => Promise.all(globalThis.servers.map((server) => server.stop()));
