export const wikis = `
create table wikis (
  id {id},
  project_id {int} references projects (id) on delete cascade,
  namespace_id {int} references namespaces (id) on delete cascade,
  repository_storage {text} not null,
  disk_path {text} not null,
  repository_read_only {int} not null default 0,
  repository_size {int} not null default 0,
  created_at {text} not null,
  updated_at {text} not null
);
create unique index wikis_project on wikis (project_id);
create unique index wikis_namespace on wikis (namespace_id);

create table wiki_pages (
  id {id},
  wiki_id {int} not null references wikis (id) on delete cascade,
  slug {text} not null,
  title {text} not null,
  format {text} not null,
  created_at {text} not null,
  updated_at {text} not null
);
create unique index wiki_pages_slug on wiki_pages (wiki_id, slug);

alter table ref_intents add column wiki_id {int};
create index ref_intents_wiki on ref_intents (wiki_id)
`;
