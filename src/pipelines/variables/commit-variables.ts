import { slug } from '../../ci/slugs.ts';
import type { Variable } from '../../ci/variables/variable.ts';
import type { Deps } from '../../deps.ts';
import type { PipelineFacts } from './pipeline-variables.facts.ts';
import { flag, instant, publicVariable, publicVariables } from './values.ts';

/** Maximum length of the commit message in variables. */
const MAX_MESSAGE = 100_000;
const NO_SHA = '0'.repeat(40);
const LONG_TITLE = 100;

/** Variables about commit and ref. The message of a missing commit is empty. */
export async function commitVariables(deps: Deps, facts: PipelineFacts): Promise<Variable[]> {
  const { repository_storage: storage, disk_path: diskPath } = facts.project;
  const repository = deps.storages.open({ storage, diskPath });
  const commit = await repository.objects.commit(facts.sha);
  const message = commit?.message ?? '';
  const bytes = Buffer.from(message);
  const truncated = bytes.length > MAX_MESSAGE;
  const [title = ''] = message.split(/\r?\n/, 1);
  return [
    ...publicVariables({
      CI_COMMIT_SHA: facts.sha,
      CI_COMMIT_SHORT_SHA: facts.sha.slice(0, 8),
      CI_COMMIT_BEFORE_SHA: facts.beforeSha ?? NO_SHA.padEnd(facts.sha.length, '0'),
      CI_COMMIT_REF_NAME: facts.ref,
      CI_COMMIT_REF_SLUG: slug(facts.ref),
      CI_COMMIT_BRANCH: facts.refType === 'branch' ? facts.ref : null,
      CI_COMMIT_TAG: facts.refType === 'tag' ? facts.ref : null,
    }),
    ...(facts.refType === 'tag' ? await tagMessage(repository, facts.ref) : []),
    ...publicVariables({
      CI_COMMIT_MESSAGE: truncated
        ? bytes
            .subarray(0, MAX_MESSAGE)
            .toString()
            .replace(/\uFFFD+$/, '')
        : message,
      CI_COMMIT_MESSAGE_IS_TRUNCATED: flag(truncated),
      CI_COMMIT_TITLE: title.trim(),
      CI_COMMIT_DESCRIPTION: describe(message, title).slice(0, MAX_MESSAGE),
      CI_COMMIT_REF_PROTECTED: flag(facts.refProtected),
      CI_COMMIT_TIMESTAMP: commit === null ? null : instant(commit.committer.date.toISOString()),
      CI_COMMIT_AUTHOR: commit === null ? null : `${commit.author.name} <${commit.author.email}>`,
    }),
  ];
}

/** Message without its title, or all of it if the title is too long. */
const describe = (message: string, title: string): string =>
  title.length >= LONG_TITLE
    ? message
    : message
        .slice(title.length)
        .replace(/^\r?\n/, '')
        .replace(/\r?\n$/, '');

async function tagMessage({ refs, objects }: ReturnType<Deps['storages']['open']>, name: string): Promise<Variable[]> {
  const oid = await refs.resolve(`refs/tags/${name}`);
  const tag = oid === null ? null : await objects.tag(oid);
  return publicVariable('CI_COMMIT_TAG_MESSAGE', tag?.message.trimEnd() ?? '');
}
