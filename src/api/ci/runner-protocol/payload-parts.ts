import { ARTIFACT_TYPES, type ArtifactTypeName } from '../../../ci/artifact-types.ts';
import type { ConfigVariable, Image, JobOptions, Service } from '../../../ci/pipeline-config.ts';
import type { Variable } from '../../../ci/variables/variable.ts';
import { releaseCommand } from './release-step.ts';

export interface Step {
  name: string;
  script: string[];
  timeout: number;
  when: 'on_success' | 'always';
  allow_failure: boolean;
}

/**
 * Returns the steps of a job.
 * @param timeout seconds
 * @param shell shell that the runner reports
 */
export function stepsOf(options: JobOptions, timeout: number, shell: string | undefined): Step[] {
  const { beforeScript, script, afterScript, release } = options;
  const first = { timeout, when: 'on_success', allow_failure: false } as const;
  return [
    { name: 'script', script: [...beforeScript, ...script], ...first },
    ...(release === null ? [] : [{ name: 'release', script: [releaseCommand(release, shell)], ...first }]),
    ...(afterScript.length === 0
      ? []
      : [{ name: 'after_script', script: afterScript, timeout, when: 'always', allow_failure: true } as const]),
  ];
}

export function imageOf({ name, entrypoint, ports, pull_policy, executor_opts }: Image) {
  return { name, entrypoint, ports, executor_opts, pull_policy };
}

const pairs = (variables: readonly ConfigVariable[]) => variables.map(({ key, value }) => ({ key, value }));

export const serviceOf = ({ alias, command, variables, ...image }: Service) => ({
  ...imageOf(image),
  alias,
  command,
  variables: pairs(variables),
});

/** Returns the artifacts to upload, one entry per type; null for none. */
export function artifactsOf({ artifacts }: JobOptions) {
  if (artifacts === null) return null;
  const { paths, untracked, exclude, name, when, expireIn, reports, coverageReport } = artifacts;
  const expires = expireIn === null ? {} : { expire_in: expireIn };
  const archive =
    paths === null && !untracked
      ? []
      : [
          {
            ...(name === null ? {} : { name }),
            untracked,
            paths: paths ?? [],
            ...(exclude.length === 0 ? {} : { exclude }),
            when,
            ...expires,
            artifact_type: 'archive',
            artifact_format: 'zip',
          },
        ];
  const entries = [
    ...Object.entries(reports),
    ...(coverageReport === null ? [] : [[coverageReport.format, [coverageReport.path]] as const]),
  ];
  const each = entries.flatMap(([type, files]) => {
    if (!Object.hasOwn(ARTIFACT_TYPES, type)) return [];
    const { filename, format } = ARTIFACT_TYPES[type as ArtifactTypeName];
    const named = filename === null ? {} : { name: filename };
    return [{ ...named, paths: files, when: 'always', ...expires, artifact_type: type, artifact_format: format }];
  });
  const all = [...archive, ...each];
  return all.length === 0 ? null : all;
}

/** Renders a variable for the runner. */
export const variableOf = ({ key, value, file, raw, masked, public: shown }: Variable) => ({
  key,
  value,
  public: shown !== false,
  masked: masked === true,
  ...(file === true ? { file } : {}),
  ...(raw === true ? { raw } : {}),
});
