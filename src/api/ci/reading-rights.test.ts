import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, type RequestOptions, type TestApp } from '../../../test/support/app.ts';
import { makePipeline } from '../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../test/support/project-git.ts';
import type { Visibility } from '../../core/access-levels.ts';
import type { FeatureLevel, Project } from '../../db/tables/projects.table.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const PEOPLE = ['anonymous', 'stranger', 'guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'] as const;

interface Scene {
  visibility: Visibility;
  builds?: FeatureLevel;
  public_jobs?: boolean;
  archived?: boolean;
}

/** Status for each user from all calls that read pipelines and jobs; all calls must agree. */
async function answers({ visibility, builds = 'enabled', public_jobs = true, archived = false }: Scene) {
  const project = await app.make.project({
    visibility,
    columns: {
      builds_access_level: builds,
      settings: JSON.stringify({ public_jobs }),
      archived: archived ? 1 : 0,
    } as Partial<Project>,
  });
  const sha = new ProjectGit(app, project).commit('main', { a: '1' });
  const { pipeline, jobs } = await makePipeline(app, project, { columns: { sha } });
  const tokens = { anonymous: { token: null }, ...(await app.make.members(project)) };
  const at = `/projects/${project.id}`;
  const paths = [
    `${at}/pipelines`,
    `${at}/pipelines/latest`,
    `${at}/pipelines/${pipeline.id}`,
    `${at}/pipelines/${pipeline.id}/jobs`,
    `${at}/pipelines/${pipeline.id}/bridges`,
    `${at}/jobs`,
    `${at}/jobs/${jobs.test!.id}`,
    `${at}/jobs/${jobs.test!.id}/trace`,
  ];
  const statusCodes: number[] = [];
  for (const name of PEOPLE) {
    const options: RequestOptions = { token: tokens[name].token };
    const codes = new Set<number>();
    for (const path of paths) codes.add((await app.get(path, options)).statusCode);
    assert.equal(codes.size, 1, `${name}: ${[...codes]}`);
    statusCodes.push([...codes][0]!);
  }
  return statusCodes;
}

describe('who may see pipelines and jobs', () => {
  const cases: [string, Scene, number[]][] = [
    ['in a public project: everybody', { visibility: 'public' }, [200, 200, 200, 200, 200, 200, 200, 200]],
    ['in an internal one: who is signed in', { visibility: 'internal' }, [404, 200, 200, 200, 200, 200, 200, 200]],
    ['in a private one: members', { visibility: 'private' }, [404, 404, 200, 200, 200, 200, 200, 200]],
    [
      'without public jobs: members from Reporter on',
      { visibility: 'public', public_jobs: false },
      [404, 403, 403, 403, 200, 200, 200, 200],
    ],
    [
      'in a private project without public jobs: the same',
      { visibility: 'private', public_jobs: false },
      [404, 404, 403, 403, 200, 200, 200, 200],
    ],
    [
      'where builds are for members: they',
      { visibility: 'public', builds: 'private' },
      [404, 403, 200, 200, 200, 200, 200, 200],
    ],
    [
      'where builds are disabled: nobody',
      { visibility: 'public', builds: 'disabled' },
      [404, 403, 403, 403, 403, 403, 403, 403],
    ],
    [
      'in an archived project: as before',
      { visibility: 'public', archived: true },
      [200, 200, 200, 200, 200, 200, 200, 200],
    ],
  ];
  for (const [name, scene, expected] of cases) {
    test(name, async () => assert.deepEqual(await answers(scene), expected));
  }
});
