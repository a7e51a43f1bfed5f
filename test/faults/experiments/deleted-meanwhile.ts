import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient, type Call } from '../../support/api-client.ts';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';

const ROUNDS = 8;
const COPIES = 4;

/** What users do to a project and to one of its issues and merge requests. */
function requests(call: Call, id: number, issue: number, mergeRequest: number) {
  const at = `/projects/${id}`;
  const name = () => `x${Math.random()}`;
  return [
    () => call('POST', `${at}/issues`, { title: 'i', labels: 'a,b', assignee_ids: [1] }),
    () => call('POST', `${at}/issues/${issue}/notes`, { body: 'n @root #1' }),
    () => call('POST', `${at}/issues/${issue}/award_emoji`, { name: 'thumbsup' }),
    () => call('PUT', `${at}/issues/${issue}`, { title: name(), add_labels: 'c' }),
    () => call('POST', `${at}/merge_requests/${mergeRequest}/notes`, { body: 'n' }),
    () => call('PUT', `${at}/merge_requests/${mergeRequest}`, { title: name() }),
    () => call('POST', `${at}/merge_requests/${mergeRequest}/approve`),
    () => call('PUT', `${at}/merge_requests/${mergeRequest}/merge`),
    () => call('POST', `${at}/labels`, { name: name(), color: '#ff0000' }),
    () => call('POST', `${at}/milestones`, { title: name() }),
    () => call('POST', `${at}/repository/branches`, { branch: name(), ref: 'main' }),
    () => call('POST', `${at}/protected_branches`, { name: name() }),
    () => call('POST', `${at}/deploy_tokens`, { name: name(), scopes: ['read_repository'] }),
    () => call('POST', `${at}/access_tokens`, { name: name(), scopes: ['api'], expires_at: '2027-01-01' }),
    () =>
      call('POST', `${at}/snippets`, { title: 's', visibility: 'private', files: [{ file_path: 'f', content: 'c' }] }),
    () => call('POST', `${at}/fork`, { path: name(), name: name() }),
    () => call('GET', `${at}/repository/commits`),
    () => call('GET', `${at}/merge_requests/${mergeRequest}/changes`),
  ];
}

/** Requests about a project that is deleted while they run are 404 or another refusal, never a fault of the server. */
export default {
  title: 'projects deleted in the middle of everything that is done to them',
  run: async (lab) => {
    const server = await lab.start(join(lab.folder, 'data'), await lab.newDatabase());
    const call = apiClient(server.url, ROOT_TOKEN);
    const statuses = new Map<number, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { body } = await call<{ id: number }>('POST', '/projects', {
        path: `p${round}`,
        initialize_with_readme: true,
      });
      const at = `/projects/${body.id}`;
      const actions = [{ action: 'create', file_path: 'a', content: 'a' }];
      await call('POST', `${at}/repository/commits`, {
        branch: 'b',
        start_branch: 'main',
        commit_message: 'b',
        actions,
      });
      const issue = await call<{ iid: number }>('POST', `${at}/issues`, { title: 'i' });
      const merge = await call<{ iid: number }>('POST', `${at}/merge_requests`, {
        source_branch: 'b',
        target_branch: 'main',
        title: 'm',
      });
      assert.deepEqual([issue.status, merge.status], [201, 201], merge.text);
      const sent = Array.from({ length: COPIES }, () => requests(call, body.id, issue.body.iid, merge.body.iid)).flat();
      const answers = sent.map((send) => send());
      for (const answer of answers) answer.catch(() => {});
      await sleep(round * 15);
      assert.equal((await call('DELETE', at)).status, 202);
      for (const { status, text } of await Promise.all(answers)) {
        assert.ok(status < 500, `${status} ${text}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
    const counts = [...statuses].sort().map(([status, count]) => `${count} x ${status}`);
    lab.say(`${ROUNDS} projects deleted under ${counts.join(', ')}`);
    assert.ok((statuses.get(404) ?? 0) > 0, 'no request met a deletion');
    assert.equal(server.child.exitCode, null);
  },
} satisfies Experiment;
