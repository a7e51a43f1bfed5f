import type { Readable } from 'node:stream';
import type { Caller } from '../../access/caller.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';

/** What is taken elsewhere. */
export type Portable =
  | { kind: 'group'; id: number; group: Namespace }
  | { kind: 'project'; id: number; project: Project };

/** What a relation is read with. */
export interface Exporting {
  deps: Deps;
  db: Db;
  portable: Portable;
  /** Who has it exported, with the rights that they have now: nothing is told that they may not see. */
  caller: Caller;
  /** Told of users whom the objects name, so that `user_contributions` can tell who they are. */
  names(userId: number | null): void;
  /** Ends what takes long. */
  signal: AbortSignal;
}

/** A part of the text of an object; or a number, the key of an object that has ended: the export can go on behind it. */
export type Piece = string | number;

/** Objects of a kind, each a line of JSON. */
export interface TreeRelation {
  form: 'objects';
  name: string;
  /** Whether there is always one object, which is never cut into batches. */
  single: boolean;
  /** In the order of keys, those behind `after` alone; never more in memory than a few objects. */
  pieces(exporting: Exporting, after: number): AsyncGenerator<Piece>;
}

/** A file of an archive. */
export interface ArchivedFile {
  name: string;
  /** Bytes. */
  size: number;
  open(): Promise<Readable | Buffer>;
}

/** Files in a tar archive. */
export interface FileRelation {
  form: 'files';
  name: string;
  files(exporting: Exporting): AsyncGenerator<ArchivedFile>;
}

export type Relation = TreeRelation | FileRelation;

/** Rows that one statement reads; texts of a row can have a megabyte. */
export const PAGE = 100;

/** A relation of one object, which needs no further rows. */
export const singleRelation = (
  name: string,
  read: (exporting: Exporting) => Promise<Record<string, unknown>> | Record<string, unknown>,
): TreeRelation => ({
  form: 'objects',
  name,
  single: true,
  async *pieces(exporting, after) {
    if (after > 0) return;
    yield `${JSON.stringify(await read(exporting))}\n`;
    yield 1;
  },
});

/**
 * A relation whose objects are made of a page of rows at a time.
 * @param read gives at most `PAGE` rows behind a key, in the order of keys, with the key of each
 */
export const pagedRelation = (
  name: string,
  read: (exporting: Exporting, after: number) => Promise<{ key: number; object: Record<string, unknown> }[]>,
): TreeRelation => ({
  form: 'objects',
  name,
  single: false,
  async *pieces(exporting, after) {
    for (;;) {
      const page = await read(exporting, after);
      for (const { key, object } of page) {
        yield `${JSON.stringify(object)}\n`;
        yield key;
      }
      if (page.length < PAGE) return;
      after = page.at(-1)!.key;
    }
  },
});

/** A relation that the platform has and this server has nothing of. */
export const emptyRelation = (name: string): TreeRelation => pagedRelation(name, async () => []);

/** Name of the file in which a relation comes. */
export const fileNameOf = (relation: Relation): string => {
  if (relation.form === 'files') return `${relation.name}.tar.gz`;
  return relation.name === 'self' ? 'self.json.gz' : `${relation.name}.ndjson.gz`;
};
