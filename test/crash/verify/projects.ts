import type { World } from '../world.ts';
import type { ProjectWriter } from '../writers/project-writer.ts';

/** Projects are there with their first commit, or gone, as was acknowledged; the one in doubt is one of both. */
export async function compareProjects(world: World, writer: ProjectWriter): Promise<string[]> {
  if (writer.open !== null) {
    const there = await exists(world, writer.open);
    (there ? writer.present : writer.absent).add(writer.open);
    writer.open = null;
  }
  const problems: string[] = [];
  for (const path of writer.absent) if (await exists(world, path)) problems.push(`project ${path} came back`);
  for (const path of writer.present) {
    if (!(await exists(world, path))) {
      problems.push(`lost: project ${path}`);
      continue;
    }
    const tree = await world.must<{ path: string }[]>('GET', `/projects/root%2F${path}/repository/files/README.md/raw`);
    if (tree === null) problems.push(`project ${path} has no README.md`);
  }
  // What is gone for good need not be asked for again.
  writer.absent.clear();
  return problems;
}

async function exists(world: World, path: string): Promise<boolean> {
  const rows = await world.records.query(`select id from projects where path = '${path}' and pending_delete = 0`);
  return rows.length > 0;
}
