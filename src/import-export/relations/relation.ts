import type { Readable } from 'node:stream';
import type { Caller } from '../../access/caller.ts';
import type { Db } from '../../db/db.schema.ts';
import type { Namespace } from '../../db/tables/namespaces.table.ts';
import type { Project } from '../../db/tables/projects.table.ts';
import type { Deps } from '../../deps.ts';

/** The group or project to export. */
export type Portable =
  | { kind: 'group'; id: number; group: Namespace }
  | { kind: 'project'; id: number; project: Project };

/** Context for reading a relation. */
export interface Exporting {
  deps: Deps;
  db: Db;
  portable: Portable;
  /** The exporting user with their current rights: only visible objects are exported. */
  caller: Caller;
  /** Collects users named by objects, for `user_contributions`. */
  names(userId: number | null): void;
  /** Aborts the export. */
  signal: AbortSignal;
}

/** A part of the text of an object; or a number: the key of a finished object, after which the export can continue. */
export type Piece = string | number;

/** A relation of objects, one line of JSON each. */
export interface TreeRelation {
  form: 'objects';
  name: string;
  /** Whether there is always one object, which is never split into batches. */
  single: boolean;
  /** Pieces of the objects after `after`, in the order of keys; holds only a few objects in memory. */
  pieces(exporting: Exporting, after: number): AsyncGenerator<Piece>;
}

/** A file of an archive. */
export interface ArchivedFile {
  name: string;
  /** Size in bytes. */
  size: number;
  open(): Promise<Readable | Buffer>;
}

/** A relation of files, in a tar archive. */
export interface FileRelation {
  form: 'files';
  name: string;
  files(exporting: Exporting): AsyncGenerator<ArchivedFile>;
}

export type Relation = TreeRelation | FileRelation;

/** Maximum number of rows per statement; a row may contain a megabyte of text. */
export const PAGE = 100;

/** A relation of a single object. */
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
 * A relation that reads its objects page by page.
 * @param read loads at most `PAGE` objects after a key, in the order of keys, with their keys
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

/** A relation of the platform without objects on this server. */
export const emptyRelation = (name: string): TreeRelation => pagedRelation(name, async () => []);

/** File name of a relation. */
export const fileNameOf = (relation: Relation): string => {
  if (relation.form === 'files') return `${relation.name}.tar.gz`;
  return relation.name === 'self' ? 'self.json.gz' : `${relation.name}.ndjson.gz`;
};
