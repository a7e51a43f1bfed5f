import type { AutoCancel } from '../pipeline-config.ts';
import { oneOf, STRING } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { entry, field, keys, type Reader } from './reader.ts';

const ON_NEW_COMMIT = ['conservative', 'interruptible', 'none'] as const;
const ON_JOB_FAILURE = ['none', 'all'] as const;

const among = (values: readonly string[]) => oneOf(values, `must be one of: ${values.join(', ')}`);

/** `workflow:auto_cancel`. */
export const autoCancel: Reader<AutoCancel> = entry(
  [
    keys('on_new_commit', 'on_job_failure'),
    field('on_new_commit', STRING, among(ON_NEW_COMMIT)),
    field('on_job_failure', STRING, among(ON_JOB_FAILURE)),
  ],
  (value) => ({
    onNewCommit: own(value, 'on_new_commit') as AutoCancel['onNewCommit'],
    onJobFailure: own(value, 'on_job_failure') as AutoCancel['onJobFailure'],
  }),
);
