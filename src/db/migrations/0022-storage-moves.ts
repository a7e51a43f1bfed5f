export const storageMoves = `
create table repository_storage_moves (
  id {id},
  kind {text} not null,
  project_id {int} references projects (id) on delete cascade,
  snippet_id {int} references snippets (id) on delete cascade,
  group_id {int} references namespaces (id) on delete cascade,
  source_storage_name {text} not null,
  destination_storage_name {text} not null,
  state {text} not null,
  error_message {text},
  places {text} not null,
  claim {text},
  created_at {text} not null,
  updated_at {text} not null
);
create index repository_storage_moves_kind on repository_storage_moves (kind, id);
create index repository_storage_moves_project on repository_storage_moves (project_id, id);
create index repository_storage_moves_snippet on repository_storage_moves (snippet_id, id);
create index repository_storage_moves_group on repository_storage_moves (group_id, id);
create index repository_storage_moves_open on repository_storage_moves (id)
  where state in ('scheduled', 'started', 'replicated');
create index projects_storage on projects (repository_storage, id);
create index snippets_storage on snippets (repository_storage, id);
create index wikis_storage on wikis (repository_storage, id)
`;
