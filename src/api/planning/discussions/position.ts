import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { FileDiff } from '../../../git/diff/index.ts';
import { Enum, Filled, Nullable } from '../../../http/http.schema.ts';
import type { Position } from '../notes/notes.responses.ts';
import { type Line, lineType } from './diff-lines.ts';

const path = () => Type.Optional(Type.String({ maxLength: 4_096 }));
const line = () => Type.Optional(Nullable(Type.Integer({ minimum: 1 })));
/** Input: first or last line of a multi-line thread. */
export const RangeEndInput = Type.Object({
  line_code: Type.Optional(Type.String({ maxLength: 300 })),
  type: Type.Optional(Nullable(Enum(['new', 'old', 'expanded']))),
  old_line: line(),
  new_line: line(),
});

/** Input: position of a thread in a diff. */
export const PositionInput = Type.Object({
  base_sha: Filled({ maxLength: 64, description: 'Merge base of the version.' }),
  start_sha: Filled({ maxLength: 64, description: 'Head of the target branch in the version.' }),
  head_sha: Filled({ maxLength: 64, description: 'Head of the source branch in the version.' }),
  position_type: Enum(['text', 'image', 'file']),
  old_path: path(),
  new_path: path(),
  old_line: line(),
  new_line: line(),
  line_range: Type.Optional(Nullable(Type.Object({ start: RangeEndInput, end: RangeEndInput }))),
  width: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
  height: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
  x: Type.Optional(Nullable(Type.Number())),
  y: Type.Optional(Nullable(Type.Number())),
});
export type PositionInput = Static<typeof PositionInput>;

/** Finds the file of a diff by one or both paths of a position. */
export function fileOf(files: readonly FileDiff[], { old_path, new_path }: PositionInput): FileDiff | undefined {
  if (!old_path && !new_path) return undefined;
  return files.find(
    ({ oldPath, newPath }) => (!old_path || oldPath === old_path) && (!new_path || newPath === new_path),
  );
}

/**
 * Validates a position and returns it in the stored form.
 * @param oldLines how many lines the file had before
 * @returns null if the diff has no such line
 */
export function resolvePosition(input: PositionInput, file: FileDiff, oldLines: number): Position | null {
  const place = {
    base_sha: input.base_sha,
    start_sha: input.start_sha,
    head_sha: input.head_sha,
    old_path: file.oldPath.toWellFormed(),
    new_path: file.newPath.toWellFormed(),
    position_type: input.position_type,
  };
  if (input.position_type === 'file') return place;
  if (input.position_type === 'image') {
    const { width = null, height = null, x = null, y = null } = input;
    return { ...place, width, height, x, y };
  }
  const at = lineOf(input);
  if (lineType(file.diff, at, oldLines) === null) return null;
  const range = settleRange(input, file, oldLines);
  return range === undefined ? null : { ...place, old_line: at.old, new_line: at.new, line_range: range };
}

const lineOf = ({
  old_line = null,
  new_line = null,
}: {
  old_line?: number | null;
  new_line?: number | null;
}): Line => ({
  old: old_line,
  new: new_line,
});

/** Validates a line range: both ends must be in the diff. @returns undefined if one is not */
function settleRange(
  { line_range }: PositionInput,
  file: FileDiff,
  oldLines: number,
): Position['line_range'] | undefined {
  if (line_range == null) return null;
  const start = settleEnd(line_range.start, file, oldLines);
  const end = settleEnd(line_range.end, file, oldLines);
  return start === undefined || end === undefined ? undefined : { start, end };
}

type RangeEnd = NonNullable<Position['line_range']>['start'];

function settleEnd(
  input: NonNullable<PositionInput['line_range']>['start'],
  file: FileDiff,
  oldLines: number,
): RangeEnd | undefined {
  const at = lineOf(input);
  if (at.old === null && at.new === null) {
    // Older clients give the line code only.
    const { line_code, type = null } = input;
    return line_code === undefined ? undefined : { line_code, type, old_line: null, new_line: null };
  }
  const type = lineType(file.diff, at, oldLines);
  if (type === null) return undefined;
  return {
    line_code: input.line_code ?? lineCode(file.newPath, at),
    type: type === 'same' ? null : type,
    old_line: at.old,
    new_line: at.new,
  };
}

/** Line code of a diff line: digest of the file path, and the line numbers. */
export const lineCode = (path: string, { old, new: after }: Line): string =>
  `${createHash('sha1').update(path).digest('hex')}_${old ?? 0}_${after ?? 0}`;
