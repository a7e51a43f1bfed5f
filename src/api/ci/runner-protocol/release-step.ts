import type { Release } from '../../../ci/pipeline-config.ts';

/**
 * Quotes a text as a word of a POSIX shell, with variables expanded: runners replace job variables in the step before a
 * shell sees it. Variables of the shell itself would be replaced by nothing.
 */
const quoted = (text: string): string => `"${text.replace(/[\\"`]/g, '\\$&')}"`;
/** As `quoted`, for PowerShell. */
const quotedForPowerShell = (text: string): string => `"${text.replace(/[`"]/g, '`$&')}"`;

type Options = readonly (readonly [name: string, value: string | null])[];
type Quote = (text: string) => string;

const written = (options: Options, quote: Quote): string =>
  options.flatMap(([name, value]) => (value === null ? [] : [` --${name} ${quote(value)}`])).join('');

/** Command of release-cli, the older program, which reads its configuration from the environment of the job. */
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

/** Signs glab in. Its configuration is kept in the temporary folder of the job and removed with it. */
const SIGN_IN = [
  'export GLAB_CONFIG_DIR="$CI_PROJECT_DIR.tmp/glab" GITLAB_HOST="$CI_SERVER_PROTOCOL://$CI_SERVER_FQDN"',
  'glab auth login --job-token "$CI_JOB_TOKEN" --hostname "$CI_SERVER_FQDN" --api-host "$CI_SERVER_FQDN" --api-protocol "$CI_SERVER_PROTOCOL"',
].join(' && ');

/** Command of glab, the newer program. It has to sign in first and takes the notes as text or as file. */
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
 * Returns the command that jobs with `release` run after their script: glab if a recent version is installed, else
 * release-cli. Both fail if the release exists.
 * @param shell shell that the runner reports; PowerShell always uses release-cli
 */
export function releaseCommand(release: Release, shell: string | undefined): string {
  if (shell === 'pwsh' || shell === 'powershell') return releaseCli(release, quotedForPowerShell);
  const isNewEnough = 'glab release create --help 2>/dev/null | grep -q -e --no-close-milestone';
  return `if ${isNewEnough}; then ${glab(release)}; else ${releaseCli(release, quoted)}; fi`;
}
