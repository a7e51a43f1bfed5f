export const bridges = `
alter table ci_jobs add column followed_pipeline_id {int};
create index ci_jobs_followed on ci_jobs (followed_pipeline_id) where followed_pipeline_id is not null;
create index pipelines_upstream on pipelines (upstream_pipeline_id) where upstream_pipeline_id is not null;
`;
