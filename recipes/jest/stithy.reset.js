// Gives each test file the server of its worker, and puts it back before each test.
const { url, token } = JSON.parse(process.env.FORGE_SERVERS)[Number(process.env.JEST_WORKER_ID) - 1];

async function api(method, path, body) {
  const headers = { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? undefined : answer.json();
}

globalThis.stithy = { url, token, api };
beforeEach(() => api('POST', '/-/bench/reset'));
