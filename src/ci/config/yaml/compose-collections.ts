import { type Key, MapBuilder, MergeBudget } from './map-builder.ts';
import type { RawMap, RawTree } from './reference.ts';
import { Scanner } from './scanner.ts';
import { listSize, mapSize } from './sizes.ts';
import { type Mark, syntaxError } from './yaml-error.ts';

/** Composes data from the tokens of block and flow collections. */
export abstract class CollectionComposer {
  protected readonly scanner: Scanner;
  private readonly merges = new MergeBudget();
  /** Size of the last node with its repeated aliases: bytes, and nesting of collections. */
  protected size = 0;
  protected height = 0;
  /** Whether it is a plain scalar without a tag. */
  protected isPlain = false;

  constructor(text: string) {
    this.scanner = new Scanner(text);
  }

  /** Reads a node; its size and height are stored in the fields of these names. */
  protected abstract node(block: boolean, indentless: boolean, depth: number): RawTree;

  /** Reads the nodes of a list with `read`, which returns whether there was another one. */
  private list(read: (add: (value: RawTree) => void) => boolean): RawTree[] {
    const list: RawTree[] = [];
    let size = 0;
    let height = 0;
    const add = (value: RawTree) => {
      list.push(value);
      size += this.size;
      height = Math.max(height, this.height);
    };
    while (read(add));
    this.size = size + listSize(list.length);
    this.height = height + 1;
    return list;
  }

  /** An omitted node. */
  protected nothing(): null {
    this.size = 0;
    this.height = 0;
    return null;
  }

  protected blockSequence(indentless: boolean, mark: Mark, depth: number): RawTree[] {
    const { scanner } = this;
    if (!indentless) scanner.skip();
    const ends = indentless ? ['entry', 'key', 'value', 'block-end'] : ['entry', 'block-end'];
    const list = this.list((add) => {
      const { type } = scanner.peek();
      if (type === 'entry') {
        scanner.skip();
        add(ends.includes(scanner.peek().type) ? this.nothing() : this.node(true, false, depth + 1));
        return true;
      }
      if (!indentless && type !== 'block-end')
        throw syntaxError("did not find expected '-' indicator", 'while parsing a block collection', mark);
      return false;
    });
    if (!indentless) scanner.skip();
    return list;
  }

  protected flowSequence(depth: number): RawTree[] {
    const { scanner } = this;
    const mark = scanner.peek().start;
    scanner.skip();
    let first = true;
    const list = this.list((add) => {
      if (scanner.peek().type === 'flow-sequence-end') return false;
      if (!first) {
        if (scanner.peek().type !== 'flow-entry')
          throw syntaxError("did not find expected ',' or ']'", 'while parsing a flow sequence', mark);
        scanner.skip();
        if (scanner.peek().type === 'flow-sequence-end') return false;
      }
      first = false;
      if (scanner.peek().type === 'key') {
        const ends = ['value', 'flow-entry', 'flow-sequence-end'];
        const map = new MapBuilder(this.merges);
        scanner.skip();
        this.pair(map, { ends, value: ends.slice(1) }, false, depth + 1);
        add(this.finish(map));
      } else add(this.node(false, false, depth + 1));
      return true;
    });
    scanner.skip();
    return list;
  }

  protected flowMapping(depth: number): RawTree {
    const { scanner } = this;
    const mark = scanner.peek().start;
    const map = new MapBuilder(this.merges);
    const ends = ['value', 'flow-entry', 'flow-mapping-end'];
    scanner.skip();
    for (let first = true; scanner.peek().type !== 'flow-mapping-end'; first = false) {
      if (!first) {
        if (scanner.peek().type !== 'flow-entry')
          throw syntaxError("did not find expected ',' or '}'", 'while parsing a flow mapping', mark);
        scanner.skip();
        if (scanner.peek().type === 'flow-mapping-end') break;
      }
      if (scanner.peek().type === 'key') {
        scanner.skip();
        this.pair(map, { ends, value: ends.slice(1) }, false, depth + 1);
      } else {
        const key = this.key(this.node(false, false, depth + 1));
        this.put(map, key, this.nothing());
      }
    }
    scanner.skip();
    return this.finish(map);
  }

  protected blockMapping(depth: number): RawTree {
    const { scanner } = this;
    const mark = scanner.peek().start;
    const map = new MapBuilder(this.merges);
    const ends = ['key', 'value', 'block-end'];
    scanner.skip();
    while (scanner.peek().type !== 'block-end') {
      if (scanner.peek().type !== 'key')
        throw syntaxError('did not find expected key', 'while parsing a block mapping', mark);
      scanner.skip();
      this.pair(map, { ends, value: ends }, true, depth + 1);
    }
    scanner.skip();
    return this.finish(map);
  }

  /** Reads a key and its value after a `?` or its implied place; each may be missing. */
  private pair(map: MapBuilder, missing: { ends: string[]; value: string[] }, block: boolean, depth: number): void {
    const { scanner } = this;
    const key = this.key(missing.ends.includes(scanner.peek().type) ? this.nothing() : this.node(block, block, depth));
    let value: RawTree = this.nothing();
    if (scanner.peek().type === 'value') {
      scanner.skip();
      if (!missing.value.includes(scanner.peek().type)) value = this.node(block, block, depth);
    }
    this.put(map, key, value);
  }

  /** The last node as a key. */
  private key(key: RawTree): Key {
    return { key, size: this.size, isPlain: this.isPlain };
  }

  private put(map: MapBuilder, key: Key, value: RawTree): void {
    map.size += key.size + this.size;
    map.height = Math.max(map.height, this.height);
    map.put(key, value);
  }

  private finish(map: MapBuilder): RawMap {
    this.size = map.size + mapSize(map.length);
    this.height = map.height + 1;
    return map.map;
  }
}
