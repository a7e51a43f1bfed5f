import { AUTOMATIC } from '../../mail/mail.ts';
import { mailHost } from '../../mail/send-mail.ts';
import type { Handler } from '../dispatch/dispatch-context.ts';
import { isOnBranch, wantsPipeline } from '../dispatch/dispatch-filters.ts';
import { actorName } from '../dispatch/integration-payload.ts';
import { mailOnce } from './integration-mails.once.ts';
import { recipientsOf } from './integration-mails.recipients.ts';

const MAX_JOBS = 50;

/** Sends mails about a finished pipeline to the recipients. */
export const pipelinesEmail: Handler = async (context) => {
  if (!(await isOnBranch(context)) || !(await wantsPipeline(context))) return;
  const { deps, payload, idempotencyKey } = context;
  const { project, commit, builds = [] } = payload;
  const { id, ref, sha = '', status = '' } = payload.object_attributes ?? { id: 0 };
  const outcome = status === 'failed' ? 'Failed' : 'Successful';
  const failed = builds.filter((build) => build.status === 'failed').slice(0, MAX_JOBS);
  const text = [
    `Pipeline #${id} ${status === 'failed' ? 'has failed' : 'has passed'}!`,
    `Project: ${project?.path_with_namespace} (${project?.web_url})\nBranch: ${ref}\nCommit: ${sha.slice(0, 8)} ${commit?.title ?? ''}\nTriggered by: ${actorName(payload)}`,
    ...failed.map(({ stage, name }) => `Failed job: ${name} (stage ${stage})`),
    `${project?.web_url}/-/pipelines/${id}`,
  ].join('\n\n');
  const mails = recipientsOf(context.text('recipients')).map((to, index) => ({
    to,
    subject: `${project?.path_with_namespace} | ${outcome} pipeline for ${ref} | ${sha.slice(0, 8)}`,
    text,
    messageId: `${idempotencyKey}.${index}@${mailHost(deps)}`,
    headers: AUTOMATIC,
  }));
  await mailOnce(context, mails);
};
