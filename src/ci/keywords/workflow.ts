import type { PipelineConfig } from '../pipeline-config.ts';
import { autoCancel } from './auto-cancel.keyword.ts';
import { STRING, tooLong } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { entry, field, keys, type Reader } from './reader.ts';
import { workflowRules } from './rules.keyword.ts';

/** `workflow`: whether to create a pipeline, and its name. */
export const workflow: Reader<PipelineConfig['workflow']> = entry(
  [
    keys('rules', 'name', 'auto_cancel'),
    field('name', STRING, tooLong(255), (name) => (name === '' ? 'is too short (minimum is 1 character)' : null)),
  ],
  (value, at) => ({
    name: own(value, 'name') as string | null,
    rules: at.read(value, 'rules', workflowRules),
    autoCancel: at.read(value, 'auto_cancel', autoCancel) ?? { onNewCommit: null, onJobFailure: null },
  }),
);
