export const terraformStates = `
create table terraform_states (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  name {text} not null,
  lock_info {text},
  locked_by_id {int} references users (id) on delete set null,
  locked_at {text},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index terraform_states_name on terraform_states (project_id, name);
create index terraform_states_locked_by on terraform_states (locked_by_id) where locked_by_id is not null;

create table terraform_state_versions (
  id {id},
  terraform_state_id {int} not null references terraform_states (id) on delete cascade,
  serial {int} not null,
  sha256 {text} not null,
  size {int} not null,
  created_by_id {int} references users (id) on delete set null,
  ci_job_id {int} references ci_jobs (id) on delete set null,
  created_at {text} not null
);
create unique index terraform_state_versions_serial on terraform_state_versions (terraform_state_id, serial);
create index terraform_state_versions_sha256 on terraform_state_versions (sha256);
create index terraform_state_versions_created_by on terraform_state_versions (created_by_id) where created_by_id is not null;
create index terraform_state_versions_job on terraform_state_versions (ci_job_id) where ci_job_id is not null;
`;
