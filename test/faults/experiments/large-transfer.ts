import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { peakMemory } from '../measure.ts';
import { call, digestOf, fillWithIssues, type Json, onDatabase } from '../transfers.ts';

const ISSUES = 100_000;
const NOTES_EACH = 5;
const MAX_MIB = 350;
const LONGEST_MS = 1_800_000;

const experiment: Experiment = {
  title: `a group with ${ISSUES} issues and ${ISSUES * NOTES_EACH} notes is brought from one server to another`,
  async run(lab) {
    const [from, to] = [join(lab.folder, 'from'), join(lab.folder, 'to')];
    const local = { STITHY_ALLOW_LOCAL_NETWORK: 'true' };
    const [fromSettings, toSettings] = [await lab.newDatabase(), { ...(await lab.newDatabase()), ...local }];
    let source = await lab.start(from, fromSettings);
    const group = await call(source, 'POST', '/groups', { name: 'large', path: 'large' });
    const project = await call(source, 'POST', '/projects', { name: 'issues', namespace_id: group.id });
    await source.stop();
    await onDatabase(from, fromSettings, (db) => fillWithIssues(db, Number(project.id), ISSUES, NOTES_EACH));

    source = await lab.start(from, fromSettings);
    const target = await lab.start(to, toSettings);
    await call(target, 'PUT', '/application/settings', { bulk_import_enabled: true });
    const configuration = { url: source.url, access_token: ROOT_TOKEN };
    const entity = {
      source_type: 'group_entity',
      source_full_path: 'large',
      destination_namespace: '',
      destination_slug: 'large',
    };
    const begun = Date.now();
    let exported = 0;
    let brought: Json = {};
    const work = async () => {
      const { id } = await call(target, 'POST', '/bulk_imports', { configuration, entities: [entity] });
      for (;;) {
        await sleep(1_000);
        const path = '/projects/large%2Fissues/export_relations/status';
        const relations = await call<Json[]>(source, 'GET', path);
        const all = relations.length > 0 && relations.every(({ status }) => status === 1);
        if (exported === 0 && all) exported = Date.now() - begun;
        brought = await call(target, 'GET', `/bulk_imports/${id}`);
        if (!['created', 'started'].includes(String(brought.status))) return;
        assert.ok(Date.now() - begun < LONGEST_MS, 'it takes too long');
      }
    };
    let importing = 0;
    const exporting = await peakMemory([source.child.pid!], async () => {
      importing = await peakMemory([target.child.pid!], work);
    });
    const seconds = (ms: number) => Math.round(ms / 1_000);
    lab.say(`exported after ${seconds(exported)} s, brought after ${seconds(Date.now() - begun)} s`);
    lab.say(`at most ${exporting} MiB where it comes from, ${importing} MiB where it goes to`);
    assert.deepEqual([brought.status, brought.has_failures], ['finished', false]);
    const copy = await call(target, 'GET', '/projects/large%2Fissues');
    await Promise.all([source.stop(), target.stop()]);

    const was = await onDatabase(from, fromSettings, (db) => digestOf(db, Number(project.id)));
    const is = await onDatabase(to, toSettings, (db) => digestOf(db, Number(copy.id)));
    assert.equal(was.issues, ISSUES);
    assert.equal(was.notes, ISSUES * NOTES_EACH);
    assert.deepEqual(is, was);
    assert.ok(exporting <= MAX_MIB, `${exporting} MiB where it comes from`);
    assert.ok(importing <= MAX_MIB, `${importing} MiB where it goes to`);
  },
};
export default experiment;
