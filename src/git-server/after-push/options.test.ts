import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMergeRequestOptions } from './options.ts';

test('options of a push that ask for a merge request, by both names, several times, and with the old spelling', () => {
  assert.deepEqual(
    parseMergeRequestOptions([
      'merge_request.create',
      'mr.target= main ',
      'merge_request.title=a=b',
      'merge_request.title=Last counts',
      'merge_request.description=one\\ntwo',
      'merge_request.label=bug',
      'mr.label=feature x',
      'merge_request.unassign=ada',
      'merge_request.merge_when_pipeline_succeeds',
      'merge_request.squash=false',
      'ci.skip',
    ]),
    {
      flags: { create: true, auto_merge: true, squash: false },
      texts: { target: 'main', title: 'Last counts', description: 'one\ntwo' },
      lists: { label: ['bug', 'feature x'], unlabel: [], assign: [], unassign: ['ada'] },
      unknown: [],
    },
  );
});

test('what means nothing is told, and what is not about merge requests is not ours', () => {
  assert.deepEqual(
    parseMergeRequestOptions(['merge_request.tilte=x', 'merge_request.title', 'mr.__proto__=1'])?.unknown,
    ['merge_request.tilte=x', 'merge_request.title', 'mr.__proto__=1'],
  );
  assert.equal(parseMergeRequestOptions(['ci.skip', 'merge_requests.create', 'note=merge_request.create']), null);
});
