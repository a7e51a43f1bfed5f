export const releases = `
create table releases (
  id {id},
  project_id {int} not null references projects (id) on delete cascade,
  tag {text} not null,
  name {text},
  description {text},
  sha {text},
  commit_object {text},
  author_id {int},
  released_at {text} not null,
  evidence_due_at {text},
  created_at {text} not null,
  updated_at {text} not null
);
create unique index releases_tag on releases (project_id, tag);
create index releases_released on releases (project_id, released_at, id);
create index releases_created on releases (project_id, created_at, id);
create index releases_latest on releases (released_at, id);
create index releases_author on releases (author_id);
create index releases_evidence_due on releases (evidence_due_at) where evidence_due_at is not null;

create table release_links (
  id {id},
  release_id {int} not null references releases (id) on delete cascade,
  name {text} not null,
  url {text} not null,
  filepath {text},
  link_type {text} not null default 'other',
  created_at {text} not null,
  updated_at {text} not null
);
create unique index release_links_name on release_links (release_id, name);
create unique index release_links_url on release_links (release_id, url);
create unique index release_links_filepath on release_links (release_id, filepath) where filepath is not null;

create table milestone_releases (
  release_id {int} not null references releases (id) on delete cascade,
  milestone_id {int} not null references milestones (id) on delete cascade,
  primary key (release_id, milestone_id)
);
create index milestone_releases_milestone on milestone_releases (milestone_id);

create table release_evidences (
  id {id},
  release_id {int} not null references releases (id) on delete cascade,
  summary {text} not null,
  sha {text} not null,
  created_at {text} not null
);
create index release_evidences_release on release_evidences (release_id, id);
`;
