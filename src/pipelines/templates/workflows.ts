/** Templates that say when there is a pipeline, by the name that `include:template` takes. */
export const WORKFLOWS: Readonly<Record<string, string>> = {
  'Workflows/MergeRequest-Pipelines': `# Pipelines for merge requests, tags and the default branch.
workflow:
  rules:
    - if: $CI_MERGE_REQUEST_IID
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
`,
  'Workflows/Branch-Pipelines': `# Pipelines for branches and tags, none for merge requests.
workflow:
  rules:
    - if: $CI_COMMIT_TAG
    - if: $CI_COMMIT_BRANCH
`,
};
