import type { Release } from '../../../ci/pipeline-config.ts';

/**
 * A text as one word of a POSIX shell, in which variables still count: those of the job, which runners put into the text of this
 * step before any shell sees it. A variable of the shell's own would be nothing by then.
 */
const quoted = (text: string): string => `"${text.replace(/[\\"`]/g, '\\$&')}"`;
/** The same for PowerShell. */
const quotedForPowerShell = (text: string): string => `"${text.replace(/[`"]/g, '`$&')}"`;

type Options = readonly (readonly [name: string, value: string | null])[];
type Quote = (text: string) => string;

const written = (options: Options, quote: Quote): string =>
  options.flatMap(([name, value]) => (value === null ? [] : [` --${name} ${quote(value)}`])).join('');

/** The older program for it, which takes everything from the environment of the job. */
function releaseCli({ links, milestones, ...release }: Release, quote: Quote): string {
  const options: Options = [
    ['name', release.name],
    ['description', release.description],
    ['tag-name', release.tag_name],
    ['tag-message', release.tag_message],
    ['ref', release.ref],
    ['released-at', release.released_at],
    ...milestones.map((milestone) => ['milestone', milestone] as const),
    ...links.map((link) => ['assets-link', JSON.stringify(link)] as const),
  ];
  return `release-cli create${written(options, quote)}`;
}

/** Where glab keeps what it is told: beside what else is only for this job, and goes with it. */
const SIGN_IN = [
  'export GLAB_CONFIG_DIR="$CI_PROJECT_DIR.tmp/glab" GITLAB_HOST="$CI_SERVER_PROTOCOL://$CI_SERVER_FQDN"',
  'glab auth login --job-token "$CI_JOB_TOKEN" --hostname "$CI_SERVER_FQDN" --api-host "$CI_SERVER_FQDN" --api-protocol "$CI_SERVER_PROTOCOL"',
].join(' && ');

/** The newer one, which has to sign in first, and is told whether its notes are a text or a file. */
function glab({ links, milestones, description, ...release }: Release): string {
  const assets = links.map(({ filepath, ...link }) => ({
    ...link,
    ...(filepath === undefined ? {} : { direct_asset_path: filepath }),
  }));
  const options: Options = [
    ['name', release.name],
    ['tag-message', release.tag_message],
    ['ref', release.ref ?? '$CI_COMMIT_SHA'],
    ['released-at', release.released_at],
    ['milestone', milestones.length === 0 ? null : milestones.join(',')],
    ['assets-links', assets.length === 0 ? null : JSON.stringify(assets)],
  ];
  const notes = quoted(description);
  const create = (by: string) =>
    `glab release create -R "$CI_PROJECT_PATH" ${quoted(release.tag_name)} ${by} ${notes}${written(options, quoted)} --no-update --no-close-milestone`;
  return `${SIGN_IN} && if test -f ${notes}; then ${create('--notes-file')}; else ${create('--notes')}; fi`;
}

/**
 * What a job with `release` runs after its script: glab where there is one that is new enough, else release-cli. Both stop
 * where the release is there already.
 * @param shell as the runner says: in PowerShell it is always release-cli
 */
export function releaseCommand(release: Release, shell: string | undefined): string {
  if (shell === 'pwsh' || shell === 'powershell') return releaseCli(release, quotedForPowerShell);
  const isNewEnough = 'glab release create --help 2>/dev/null | grep -q -e --no-close-milestone';
  return `if ${isNewEnough}; then ${glab(release)}; else ${releaseCli(release, quoted)}; fi`;
}
