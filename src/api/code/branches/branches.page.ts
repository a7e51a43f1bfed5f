import { hash } from 'node:crypto';
import { HEADS, type Ref } from '../../../git/refs/index.ts';
import { type Protection, protectionsOf } from '../../../repositories/repository.protections.ts';

/** Branches of one state of the refs that are shown together. */
export interface BranchPage {
  /** Identifies these branches at these commits within this process. */
  id: number;
  refs: readonly Ref[];
}

/** Protections that apply to a page. */
export interface PageProtections {
  /** Protections that match each branch, in the order of the page. */
  matching: readonly (readonly Protection[])[];
  /** Identifies the contents of `matching`. */
  key: string;
}

const MAX_PAGES = 64;
let lastId = 0;
const pages = new WeakMap<readonly Ref[], Map<string, BranchPage>>();
const protectionsOfPages = new WeakMap<readonly Protection[], WeakMap<BranchPage, PageProtections>>();

/** Returns the value of a key of a weak map, creating it if necessary. */
function ensure<K extends WeakKey, V>(map: WeakMap<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Returns a page of a list of refs; the same object while the list does not change. */
export function pageOfRefs(refs: readonly Ref[], start: number, size: number): BranchPage {
  const known = ensure(pages, refs, () => new Map<string, BranchPage>());
  const key = `${start}:${size}`;
  const page = known.get(key);
  if (page !== undefined) return page;
  lastId += 1;
  const made = { id: lastId, refs: refs.slice(start, start + size) };
  if (known.size >= MAX_PAGES) known.delete(known.keys().next().value!);
  known.set(key, made);
  return made;
}

/** Returns the protections that match the branches of a page; computed once for one state of both. */
export function protectPage(page: BranchPage, protections: readonly Protection[]): PageProtections {
  const known = ensure(protectionsOfPages, protections, () => new WeakMap<BranchPage, PageProtections>());
  return ensure(known, page, () => {
    const matching = page.refs.map(({ name }) => protectionsOf(protections, 'branch', name.slice(HEADS.length)));
    return { matching, key: hash('sha256', JSON.stringify(matching), 'base64') };
  });
}

const defaults = new WeakMap<readonly Ref[], Ref>();

/** Returns the branch of a name; null if there is none. */
export function branchIn(all: readonly Ref[], name: string | null): Ref | null {
  if (name === null) return null;
  const refName = HEADS + name;
  const cached = defaults.get(all);
  if (cached?.name === refName) return cached;
  const branch = all.find((ref) => ref.name === refName);
  if (branch === undefined) return null;
  defaults.set(all, branch);
  return branch;
}
