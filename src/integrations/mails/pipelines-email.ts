import { AUTOMATIC } from '../../mail/mail.ts';
import { mailHost } from '../../mail/send-mail.ts';
import { isOnBranch, isToldOfPipeline } from '../telling/filters.ts';
import { whoDid } from '../telling/payload.ts';
import type { Act } from '../telling/work.ts';
import { mailOnce } from './once.ts';
import { recipientsOf } from './recipients.ts';

const MAX_JOBS = 50;

/** Mails to everybody on the list how a pipeline ended. */
export const pipelinesEmail: Act = async (work) => {
  if (!(await isOnBranch(work)) || !(await isToldOfPipeline(work))) return;
  const { deps, payload, idempotencyKey } = work;
  const { project, commit, builds = [] } = payload;
  const { id, ref, sha = '', status = '' } = payload.object_attributes ?? { id: 0 };
  const outcome = status === 'failed' ? 'Failed' : 'Successful';
  const failed = builds.filter((build) => build.status === 'failed').slice(0, MAX_JOBS);
  const text = [
    `Pipeline #${id} ${status === 'failed' ? 'has failed' : 'has passed'}!`,
    `Project: ${project?.path_with_namespace} (${project?.web_url})\nBranch: ${ref}\nCommit: ${sha.slice(0, 8)} ${commit?.title ?? ''}\nTriggered by: ${whoDid(payload)}`,
    ...failed.map(({ stage, name }) => `Failed job: ${name} (stage ${stage})`),
    `${project?.web_url}/-/pipelines/${id}`,
  ].join('\n\n');
  const mails = recipientsOf(work.text('recipients')).map((to, index) => ({
    to,
    subject: `${project?.path_with_namespace} | ${outcome} pipeline for ${ref} | ${sha.slice(0, 8)}`,
    text,
    messageId: `${idempotencyKey}.${index}@${mailHost(deps)}`,
    headers: AUTOMATIC,
  }));
  await mailOnce(work, mails);
};
