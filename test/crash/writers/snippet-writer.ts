import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import type { Writer } from './writer.ts';

const MAX_SNIPPETS = 3;

/** What of a snippet is not known because its request was not answered. */
export interface OpenSnippet {
  /** Null for one that is being made. */
  id: number | null;
  /** Its title before; null where there was none. */
  before: string | null;
  /** Its title after; null where it is removed. */
  after: string | null;
}

/** Name of the only file of a snippet with this title; its content is the title. */
export const fileOf = (title: string): string => `${title}.txt`;

/** Makes snippets, changes title, file name and content of them at once, and deletes them. */
export class SnippetWriter implements Writer {
  readonly name = 'snippets';
  readonly #world: World;
  readonly #random: Random;
  /** Titles by id. */
  readonly present = new Map<number, string>();
  open: OpenSnippet | null = null;
  acknowledged = 0;
  #count = 0;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  async step(): Promise<void> {
    this.#count += 1;
    const after = `snippet-${this.#count}`;
    const [oldest] = this.present;
    if (oldest === undefined || (this.present.size < MAX_SNIPPETS && this.#random.next() < 0.4)) {
      const body = { title: after, files: [{ file_path: fileOf(after), content: after }] };
      return this.#send({ id: null, before: null, after }, 'POST', '/snippets', body);
    }
    const [id, before] = oldest;
    if (this.#random.next() < 0.3) return this.#send({ id, before, after: null }, 'DELETE', `/snippets/${id}`);
    const move = { action: 'move', previous_path: fileOf(before), file_path: fileOf(after), content: after };
    return this.#send({ id, before, after }, 'PUT', `/snippets/${id}`, { title: after, files: [move] });
  }

  async #send(open: OpenSnippet, method: string, path: string, body?: unknown): Promise<void> {
    this.open = open;
    const answer = await this.#world.send<{ id: number } | undefined>(method, path, body);
    if (answer === null) return;
    this.acknowledged += 1;
    this.open = null;
    this.settle(open.id ?? answer.body!.id, open.after);
  }

  /** Enters what has become of a snippet. @param title null where it is gone */
  settle(id: number, title: string | null): void {
    this.present.delete(id);
    if (title !== null) this.present.set(id, title);
  }
}
