import type { Db } from '../db/db.schema.ts';
import { startsWith } from '../db/like.ts';

/** The quota of root namespaces in a lane, and the running jobs. */
export interface LaneQuota {
  /** Concurrent jobs of one root namespace. */
  limit: number;
  /** Project ids of running jobs, one for each job. */
  running: readonly number[];
}

/** A job that may be claimed. */
export interface Candidate {
  id: number;
  order_key: string | null;
  project_id: number | null;
}

/**
 * Counts the jobs of root namespaces in a lane while jobs are claimed, so that a namespace with slow servers leaves
 * room for others.
 */
export class RootLimiter {
  readonly #limit: number;
  readonly #held = new Map<string, number>();

  private constructor(limit: number) {
    this.#limit = limit;
  }

  static async of(db: Db, { limit, running }: LaneQuota): Promise<RootLimiter> {
    const shares = new RootLimiter(limit);
    const roots = await rootsOf(db, running);
    for (const project of running) shares.#take(roots.get(project));
    return shares;
  }

  #take(root: string | undefined): boolean {
    if (root === undefined) return true;
    const held = this.#held.get(root) ?? 0;
    if (held >= this.#limit) return false;
    this.#held.set(root, held + 1);
    return true;
  }

  /** Lineages of root namespaces that have used their quota. */
  get full(): string[] {
    return [...this.#held].flatMap(([root, held]) => (held >= this.#limit ? [root] : []));
  }

  /** The jobs that fit the quotas; they are counted from then on. */
  async reserve<T extends Pick<Candidate, 'project_id'>>(db: Db, jobs: readonly T[]): Promise<T[]> {
    const roots = await rootsOf(
      db,
      jobs.flatMap(({ project_id }) => project_id ?? []),
    );
    return jobs.filter(({ project_id }) => project_id === null || this.#take(roots.get(project_id)));
  }
}

/** Lineages of root namespaces (`/5/`) by the projects below them. */
async function rootsOf(db: Db, projects: readonly number[]): Promise<Map<number, string>> {
  if (projects.length === 0) return new Map();
  const rows = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'namespaces.lineage'])
    .where('projects.id', 'in', [...new Set(projects)])
    .execute();
  return new Map(rows.map(({ id, lineage }) => [id, /^\/\d+\//.exec(lineage)?.[0] ?? lineage]));
}

/** Query for the projects below any of these root namespaces, for a condition on jobs. */
export const projectsBelow = (db: Db, roots: readonly string[]) =>
  db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('projects.id')
    .whereRef('projects.id', '=', db.dynamic.ref('jobs.project_id'))
    .where((eb) => eb.or(roots.map((root) => startsWith(eb, eb.ref('namespaces.lineage'), root))));
