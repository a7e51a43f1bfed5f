import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { call, digestOf, fillWithIssues, type Json, onDatabase } from '../transfers.ts';

const ISSUES = 6_000;
const NOTES_EACH = 5;
const COMMITS = 12;
/** Milliseconds from a start of the server that imports until it is killed: fewer than a job may be tried. */
const KILLS = [200, 700, 1_800, 4_000];
const LONGEST_MS = 600_000;

const OPEN = ['created', 'started', 'queued', 'none', 'regeneration_in_progress'];

const experiment: Experiment = {
  title: `${KILLS.length} kills while a group with ${ISSUES} issues is brought over, and as many while its project comes as an archive`,
  async run(lab) {
    const [from, to] = [join(lab.folder, 'from'), join(lab.folder, 'to')];
    const local = { STITHY_ALLOW_LOCAL_NETWORK: 'true' };
    const [fromSettings, toSettings] = [await lab.newDatabase(), { ...(await lab.newDatabase()), ...local }];
    let source = await lab.start(from, fromSettings);
    const group = await call(source, 'POST', '/groups', { name: 'moved', path: 'moved' });
    const project = await call(source, 'POST', '/projects', { name: 'issues', namespace_id: group.id });
    const at = `/projects/${project.id}`;
    for (let n = 0; n < COMMITS; n += 1) {
      const actions = [{ action: 'create', file_path: `f${n}`, content: `${n}\n`.repeat(1_000) }];
      await call(source, 'POST', `${at}/repository/commits`, { branch: 'main', commit_message: `C ${n}`, actions });
    }
    for (const name of ['one', 'two']) await call(source, 'POST', `${at}/labels`, { name, color: '#112233' });
    await call(source, 'POST', `${at}/milestones`, { title: 'v1' });
    await source.stop();
    await onDatabase(from, fromSettings, (db) => fillWithIssues(db, Number(project.id), ISSUES, NOTES_EACH));
    source = await lab.start(from, fromSettings);
    let target = await lab.start(to, toSettings);
    const settings = { bulk_import_enabled: true, import_sources: ['gitlab_project'] };
    await call(target, 'PUT', '/application/settings', settings);

    let kills = 0;
    /** Asks what became of it; kills the server meanwhile, and starts it again. */
    const throughKills = async (path: string, status: string): Promise<Json> => {
      const begun = Date.now();
      for (const moment of KILLS) {
        await sleep(moment);
        const now = await call(target, 'GET', path);
        if (!OPEN.includes(String(now[status]))) return now;
        await target.kill();
        kills += 1;
        target = await lab.start(to, toSettings);
      }
      for (;;) {
        const now = await call(target, 'GET', path);
        if (!OPEN.includes(String(now[status]))) return now;
        assert.ok(Date.now() - begun < LONGEST_MS, `${path} takes too long: ${now[status]}`);
        await sleep(500);
      }
    };
    /** What a copy is measured by, asked for over the API. */
    const shown = async (server: ServerProcess, path: string): Promise<Json> => {
      const many = (rest: string) => call<Json[]>(server, 'GET', `${path}${rest}`);
      return {
        commits: (await many('/repository/commits?per_page=100')).map(({ id }) => id),
        labels: (await many('/labels')).map(({ name }) => name).sort(),
        milestones: (await many('/milestones')).map(({ title }) => title),
        members: (await many('/members/all')).length,
      };
    };

    const configuration = { url: source.url, access_token: ROOT_TOKEN };
    const entity = {
      source_type: 'group_entity',
      source_full_path: 'moved',
      destination_namespace: '',
      destination_slug: 'moved',
    };
    const { id } = await call(target, 'POST', '/bulk_imports', { configuration, entities: [entity] });
    const brought = await throughKills(`/bulk_imports/${id}`, 'status');
    assert.deepEqual([brought.status, brought.has_failures], ['finished', false]);
    const copy = await call(target, 'GET', '/projects/moved%2Fissues');
    assert.deepEqual(await shown(target, `/projects/${copy.id}`), await shown(source, at));
    lab.say(`${kills} kills while it was brought over`);

    kills = 0;
    await call(target, 'POST', `/projects/${copy.id}/export`);
    const exported = await throughKills(`/projects/${copy.id}/export`, 'export_status');
    assert.equal(exported.export_status, 'finished');
    const headers = { 'private-token': ROOT_TOKEN };
    const download = await fetch(`${target.url}/api/v4/projects/${copy.id}/export/download`, { headers });
    const form = new FormData();
    form.set('path', 'unpacked');
    form.set('file', await download.blob(), 'archive.tar.gz');
    const asked = await fetch(`${target.url}/api/v4/projects/import`, { method: 'POST', headers, body: form });
    assert.equal(asked.status, 201, await asked.clone().text());
    const unpacked = (await asked.json()) as Json;
    const made = await throughKills(`/projects/${unpacked.id}/import`, 'import_status');
    assert.deepEqual([made.import_status, made.failed_relations], ['finished', []]);
    assert.deepEqual((await shown(target, `/projects/${unpacked.id}`)).commits, (await shown(source, at)).commits);
    lab.say(`${kills} kills while it was packed and unpacked`);
    await Promise.all([source.stop(), target.stop()]);

    const was = await onDatabase(from, fromSettings, (db) => digestOf(db, Number(project.id)));
    assert.deepEqual([was.issues, was.notes], [ISSUES, ISSUES * NOTES_EACH]);
    for (const each of [copy.id, unpacked.id]) {
      assert.deepEqual(await onDatabase(to, toSettings, (db) => digestOf(db, Number(each))), was);
    }
  },
};
export default experiment;
