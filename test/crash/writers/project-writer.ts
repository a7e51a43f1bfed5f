import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import type { Writer } from './writer.ts';

const MAX_PROJECTS = 3;

/** Creates projects with a first commit, and deletes them. */
export class ProjectWriter implements Writer {
  readonly name = 'projects';
  readonly #world: World;
  readonly #random: Random;
  /** Paths of projects that must be there. */
  readonly present = new Set<string>();
  /** Paths of projects that must not. */
  readonly absent = new Set<string>();
  /** Path whose request was not answered. */
  open: string | null = null;
  acknowledged = 0;
  #count = 0;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  async step(): Promise<void> {
    const [oldest] = this.present;
    if (oldest !== undefined && (this.present.size > MAX_PROJECTS || this.#random.next() < 0.3)) {
      return this.#send(oldest, this.absent, () => this.#world.send('DELETE', `/projects/root%2F${oldest}`));
    }
    this.#count += 1;
    const path = `made-${this.#count}`;
    const body = { path, initialize_with_readme: true };
    return this.#send(path, this.present, () => this.#world.send('POST', '/projects', body));
  }

  async #send(path: string, after: Set<string>, send: () => Promise<unknown>): Promise<void> {
    this.open = path;
    this.present.delete(path);
    if ((await send()) === null) return;
    this.acknowledged += 1;
    this.open = null;
    after.add(path);
  }
}
