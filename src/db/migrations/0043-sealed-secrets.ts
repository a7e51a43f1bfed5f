/** Columns whose texts are sealed from now on. What looks sealed and is not gets a mark; a job seals the rest. */
const COLUMNS = [
  ['ci_variables', 'value'],
  ['ci_job_variables', 'value'],
  ['ci_pipeline_variables', 'value'],
  ['ci_pipeline_schedule_variables', 'value'],
  ['external_status_checks', 'shared_secret'],
  ['projects', 'import_url'],
  ['remote_mirrors', 'url'],
  ['remote_mirrors', 'private_key'],
] as const;

const marks = COLUMNS.map(
  ([table, column]) => `
update ${table} set ${column} = 'plain:' || ${column} where ${column} like '1.%' or ${column} like 'plain:%';`,
);
const anything = COLUMNS.map(([table, column]) => `exists (select 1 from ${table} where ${column} is not null)`);

export const sealedSecrets = `${marks.join('')}
insert into jobs (kind, payload, run_at, turn_at, created_at, lane)
select 'secrets.seal', '{}', long_ago, long_ago, long_ago, 'slow' from (select '1970-01-01T00:00:00.000Z' as long_ago) as once
where ${anything.join(' or ')};
`;
