import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';

const TOKEN = 'glpat-known-beforehand';
let container: StartedTestContainer;
let url: string;

// `container` is the folder with the Dockerfile and the seed.
before(async () => {
  const image = await GenericContainer.fromDockerfile('container').build();
  container = await image
    .withExposedPorts(8080)
    .withEnvironment({ STITHY_ROOT_TOKEN: TOKEN })
    .withWaitStrategy(Wait.forHttp('/-/readiness', 8080))
    .start();
  url = `http://${container.getHost()}:${container.getMappedPort(8080)}`;
});
beforeEach(() => post('/-/bench/reset'));
after(() => container?.stop());

async function post(path: string, body?: object) {
  const headers = { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body ?? {}) });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer.status === 204 ? undefined : answer.json();
}

// The seed made issues 1 to 4.
for (const title of ['Broken', 'Broken again']) {
  test(`an issue "${title}" is the fifth`, async () => {
    const { iid } = (await post('/api/v4/projects/acme%2Fweb/issues', { title })) as { iid: number };
    assert.equal(iid, 5);
  });
}
